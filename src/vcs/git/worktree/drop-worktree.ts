/** Takes away the folder in which a loop's work was done once that is merged. The branch stays, and so does everything that is nowhere else. */
import { join } from 'node:path'
import type { Place } from '../../../core/place.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import { type GitContext, readLink, worktreePath } from '../context.ts'
import { isClean, lookThrough, requireCheckout } from './look.ts'
import { findHolder, findOwnWork, removeFolder } from './remove-work.ts'
import { findUnfinished } from './restore-branch.ts'

export async function dropWorktree(
  git: GitContext,
  place: Place,
  sha: string,
): Promise<'dropped' | 'kept' | 'absent'> {
  const path = worktreePath(git, place)
  if ((await readLink(git, path)).kind !== 'linked') return 'absent'
  const checkout = await requireCheckout(git, place)
  const seen = await lookThrough(git, checkout)
  const isAsMerged = seen.head === sha && seen.branch === place.branch && isClean(seen)
  if (!isAsMerged || (await findUnfinished(checkout.gitDir)) !== null) return 'kept'
  if ((await findHolder(git, place)) !== null || (await findOwnWork(git, checkout)) !== null) return 'kept'
  if (await hasStrayCommits(git, checkout.gitDir)) return 'kept'
  await removeFolder(git, path)
  return 'dropped'
}

const longestLog = 16 * 1024 * 1024

/** Whether HEAD was at a commit here that no ref leads to: somebody amended it or reset it away, and this log alone knows it. */
async function hasStrayCommits(git: GitContext, gitDir: string): Promise<boolean> {
  const log = await readRegular(join(gitDir, 'logs', 'HEAD'), longestLog)
  if (log === null) return false
  const seen = new Set(log.match(/^[0-9a-f]+ [0-9a-f]+/gm)?.flatMap((line) => line.split(' ')))
  const commits = [...seen].filter((sha) => !/^0+$/.test(sha))
  const stdin = commits.map((sha) => `${sha}\n`).join('')
  // One that git has forgotten already is lost in any case.
  const args = ['--bare', 'rev-list', '--ignore-missing', '--max-count=1', '--stdin', '--not', '--all']
  const { stdout } = await git.run(args, { cwd: git.common, stdin })
  return stdout.length > 0
}
