/**
 * The worktrees of tasks whose work is merged are of no more use, and with many tasks they are many. Done after the
 * landing was recorded; for who died in between, at the beginning of the next run.
 */
import type { Loop } from '../../core/loop.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Ports } from '../ports.ts'

/** Of one loop, if it has landed. */
export async function dropLanded(
  { standing: { status }, landing: { landed }, work: { place, head } }: Loop,
  { vcs }: Pick<Ports, 'vcs'>,
): Promise<void> {
  if (status !== 'completed' || !landed || !place || !head) return
  // Tidying up stops no work: of a worktree that a person has damaged, or is at work in, `umpire clean` says why it stays.
  await vcs.dropWorktree(place, head.sha).catch(() => {})
}

/** Of all these tasks that have. */
export async function dropAllLanded(
  tasks: TaskSummary[],
  { archive, vcs }: Pick<Ports, 'archive' | 'vcs'>,
): Promise<void> {
  for (const { id, status, landed } of tasks) {
    const loop = status === 'completed' && landed !== null ? await archive.loop(id) : null
    if (loop?.work.place && (await vcs.hasWorktree(loop.work.place))) await dropLanded(loop, { vcs })
  }
}
