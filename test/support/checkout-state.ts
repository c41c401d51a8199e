/** Everything in a user's checkout that Umpire must not change on its own, to compare before and after. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestRepository } from './repository.ts'

/** Files with their bytes and modes, the index, where HEAD is, and the stash; not the branches. */
export function checkoutState({ root, git }: TestRepository): Record<string, string> {
  const inGit = ['index', 'HEAD', 'logs/refs/stash'].map((name) => join(root, '.git', name))
  const files = [...listFiles(root, ['.git', '.umpire']), ...inGit]
  return {
    ...Object.fromEntries(files.map((path) => [path, fingerprint(path)])),
    status: git('--no-optional-locks', 'status', '--porcelain'),
  }
}

/** Every ref with its commit, of branches, tags, stashes and Umpire's own, and what each worktree is at. */
export function allRefs({ git }: TestRepository): string[] {
  const refs = git('for-each-ref', '--format=%(refname) %(objectname)').split('\n')
  return [...refs, ...git('worktree', 'list', '--porcelain').split('\n\n')]
}

function listFiles(folder: string, without: string[] = []): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !without.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? listFiles(path) : [path]
    })
}

function fingerprint(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return 'absent'
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return `${stat.mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
}
