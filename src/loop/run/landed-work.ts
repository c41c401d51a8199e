/** Notices what a person merged with their own git, and removes the worktrees of merged work. */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { waitsForCheckout } from '../../core/standing.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Vcs } from '../../vcs/vcs.ts'
import type { Ports } from '../ports.ts'
import { type Books, record } from '../record.ts'

/** The part of a task that decides whether it is checked. */
export type Listed = Pick<TaskSummary, 'id' | 'status' | 'reason'>

/**
 * Finds work that waited for a checkout and that a person has meanwhile merged into the base. Records its landing and
 * returns the numbers of these tasks.
 */
export async function noticeLanded(tasks: Listed[], books: Books & { vcs: Vcs }): Promise<number[]> {
  const noticed: number[] = []
  for (const { id } of tasks.filter(waitsForCheckout))
    if (await record(id, (now) => landedEvents(now, books.vcs), books)) noticed.push(id)
  return noticed
}

async function landedEvents(loop: Loop | null, vcs: Vcs): Promise<NewEvent[]> {
  if (!loop?.work.place || !loop.work.head || !waitsForCheckout(loop.standing)) return []
  const { place, head } = loop.work
  const { cycle } = loop.review
  if (!(await vcs.isMerged(place, head.sha))) return []
  const found = { commit: head.sha, tree: null, checkout: null }
  return [
    { type: 'loop.integrated', data: { outcome: { kind: 'landed', ...found }, cycle } },
    { type: 'loop.landed', data: { base: place.base, ...found, cycle } },
  ]
}

/**
 * Removes the worktree of a loop whose work is merged. It is no longer needed, and there can be many. This happens
 * after the landing is recorded or, if the worker died in between, at the start of the next run.
 */
export async function dropLanded(
  { standing: { status }, landing: { landed }, work: { place, head } }: Loop,
  { vcs }: Pick<Ports, 'vcs'>,
): Promise<void> {
  if (status !== 'completed' || !landed || !place || !head) return
  // A failed cleanup must not stop the work. For a worktree that a person damaged or uses, `umpire clean` says why it stays.
  await vcs.dropWorktree(place, head.sha).catch(() => {})
}

/** Removes the worktrees of all these tasks that have landed. */
export async function dropAllLanded(
  tasks: TaskSummary[],
  { archive, vcs }: Pick<Ports, 'archive' | 'vcs'>,
): Promise<void> {
  for (const { id, status, landed } of tasks) {
    const loop = status === 'completed' && landed !== null ? await archive.loop(id) : null
    if (loop?.work.place && (await vcs.hasWorktree(loop.work.place))) await dropLanded(loop, { vcs })
  }
}
