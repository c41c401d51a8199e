/**
 * The folder of Umpire's own branches is one in which developers write, too. Where a branch was made a link to another
 * one, git would follow it, and what is meant for ours would move a person's branch; where a pipe or a device lies there,
 * git would wait for it for ever. So it is looked at before git is, and what was recorded is put back.
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
  /** `link` can be written over by git itself. */
  kind: 'link' | 'no ref'
  what: string
}

/** What stands at the name of the branch instead of a commit, or null: also for one that is packed, or gone. */
async function findOdd(git: GitContext, branch: string): Promise<Odd | null> {
  if (await keepsTables(git)) return askTables(git, branch)
  const file = join(git.common, refOf(branch))
  const stat = await lstat(file).catch(() => null)
  // Of a folder git knows itself what to think.
  if (stat === null || stat.isDirectory()) return null
  if (stat.isSymbolicLink()) return { kind: 'no ref', what: `a link to ${await readlink(file)}` }
  if (!stat.isFile()) return { kind: 'no ref', what: 'a pipe, a socket or a device' }
  const text = await readRegular(file, longestRef)
  if (text !== null && /^([0-9a-f]{40}|[0-9a-f]{64})(\s|$)/i.test(text)) return null
  const target = /^ref:\s*(.+)/.exec(text ?? '')?.[1]
  return target === undefined
    ? { kind: 'no ref', what: 'something that is no commit' }
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

/** Puts the recorded commit where something else was put, and says what that was; null where all is well. */
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

/** The same words for whoever only reads, and must not be led astray meanwhile. */
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
 * The same in the worktree's own git folder, where git reads the index and HEAD. Without a HEAD git would not take it for
 * a repository any more, so that it could not mend it either.
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
  return `in the worktree's git folder there was what is no file: ${oneLine(names.join(', '), 200)}`
}

/** Removes that, after a developer; says what it was. */
export async function clearUnreadable(git: GitContext): Promise<string | null> {
  const paths = await listUnreadable(git)
  if (paths.length === 0) return null
  await git.guard()
  for (const path of paths) await rm(path, { force: true })
  const names = paths.map((path) => oneLine(path.slice(git.common.length + 1), 100))
  return `among the refs there was what is none: ${names.slice(0, 3).join(', ')}`
}

/** Before git lists what is in the folder. */
export async function requireReadable(git: GitContext): Promise<void> {
  const [first] = await listUnreadable(git)
  if (first !== undefined)
    throw new VcsError(`${first} is no ref, and git would wait for it.`, 'Delete it, then try again.')
}
