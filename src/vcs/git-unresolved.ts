import type { Place } from '../core/place.ts'
import { type GitContext, readLink, worktreePath } from './git-context.ts'

/** The files in the worktree that git counts as being in conflict: nothing can be committed until they are settled. */
export async function listUnresolved(git: GitContext, place: Place): Promise<string[]> {
  const path = worktreePath(git, place)
  if ((await readLink(git, path)).kind !== 'linked') return []
  const { stdout } = await git.run(['ls-files', '-u', '-z', '--full-name'], { cwd: path })
  const entries = stdout.toString('utf8').split('\0').filter(Boolean)
  return [...new Set(entries.map((entry) => entry.slice(entry.indexOf('\t') + 1)))]
}
