/**
 * The parts of the repository that a sandboxed developer must be able to write so that `git add` and `git commit` work
 * in its worktree, and no more: not the hooks, not the config, not the person's branches, tags and stash, not their
 * checkout.
 *
 * Git replaces a ref by renaming a file over it, so it needs the ref's folder. That folder contains only Umpire's own
 * branches, and Umpire checks each of them against the journal.
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
  // The folders may be gone because all refs were packed, and git could not create them again from inside the sandbox.
  const folders = [join(common, ownBranches), join(common, 'logs', ownBranches)]
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })))
  // Missing folders are skipped: most repositories have none of the last two. If refs are stored in tables, the same
  // files contain the person's own refs, so a sandboxed developer can't commit there.
  const shared = ['objects', 'rr-cache', 'lfs'].map((name) => join(common, name))
  // Files that tie the worktree to its repository, contain git settings, or record what the checkout was given.
  const kept = ['commondir', 'gitdir', 'config.worktree', 'umpire-checkout.json'].map((name) =>
    join(gitDir, name),
  )
  await holdFiles(kept)
  // In this folder a developer could point git to other objects, or forge what other commits contain.
  const aboutObjects = join(common, 'objects', 'info')
  await mkdir(aboutObjects, { recursive: true })
  return {
    writable: [path, gitDir, ...folders, ...shared],
    kept: [join(path, '.git'), ...kept, aboutObjects],
  }
}

/**
 * Only an existing file can be made read-only, and git would obey one that is created inside the sandbox. So a missing
 * `config.worktree` is created empty, which sets nothing.
 */
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
