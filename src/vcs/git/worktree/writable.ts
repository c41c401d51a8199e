/**
 * What of the repository a developer in a sandbox must be able to write so that `git add` and `git commit` work in its
 * worktree, and no more: not the hooks, not the config, not the person's branches, tags and stash, not their checkout.
 *
 * Git replaces a ref by renaming a file over it, so it needs the folder that the ref is in. In that folder there are only
 * Umpire's own branches, each of which is held to what the journal recorded of it.
 */
import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import type { Writable } from '../../worktrees.ts'
import { type GitContext, refOf, requireLink, worktreePath } from '../context.ts'
import { ownBranches } from '../own-refs.ts'

export async function writablePaths(git: GitContext, place: Place): Promise<Writable> {
  const { common } = git
  const path = worktreePath(git, place)
  const gitDir = await requireLink(git, path)
  if (dirname(refOf(place.branch)) !== ownBranches)
    throw new VcsError(`The branch ${place.branch} is not one of Umpire's own.`)
  // They may be gone since all refs were packed, and git itself could not make them again from inside.
  const folders = [join(common, ownBranches), join(common, 'logs', ownBranches)]
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })))
  // What is not there is passed over: most repositories have none of the last two. Where refs are kept in tables, all of
  // them are in the same files, a person's own among them; so nothing can be committed there from inside.
  const shared = ['objects', 'rr-cache', 'lfs'].map((name) => join(common, name))
  // What ties the worktree to its repository, what git takes settings from, and what was noted of it.
  const kept = ['commondir', 'gitdir', 'config.worktree', 'umpire-checkout.json'].map((name) =>
    join(gitDir, name),
  )
  await holdFiles(kept)
  // There a developer could say where else git finds objects, or what the commits of others have in them.
  const aboutObjects = join(common, 'objects', 'info')
  await mkdir(aboutObjects, { recursive: true })
  return {
    writable: [path, gitDir, ...folders, ...shared],
    kept: [join(path, '.git'), ...kept, aboutObjects],
  }
}

/** Only what is there can be held: git would read a file that is made from inside like any other. Empty, it says nothing. */
async function holdFiles(paths: string[]): Promise<void> {
  for (const path of paths) {
    if (basename(path) === 'config.worktree')
      await writeFile(path, '', { flag: 'wx' }).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      })
    if (!(await lstat(path).catch(() => null))?.isFile())
      throw new VcsError(
        `${path} is not a regular file.`,
        'Inspect it and delete it if it is not yours. Then try again.',
      )
  }
}
