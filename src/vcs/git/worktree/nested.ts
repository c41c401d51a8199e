import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitContext } from '../context.ts'

export type Nested = { kind: 'none' } | { kind: 'found'; folder: string } | { kind: 'too many' }

/** Enough for all packages of a large project. */
const mostFolders = 50_000

/** A repository in what git ignores, where no look at changes finds it. No link is followed. */
export async function findNested(git: GitContext, path: string): Promise<Nested> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const { stdout } = await git.run(args, { cwd: path, maxBytes: 64 * 1024 * 1024 })
  const listed = stdout.toString('utf8').split('\0')
  // Git names a folder as a whole with a slash behind it, and a repository like a folder.
  const folders = listed.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1))
  // Nearest first: what somebody made by hand does not lie deep within packages.
  for (const [index, folder] of folders.entries()) {
    if (index >= mostFolders) return { kind: 'too many' }
    const entries = await readdir(join(path, folder), { withFileTypes: true }).catch(() => [])
    if (entries.some(({ name }) => name === '.git')) return { kind: 'found', folder }
    for (const entry of entries) if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`)
  }
  return { kind: 'none' }
}
