/** What a person changed in a task's worktree, or committed to its branch, since Umpire last looked. */

import { openVcs, type Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { isUnderWay } from '../core/standing.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { WorkState } from '../vcs/worktrees.ts'

const never = new AbortController().signal

/** The state of a task's work; null where there is none yet. What has not come to rest may well differ from its record. */
export async function lookAtWork(loop: Loop, repository: Repository): Promise<WorkState | null> {
  const {
    work: { place, head },
  } = loop
  if (!place) return null
  return (await openVcs(repository)).workState(place, isUnderWay(loop.standing) ? null : head)
}

/** A merge takes what was approved. What came since would be left behind without a word. */
export function refuseChangedByHand(loop: Loop, state: WorkState | null): void {
  refuseUnresolved(loop, state)
  if (!state?.isChanged) return
  throw new UserError(
    `The worktree of task ${loop.id} holds changes that nobody has approved.`,
    `umpire review ${loop.id} has them reviewed, umpire edit ${loop.id} --verdict APPROVED approves them yourself.`,
  )
}

/** A merge that a person began there can't be committed as it is; the task stays as it was meanwhile. */
export function refuseUnresolved(
  { id, work: { place }, landing: { resolving } }: Loop,
  state: WorkState | null,
): void {
  const files = state?.unmerged ?? []
  // One that Umpire began is known to it, and what is left of it is told by who takes it in.
  if (!place || resolving || files.length === 0) return
  const named = files.length > mostNamed ? [...files.slice(0, mostNamed), '…'] : files
  const worktree = `.umpire/${place.worktree}`
  throw new UserError(
    `In the worktree of task ${id} a merge is under way: ${oneLine(named.join(', '))}.`,
    `Mend the files in ${worktree}, then git -C ${worktree} commit -a; or git -C ${worktree} merge --abort takes it back.`,
  )
}

const mostNamed = 5

/** Who approves the work by hand approves it as it is now: what is there is committed first. */
export async function takeInByHand(
  loop: Loop,
  state: WorkState | null,
  repository: Repository,
): Promise<NewEvent[]> {
  const {
    id,
    work: { place, head },
  } = loop
  if (!place || !head || !state?.isChanged) return []
  const vcs = await openVcs(repository)
  const { readConfig } = await import('../app/read-config.ts')
  const { config } = await readConfig(repository)
  const session = loop.turn.developer ?? `${id}-0`
  const outcome = await vcs.commit(
    place,
    {
      message: 'Change by hand',
      attempt: session.replace('-', '/'),
      session,
      iteration: loop.turn.iteration,
      recorded: head.sha,
      hookLimitMs: config.limits.gateMs,
    },
    never,
  )
  if (outcome.kind === 'refused') {
    throw new UserError(
      `A hook of the repository refused what is in the worktree of task ${id}: ${outcome.output.trim()}`,
      'Mend it there, and try again.',
    )
  }
  return [{ type: 'loop.committed', data: outcome.commit }]
}
