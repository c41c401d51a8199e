/** Handles changes that a person made in a task's worktree, or committed to its branch, since Umpire last looked. */
import { openVcs, type Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { isUnderWay } from '../core/standing.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { WorkState } from '../vcs/worktrees.ts'

const never = new AbortController().signal

/** The state of a task's work; null if there is none yet. The worktree of a task in progress may differ from the record. */
export async function lookAtWork(loop: Loop, repository: Repository): Promise<WorkState | null> {
  const { place, head } = loop.work
  if (!place) return null
  return (await openVcs(repository)).workState(place, isUnderWay(loop.standing) ? null : head)
}

/** A merge takes only the approved commit. Later changes would be left behind silently, so they refuse the merge. */
export function refuseChangedByHand(loop: Loop, state: WorkState | null): void {
  refuseUnresolved(loop, state)
  if (!state?.isChanged) return
  throw new UserError(
    `The worktree of task ${loop.id} has changes that are not approved.`,
    `Have them reviewed with umpire review ${loop.id}, or approve them yourself with umpire edit ${loop.id} --verdict APPROVED.`,
  )
}

/** An unfinished merge by a person can't be committed while files conflict. Until then the task does not change. */
export function refuseUnresolved(
  { id, work: { place }, landing: { resolving } }: Loop,
  state: WorkState | null,
): void {
  const files = state?.unmerged ?? []
  // Umpire knows the merges that it started itself. The step that collects the resolver's work reports what is left.
  if (!place || resolving || files.length === 0) return
  const named = files.length > mostNamed ? [...files.slice(0, mostNamed), '…'] : files
  const worktree = `.umpire/${place.worktree}`
  throw new UserError(
    `The worktree of task ${id} has an unfinished merge: ${oneLine(named.join(', '))}.`,
    `Fix the files in ${worktree}, then run git -C ${worktree} commit -a. To undo the merge instead, run git -C ${worktree} merge --abort.`,
  )
}

const mostNamed = 5

/** A person who approves work by hand approves it in its current state, so the changes in the worktree are committed first. */
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
      `A git hook refused to commit the changes in the worktree of task ${id}: ${outcome.output.trim()}`,
      'Fix the problem in the worktree, then try again.',
    )
  }
  return [{ type: 'loop.committed', data: outcome.commit }]
}
