/** Resets a worktree to a commit after something ran in it. Ignored files and files given to the checkout stay. */
import type { Place } from '../../../core/place.ts'
import { type GitContext, requireLink } from '../context.ts'
import { forgetNote } from '../merge/begun-merge.ts'
import { mendBranch, putBranch } from '../own-refs.ts'
import { checkoutPath } from './checkouts.ts'
import { type Checkout, isClean, type Look, lookThrough, requireCheckout } from './look.ts'
import { allBut, givenPaths } from './prepare-checkout.ts'
import { attachHead, findUnfinished } from './restore-branch.ts'
import { takeOut } from './stage.ts'

export async function discard(git: GitContext, place: Place, sha: string): Promise<void> {
  await mendBranch(git, place.branch, sha)
  const checkout = await requireCheckout(git, place)
  const { path, gitDir } = checkout
  const seen = await lookThrough(git, checkout)
  const attached = seen.branch === place.branch
  // This also discards a merge that is not committed yet.
  await forgetNote(git, gitDir)
  if (attached && seen.head === sha && isClean(seen) && (await findUnfinished(gitDir)) === null) return
  if (!attached) await attachHead(git, place, path)
  if (!attached || seen.head !== sha) await putBranch(git, path, place.branch, sha)
  await bringBack(git, checkout, seen)
}

/** The same for a scratch checkout. It is on no branch, but a command in it may have switched to one. */
export async function restoreScratch(git: GitContext, name: string, sha: string): Promise<void> {
  const path = checkoutPath(git, 'scratch', name)
  const gitDir = await requireLink(git, path)
  const checkout = { path, gitDir, given: await givenPaths(gitDir) }
  const seen = await lookThrough(git, checkout)
  const there = seen.branch === null && seen.head === sha && isClean(seen)
  if (there && (await findUnfinished(gitDir)) === null) return
  await git.run(['update-ref', '--no-deref', 'HEAD', sha], { cwd: path, mode: 'write' })
  await bringBack(git, checkout, seen)
}

/** Resets to HEAD. A reset to a commit would move whatever branch HEAD points to. */
async function bringBack(git: GitContext, checkout: Checkout, seen: Look): Promise<void> {
  const { path, given } = checkout
  // The reset deletes files that are in the index but not in the commit.
  await takeOut(git, path, seen.taken)
  const call = { cwd: path, mode: 'write', limitMs: git.limits.checkoutMs } as const
  await git.run(['reset', '-q', '--hard'], call)
  // `-f` twice, because a repository that a gate left inside ours is a leftover like any other.
  await git.run(['clean', '-q', '-ffd', ...allBut(given)], call)
}
