/** What a person changed in a task's worktree, or committed to its branch, since Umpire last looked. */
import { UserError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { oneLine } from '../lib/printable.ts'
import type { Vcs } from '../vcs/vcs.ts'
import { openVcs, type Repository } from './repository.ts'

const never = new AbortController().signal

/** A merge takes what was approved. What came since would be left behind without a word. */
export async function refuseChangedByHand(loop: Loop, repository: Repository): Promise<void> {
  if (!(await isChanged(loop, await openVcs(repository)))) return
  throw new UserError(
    `The worktree of task ${loop.id} holds changes that nobody has approved.`,
    `umpire review ${loop.id} has them reviewed, umpire edit ${loop.id} --verdict APPROVED approves them yourself.`,
  )
}

/** A merge that a person began there can't be committed as it is; the task stays as it was meanwhile. */
export async function refuseUnresolved(
  { id, place, resolving }: Loop,
  repository: Repository,
): Promise<void> {
  // One that Umpire began is known to it, and what is left of it is told by who takes it in.
  if (!place || resolving) return
  const files = await (await openVcs(repository)).unresolved(place)
  if (files.length === 0) return
  const named = files.length > mostNamed ? [...files.slice(0, mostNamed), '…'] : files
  const worktree = `.umpire/${place.worktree}`
  throw new UserError(
    `In the worktree of task ${id} a merge is under way: ${oneLine(named.join(', '))}.`,
    `Mend the files in ${worktree}, then git -C ${worktree} commit -a; or git -C ${worktree} merge --abort takes it back.`,
  )
}

const mostNamed = 5

/** Who approves the work by hand approves it as it is now: what is there is committed first. */
export async function takeInByHand(loop: Loop, repository: Repository): Promise<NewEvent[]> {
  const vcs = await openVcs(repository)
  const { id, place, head } = loop
  if (!place || !head || !(await isChanged(loop, vcs))) return []
  const { readConfig } = await import('./read-config.ts')
  const { config } = await readConfig(repository)
  const session = loop.developer ?? `${id}-0`
  const outcome = await vcs.commit(
    place,
    {
      message: 'Change by hand',
      attempt: session.replace('-', '/'),
      session,
      iteration: loop.iteration,
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

async function isChanged({ place, head, status }: Loop, vcs: Vcs): Promise<boolean> {
  if (!place || !head || status === 'in_progress' || status === 'pending') return false
  if ((await vcs.branchHead(place.branch)) !== head.sha) return true
  if (!(await vcs.hasWorktree(place))) return false
  return (await vcs.snapshot(place, never)) !== head.tree
}
