/**
 * Developers can also write in the folder of Umpire's own branches. If a branch was replaced by a link to another one,
 * git would follow it and move a user's branch instead of ours. If a pipe or a device is there, git would wait for it
 * forever. So Umpire checks it before git does, and restores what was recorded.
 */
import { lstat, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VcsError } from '../../core/errors.ts'
import { readRegular } from '../../lib/file/read-regular.ts'
import { oneLine } from '../../lib/text/printable.ts'
import { type GitContext, mainRoot, refOf } from './context.ts'

export const ownBranches = 'refs/heads/umpire'

/** A ref is a line. Git itself would read a file of any length. */
const longestRef = 4096

interface Odd {
  /** Git itself can overwrite a `link`. */
  kind: 'link' | 'no ref'
  what: string
}

/** What is at the branch's name instead of a commit. Null if it is a commit, packed, or gone. */
async function findOdd(git: GitContext, branch: string): Promise<Odd | null> {
  if (await keepsTables(git)) return askTables(git, branch)
  const file = join(git.common, refOf(branch))
  const stat = await lstat(file).catch(() => null)
  // Git handles a folder correctly by itself.
  if (stat === null || stat.isDirectory()) return null
  if (stat.isSymbolicLink()) return { kind: 'no ref', what: `a link to ${await readlink(file)}` }
  if (!stat.isFile()) return { kind: 'no ref', what: 'a pipe, a socket or a device' }
  const text = await readRegular(file, longestRef)
  if (text !== null && /^([0-9a-f]{40}|[0-9a-f]{64})(\s|$)/i.test(text)) return null
  const target = /^ref:\s*(.+)/.exec(text ?? '')?.[1]
  return target === undefined
    ? { kind: 'no ref', what: 'something that is not a commit' }
    : { kind: 'link', what: `a link to ${target.replace(refOf(''), '')}` }
}

async function askTables(git: GitContext, branch: string): Promise<Odd | null> {
  const args = ['--bare', 'symbolic-ref', '-q', refOf(branch)]
  const { code, stdout } = await git.run(args, { cwd: git.common, ok: [0, 1, 128] })
  const target = stdout.toString('utf8').trim().replace(refOf(''), '')
  return code === 0 ? { kind: 'link', what: `a link to ${target}` } : null
}

export async function keepsTables({ common }: GitContext): Promise<boolean> {
  return (await lstat(join(common, 'reftable')).catch(() => null)) !== null
}

/** Restores the recorded commit if the branch was replaced, and says by what. Null if all is well. */
export async function mendBranch(git: GitContext, branch: string, recorded: string): Promise<string | null> {
  const odd = await findOdd(git, branch)
  if (odd === null) return null
  await git.guard()
  if (odd.kind === 'no ref') await rm(join(git.common, refOf(branch)), { force: true })
  await putBranch(git, mainRoot(git), branch, recorded)
  return told(branch, odd)
}

/** Never through a link. No hook runs: it is only what the record says already. */
export async function putBranch(git: GitContext, cwd: string, branch: string, sha: string): Promise<void> {
  const args = [
    '-c',
    'core.hooksPath=/dev/null',
    'update-ref',
    '--no-deref',
    '-m',
    'umpire: back to the record',
  ]
  await git.run([...args, refOf(branch), sha], { cwd, mode: 'write' })
}

function told(branch: string, { what }: Odd): string {
  return `the branch ${branch} was replaced by ${oneLine(what, 200)}`
}

/** The same message for callers that only read, and must not follow the replacement. */
export async function whatReplaced(git: GitContext, branch: string): Promise<string | null> {
  const odd = await findOdd(git, branch)
  return odd && told(branch, odd)
}

/** Everything in the folder that git would wait for, or read without end. */
async function listUnreadable({ common }: GitContext): Promise<string[]> {
  const found = await readdir(join(common, ownBranches), { withFileTypes: true, recursive: true }).catch(
    () => [],
  )
  const paths = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
  const checked = await Promise.all(
    paths.map(async ({ path, isFile }) => {
      const stat = isFile ? await lstat(path).catch(() => null) : null
      return isFile && (stat?.size ?? 0) <= longestRef ? [] : [path]
    }),
  )
  return checked.flat()
}

/**
 * The same in the worktree's own git folder, where git reads the index and HEAD. Without a HEAD, git would no longer
 * accept the folder as a repository, so it could not repair it either.
 */
export async function clearGitFolder(
  git: GitContext,
  gitDir: string,
  branch: string,
): Promise<string | null> {
  const entries = await readdir(gitDir, { withFileTypes: true })
  const special = entries.filter((entry) => !entry.isFile() && !entry.isDirectory()).map(({ name }) => name)
  const headless = special.includes('HEAD') || !entries.some(({ name }) => name === 'HEAD')
  if (special.length === 0 && !headless) return null
  await git.guard()
  for (const name of special) await rm(join(gitDir, name), { force: true })
  if (headless) await writeFile(join(gitDir, 'HEAD'), `ref: ${refOf(branch)}\n`, { flag: 'wx' })
  const names = headless ? [...new Set([...special, 'HEAD'])] : special
  return `the worktree's git folder contained entries that are not files: ${oneLine(names.join(', '), 200)}`
}

/** Removes these after a developer session, and says what they were. */
export async function clearUnreadable(git: GitContext): Promise<string | null> {
  const paths = await listUnreadable(git)
  if (paths.length === 0) return null
  await git.guard()
  for (const path of paths) await rm(path, { force: true })
  const names = paths.map((path) => oneLine(path.slice(git.common.length + 1), 100))
  return `the folder of refs contained files that are not refs: ${names.slice(0, 3).join(', ')}`
}

/** Call this before git lists the folder. */
export async function requireReadable(git: GitContext): Promise<void> {
  const [first] = await listUnreadable(git)
  if (first !== undefined)
    throw new VcsError(
      `${first} is not a ref, and git would wait for it forever.`,
      'Delete it, then try again.',
    )
}
