import { type GitContext, refOf } from '../context.ts'

/** Those of the commits that come into a branch together with this one, because the branch has not got them yet. */
export async function broughtBy(
  git: GitContext,
  sha: string,
  branch: string,
  commits: string[],
): Promise<string[]> {
  if (commits.length === 0) return []
  const args = ['--bare', 'rev-list', sha, `^${refOf(branch)}`, '--']
  const { stdout } = await git.run(args, { cwd: git.common })
  const coming = new Set(stdout.toString('utf8').split('\n'))
  return commits.filter((commit) => coming.has(commit))
}
