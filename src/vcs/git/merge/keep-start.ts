/** Keeps the commits at which tasks will begin, until a branch contains them. */
import type { Place } from '../../../core/place.ts'
import { type GitContext, mainRoot } from '../context.ts'
import { noFollowing, updateRefs } from '../land/waiting.ts'
import { gitFailure } from '../run.ts'

const starts = 'refs/umpire/starts'

/** Git may delete a commit that is on no branch. */
export async function keepStart(git: GitContext, name: string, commit: string): Promise<void> {
  const ref = `${starts}/${name}`
  const put = await updateRefs(git, 'umpire: keep a start', [noFollowing, `update ${ref} ${commit}`])
  if (put.code !== 0) throw gitFailure(['update-ref'], put, git.limits.commandMs)
}

/** The loop's branch has it now. */
export async function dropStart(git: GitContext, { root }: Place): Promise<void> {
  if (root === undefined) return
  const args = ['for-each-ref', '--format=%(refname)', `--points-at=${root}`, `${starts}/`]
  const { stdout } = await git.run(args, { cwd: mainRoot(git) })
  const refs = stdout.toString('utf8').split('\n').filter(Boolean)
  const lines = refs.flatMap((ref) => [noFollowing, `delete ${ref} ${root}`])
  // If another process was faster, the ref is already gone.
  if (lines.length > 0) await updateRefs(git, 'umpire: a branch has it', lines)
}
