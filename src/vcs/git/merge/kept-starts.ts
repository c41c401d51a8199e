/** Holds the commits that tasks are to begin at until a branch does. */
import type { Place } from '../../../core/place.ts'
import { type GitContext, mainRoot } from '../context.ts'
import { noFollowing, updateRefs } from '../land/waiting.ts'
import { failed } from '../run.ts'

const starts = 'refs/umpire/starts'

/** A commit that no branch has is one that git may forget. */
export async function keepStart(git: GitContext, name: string, commit: string): Promise<void> {
  const ref = `${starts}/${name}`
  const put = await updateRefs(git, 'umpire: keep a start', [noFollowing, `update ${ref} ${commit}`])
  if (put.code !== 0) throw failed(['update-ref'], put, git.limits.commandMs)
}

/** The loop's branch has it now. */
export async function dropStart(git: GitContext, { root }: Place): Promise<void> {
  if (root === undefined) return
  const args = ['for-each-ref', '--format=%(refname)', `--points-at=${root}`, `${starts}/`]
  const { stdout } = await git.run(args, { cwd: mainRoot(git) })
  const refs = stdout.toString('utf8').split('\n').filter(Boolean)
  const lines = refs.flatMap((ref) => [noFollowing, `delete ${ref} ${root}`])
  // Where somebody else was quicker, it is gone.
  if (lines.length > 0) await updateRefs(git, 'umpire: a branch has it', lines)
}
