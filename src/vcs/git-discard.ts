/** Brings a worktree back to a commit after something ran in it. Ignored files and what the checkout was given stay. */
import type { Place } from '../core/event.ts'
import { checkoutPath } from './git-checkouts.ts'
import { type GitContext, requireLink } from './git-context.ts'
import { type Checkout, isClean, type Look, lookThrough, requireCheckout } from './git-look.ts'
import { allBut, givenPaths } from './git-provide.ts'
import { attachHead } from './git-settle.ts'
import { takeOut } from './git-stage.ts'

export async function discard(git: GitContext, place: Place, sha: string): Promise<void> {
  const checkout = await requireCheckout(git, place)
  const { path } = checkout
  const seen = await lookThrough(git, checkout)
  const attached = seen.branch === place.branch
  if (attached && seen.head === sha && isClean(seen)) return
  // Before the reset, which would otherwise move whatever branch is checked out.
  if (!attached) await attachHead(git, place, path)
  await bringBack(git, checkout, seen, sha)
}

/** The same for a scratch checkout, which is on no branch; what ran in it may have switched to one. */
export async function restoreScratch(git: GitContext, name: string, sha: string): Promise<void> {
  const path = checkoutPath(git, 'scratch', name)
  const gitDir = await requireLink(git, path)
  const checkout = { path, gitDir, given: await givenPaths(gitDir) }
  const seen = await lookThrough(git, checkout)
  if (seen.branch === null && seen.head === sha && isClean(seen)) return
  await git.run(['update-ref', '--no-deref', 'HEAD', sha], { cwd: path, mode: 'write' })
  await bringBack(git, checkout, seen, sha)
}

async function bringBack(git: GitContext, checkout: Checkout, seen: Look, sha: string): Promise<void> {
  const { path, given } = checkout
  // The reset deletes what the index has and the commit has not.
  await takeOut(git, path, seen.taken)
  const call = { cwd: path, mode: 'write', limitMs: git.limits.checkoutMs } as const
  await git.run(['reset', '-q', '--hard', sha], call)
  // Twice forced, because a repository that a gate left inside ours is a leftover like any other.
  await git.run(['clean', '-q', '-ffd', ...allBut(given)], call)
}
