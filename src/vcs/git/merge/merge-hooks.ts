/** Whether the repository has hooks that have a say in a merge, or that may come to have one in the course of it. */
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import type { GitContext } from '../context.ts'

const names = ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge', 'post-checkout']
names.push('reference-transaction', 'post-index-change')

export async function hasMergeHooks(git: GitContext, checkout: string): Promise<boolean> {
  const [path, configured] = await Promise.all([
    git.run(['rev-parse', '--git-path', 'hooks'], { cwd: checkout }),
    // Newer versions of git take hooks from the settings, too.
    git.run(['config', '--get-regexp', '^hook\\.'], { cwd: checkout, ok: [0, 1] }),
  ])
  if (configured.code === 0) return true
  const folder = path.stdout.toString('utf8').replace(/\n$/, '')
  // Hooks that are files of the tree come with a merge, or with what prepares the checkout.
  if (!isAbsolute(folder) || `${folder}${sep}`.startsWith(`${checkout}${sep}`)) return true
  return isMergeHookIn(folder)
}

export async function isMergeHookIn(folder: string): Promise<boolean> {
  const found = await Promise.all(names.map((name) => isExecutable(join(folder, name))))
  return found.includes(true)
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
