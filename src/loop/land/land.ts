/** Merges a loop's work into its base, or into the branch of its group, together with other tasks that land there. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { landsOn } from '../../core/standing.ts'
import type { Step } from '../../core/step.ts'
import type { IntegrationRequest, Into } from '../../vcs/merges.ts'
import { checkBranch } from '../check/check-branch.ts'
import type { Performed } from '../performed.ts'
import { placeOf } from '../place-of.ts'
import type { LandRequest, Ports } from '../ports.ts'

export async function land(
  { sha, gates }: Step & { do: 'land' },
  loop: Loop,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  await checkBranch(loop, ports)
  const into = landsOn(loop)
  if (into === null) throw new Error(`loop ${loop.id} has no place yet`)
  const { outcome, checked } = await ports.landings.ask({
    task: loop.id,
    into,
    loop,
    sha,
    gates,
    ports,
    signal,
  })
  const events = checked.map((data): NewEvent => ({ type: 'gate.completed', data }))
  return { events: [...events, { type: 'loop.integrated', data: { outcome, cycle: loop.review.cycle } }] }
}

export function intoOf(loop: Loop): Into {
  const place = placeOf(loop)
  const branch = landsOn(loop) ?? place.base
  if (branch !== place.target) return { branch }
  // Not the commit where this task starts: that may contain the work of tasks without a group.
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
