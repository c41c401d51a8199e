/**
 * The tree of a worktree's current files, while a developer works there. Everything is staged in a copy of the index.
 * So the developer's own index, branch and files stay unchanged, and its git waits for no lock of ours.
 */
import { randomUUID } from 'node:crypto'
import { copyFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import type { GitContext } from '../context.ts'
import { umpireIdentity } from '../message.ts'
import { whatReplaced } from '../own-refs.ts'
import { lookThrough, requireCheckout } from './look.ts'
import { stageAll } from './stage.ts'

/** Next to the index, because a split index names its other half relative to its own folder. */
const prefix = 'umpire-snapshot-'

export async function snapshot(git: GitContext, place: Place, signal: AbortSignal): Promise<string> {
  const replaced = await whatReplaced(git, place.branch)
  if (replaced !== null) throw new VcsError(`There is nothing to compare with, because ${replaced}.`)
  const checkout = await requireCheckout(git, place)
  const { path, gitDir } = checkout
  const index = join(gitDir, `${prefix}${randomUUID()}`)
  const aside: GitContext = {
    ...git,
    run: (args, call) => {
      // A repository inside the worktree has its own index.
      const env = call.cwd === path ? { ...call.env, GIT_INDEX_FILE: index } : call.env
      return git.run(args, env ? { ...call, env } : call, signal)
    },
  }
  try {
    await copyFile(join(gitDir, 'index'), index).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await stageAll(aside, checkout, await lookThrough(aside, checkout))
    const { stdout } = await aside.run(['write-tree'], { cwd: path, mode: 'write' })
    return stdout.toString('utf8').trim()
  } finally {
    for (const file of [index, `${index}.lock`]) await rm(file, { force: true })
  }
}

/** A commit of a tree on top of another commit. It is on no branch, so git deletes it once no checkout uses it. */
export async function commitTree(git: GitContext, tree: string, parent: string): Promise<string> {
  const args = ['--bare', 'commit-tree', tree, '-p', parent, '-m', 'As it is at the moment']
  const { stdout } = await git.run(args, { cwd: git.common, mode: 'write', env: umpireIdentity })
  return stdout.toString('utf8').trim()
}

/** Removes the files of a worker that died during a snapshot. */
export async function clearSnapshots(gitDir: string): Promise<void> {
  const names = await readdir(gitDir).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(prefix)))
    await rm(join(gitDir, name), { force: true })
}
