import type { Loop } from '../../core/loop.ts'
import type { Gate } from '../../core/policy/policy.ts'
import { isUnderWay, waitsForCheckout } from '../../core/standing.ts'
import type { IntegrationRequest, Into } from '../../vcs/merges.ts'
import type { Ports } from '../ports.ts'
import { findUnapproved } from './find-carried-work.ts'
import { keyOf, mergeMessage } from './land.ts'

export interface WaitingPart {
  task: number
  part: IntegrationRequest['parts'][number]
  /** Includes its own gates. They have to pass on every result that contains this work. */
  gates: Gate[]
  limitMs: number
}

/**
 * Approved work that waits for the same checkout as these. The journal decides, not the waiting branch. But if another
 * process is landing work right now, the journal may not show yet that it waits. Work on the waiting branch comes first,
 * because nothing may take its place there.
 */
export async function waitingBeside(
  these: { task: number }[],
  { branch, from }: Into,
  { archive, vcs, settings }: Ports,
): Promise<WaitingPart[]> {
  // A branch that Umpire made is never checked out.
  if (from !== undefined) return []
  const there: WaitingPart[] = []
  const behind: WaitingPart[] = []
  for (const task of await archive.tasks()) {
    if (task.phase !== 'land' || task.base !== branch || these.some((one) => one.task === task.id)) continue
    const other = await archive.loop(task.id)
    if (!other?.work.place || !other.work.head) continue
    const { head, place } = other.work
    const waits = isUnderWay(other.standing)
      ? await vcs.isWaiting(place, head.sha)
      : waitsForCheckout(other.standing)
    if (!waits || (await findUnapproved(other, { archive, vcs })).length > 0) continue
    const list = isBehind(other) ? behind : there
    list.push({
      task: task.id,
      part: {
        key: keyOf({ task: task.id }),
        branch: place.branch,
        commit: head.sha,
        message: mergeMessage(other),
      },
      gates: other.policy?.gates ?? [],
      limitMs: settings.limitsFor(other.task).gate,
    })
  }
  return [...there, ...behind]
}

function isBehind({ landing: { outcome: landing } }: Loop): boolean {
  return landing !== null && landing !== 'begun' && landing.kind === 'waits' && landing.behind !== undefined
}
