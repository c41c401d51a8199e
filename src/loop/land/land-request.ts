import type { GateResult } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { LandOutcome } from '../../core/place.ts'
import type { Gate } from '../../core/policy/policy.ts'
import { landsOn } from '../../core/standing.ts'
import type { IntegrationRequest, Into } from '../../vcs/vcs.ts'
import { placeOf } from '../place-of.ts'
import type { Ports } from '../ports.ts'

/** Approved work of one task that is to be merged into a branch. */
export interface LandRequest {
  task: number
  into: string
  loop: Loop
  sha: string
  gates: Gate[]
  /** Those of its worker: they refuse once the loop is no longer its own. */
  ports: Ports
  signal: AbortSignal
}

export interface LandAnswer {
  outcome: LandOutcome
  checked: GateResult[]
}

export function intoOf(loop: Loop): Into {
  const place = placeOf(loop)
  const branch = landsOn(loop) ?? place.base
  if (branch !== place.target) return { branch }
  // Not where this task begins, which may have the work of tasks that are in no group.
  return { branch, from: place.targetFrom ?? place.root ?? place.baseCommit }
}

export const keyOf = ({ task }: { task: number }) => String(task)

export function partOf(request: LandRequest): IntegrationRequest['parts'][number] {
  const { loop, sha: commit } = request
  return { key: keyOf(request), commit, branch: placeOf(loop).branch, message: mergeMessage(loop) }
}

export function mergeMessage(loop: Loop): string {
  return `Merge ${placeOf(loop).branch}: ${loop.task.title}`
}

export function limitOf({ loop, ports }: LandRequest): number {
  return ports.settings.limitsFor(loop.task).gate
}
