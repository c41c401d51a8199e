/** What a resolver left open in a merge, and what else it changed. */

import type { Place } from '../../../core/place.ts'
import type { ConflictFile, Resolution } from '../../../core/resolution.ts'
import type { ComparedMerge, MergeFinished } from '../../merges.ts'
import type { GitContext } from '../context.ts'
import { diffTrees, namesBetween } from '../diff.ts'
import { type BegunMerge, readBegun } from './begun-merge.ts'
import { lookAtConflicts } from './conflict-marks.ts'
import { listUnmerged } from './merge.ts'

/** `tree`: what is in the worktree at this path now. */
export async function findConflicts(
  git: GitContext,
  begun: BegunMerge,
  path: string,
  tree: string,
): Promise<Exclude<MergeFinished, { kind: 'committed' | 'refused' }> | null> {
  const conflicts = await lookAtConflicts(git, begun, tree)
  const marked = conflicts.filter(({ isMarked }) => isMarked).map((file) => file.path)
  if (marked.length > 0) return { kind: 'unresolved', files: marked }
  // Where git could not put marks, only the index tells whether the conflict was resolved.
  const unmerged = new Set(await listUnmerged(git, path))
  const undecided = conflicts.filter(
    (file) => file.kind !== 'text' && file.isUntouched && unmerged.has(file.path),
  )
  if (undecided.length > 0) return { kind: 'undecided', files: undecided.map((file) => file.path) }
  const beyond = (await namesBetween(git, begun.record, tree)).filter(isBeside(begun.files))
  return beyond.length > 0 ? { kind: 'beyond', files: beyond, left: begun.record } : null
}

/**
 * Whether a path is not in conflict. If a file and a folder want the same name, git puts the file next to the folder
 * under a name with a tilde. The file may get either name, and the folder may go.
 */
function isBeside(files: string[]): (path: string) => boolean {
  const own = new Set(files.flatMap((file) => [file, file.replace(/~[^/]*$/, '')]))
  return (path) => {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1))
      if (own.has(path.slice(0, at))) return false
    return true
  }
}

export async function begunMerge(
  git: GitContext,
  place: Place,
): Promise<{ left: string; conflicts: ConflictFile[] } | null> {
  const begun = await readBegun(git, place)
  if (!begun) return null
  const [states, { stdout }] = await Promise.all([
    lookAtConflicts(git, begun, begun.record),
    git.run(['--bare', 'rev-parse', '--verify', `${begun.record}^{tree}`], { cwd: git.common }),
  ])
  return {
    left: stdout.toString('utf8').trim(),
    conflicts: states.map(({ path, kind }) => ({ path, kind })),
  }
}

/** The number of files to compare, because a command line is limited in length. */
const mostCompared = 500

export async function compareMerge(
  git: GitContext,
  { sha, ours, theirs, left, conflicts }: Resolution,
): Promise<ComparedMerge> {
  const files = conflicts.map(({ path }) => path)
  const { code } = await git.run(['--bare', 'cat-file', '-e', left], { cwd: git.common, ok: [0, 1, 128] })
  const beyond = code === 0 ? (await namesBetween(git, left, sha)).filter(isBeside(files)) : null
  const looked = [...files, ...(beyond ?? [])].slice(0, mostCompared)
  const [againstOurs, againstTheirs] = await Promise.all([
    diffTrees(git, ours, sha, looked),
    diffTrees(git, theirs, sha, looked),
  ])
  return { beyond, againstOurs, againstTheirs }
}
