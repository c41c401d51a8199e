/**
 * Removes the worktrees of tasks whose work is merged. They are no longer needed, and there can be many. This happens
 * after the landing is recorded or, if the worker died in between, at the start of the next run.
 */
import type { Loop } from '../../core/loop.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Ports } from '../ports.ts'

/** Removes the worktree of one loop, if it has landed. */
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
