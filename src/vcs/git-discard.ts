/** Brings a worktree back to a commit after something ran in it. Ignored files and what the checkout was given stay. */
import type { Place } from '../core/event.ts'
import type { GitContext } from './git-context.ts'
import { isClean, lookThrough, requireCheckout } from './git-look.ts'
import { allBut } from './git-provide.ts'
import { attachHead } from './git-settle.ts'
import { takeOut } from './git-stage.ts'

export async function discard(git: GitContext, place: Place, sha: string): Promise<void> {
  const checkout = await requireCheckout(git, place)
  const { path, given } = checkout
  const seen = await lookThrough(git, checkout)
  const attached = seen.branch === place.branch
  if (attached && seen.head === sha && isClean(seen)) return
  // Before the reset, which would otherwise move whatever branch is checked out.
  if (!attached) await attachHead(git, place, path)
  // The reset deletes what the index has and the commit has not.
  await takeOut(git, path, seen.taken)
  const call = { cwd: path, mode: 'write', limitMs: git.limits.checkoutMs } as const
  await git.run(['reset', '-q', '--hard', sha], call)
  // Twice forced, because a repository that a gate left inside ours is a leftover like any other.
  await git.run(['clean', '-q', '-ffd', ...allBut(given)], call)
}
