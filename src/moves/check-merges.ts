/** Checks all tasks of a merge before the first one is merged, so that either all of them can be merged or none is. */
import { openVcs, type Repository } from '../app/repository.ts'
import { UserError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move } from '../core/person/move.ts'
import { carriedRefusal } from '../core/schedule/carried-work.ts'
import { isToGather } from '../core/standing.ts'
import { findUnapproved } from '../loop/land/find-carried-work.ts'
import type { Store } from '../store/store.ts'
import { lookAtWork, refuseChangedByHand } from './hand-edits.ts'

/** How many worktrees to check at once. Checking one mostly waits for the disk. */
const atOnce = 4

/** `named` are all tasks of the merge, including these. */
export async function checkMerges(
  loops: Loop[],
  named: number[],
  move: Move & { kind: 'merge' },
  store: Store,
  repository: Repository,
): Promise<void> {
  for (const loop of loops) {
    const outcome = decideMove(loop, move, '')
    if (outcome.kind === 'refused') throw new UserError(outcome.why, outcome.fix)
    await refuseCarrier(loop, named, store, repository)
  }
  for (let next = 0; next < loops.length; next += atOnce) {
    const some = loops.slice(next, next + atOnce)
    const states = await Promise.all(some.map((loop) => lookAtWork(loop, repository)))
    for (const [at, loop] of some.entries()) refuseChangedByHand(loop, states[at] ?? null)
  }
}

/**
 * A merge that a person asks for must not include unapproved work of another task, unless the person named that task as
 * well. Returns the named tasks that have to be merged before this one.
 */
export async function refuseCarrier(
  loop: Loop,
  named: number[],
  store: Store,
  repository: Repository,
): Promise<number[]> {
  // The branch of its group collects all finished work anyway.
  if (!loop.work.place || !loop.work.head || isToGather(loop)) return []
  const works = await findUnapproved(loop, { archive: store.archive, vcs: await openVcs(repository) })
  const others = works.filter(({ task }) => !named.includes(task))
  if (others.length === 0) return works.map(({ task }) => task)
  const { why, fix } = carriedRefusal(loop, others)
  throw new UserError(why, fix)
}
