/**
 * Gives a new checkout what it needs: copies and links from the person's checkout, then the configured commands. Given
 * files are recorded in the checkout's own git folder before they are put there. So a kill in the middle leaves no
 * half-made checkout in use, and no given file is taken for the developer's work.
 */

import { constants } from 'node:fs'
import { cp, lstat, mkdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, normalize, sep } from 'node:path'
import { SetupError, VcsError } from '../../../core/errors.ts'
import { exists } from '../../../lib/file/exists.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import type { CheckoutNeeds } from '../../worktrees.ts'

interface CheckoutRecord {
  state: 'preparing' | 'ready'
  /** Relative paths, with slashes. */
  given: string[]
}

/** Makes the checkout ready. Leaves it alone if it is ready already. */
export async function prepareCheckout(
  { path, gitDir, source }: { path: string; gitDir: string; source: string },
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<void> {
  const before = await readRecord(gitDir)
  if (before?.state === 'ready') return
  const wanted = [
    ...needs.copy.map((name) => ({ name: inside(name), by: 'copy' as const })),
    ...needs.link.map((name) => ({ name: inside(name), by: 'link' as const })),
  ]
  const missing = []
  for (const want of wanted) {
    // A tracked file takes precedence over the person's copy. A file that the person does not have is not needed.
    if ((await exists(join(path, want.name))) || !(await exists(join(source, want.name)))) continue
    missing.push(want)
  }
  const given = [...new Set([...(before?.given ?? []), ...missing.map(({ name }) => name)])]
  await writeRecord(gitDir, { state: 'preparing', given })
  for (const { name, by } of missing) {
    signal.throwIfAborted()
    await give(by, join(source, name), path, name)
  }
  await needs.setup(path, signal)
  await writeRecord(gitDir, { state: 'ready', given })
}

/** False if the creation of the checkout stopped before anything was given, so no one can have worked in it. */
export async function wasPrepared(gitDir: string): Promise<boolean> {
  return (await readRecord(gitDir)) !== null
}

/** Files given to the checkout. They are never a change and never part of a commit. */
export async function givenPaths(gitDir: string): Promise<string[]> {
  return (await readRecord(gitDir))?.given ?? []
}

/**
 * Pathspecs for everything except given files. An ignore pattern would not work: `node_modules/` does not match a link.
 */
export function allBut(given: string[]): string[] {
  return given.length === 0 ? [] : ['--', ':(top)', ...given.map((name) => `:(top,exclude,literal)${name}`)]
}

async function give(by: 'copy' | 'link', source: string, checkout: string, name: string): Promise<void> {
  const target = join(checkout, name)
  await mkdir(dirname(target), { recursive: true })
  // A tracked link to a folder elsewhere must not take the copy out of the checkout.
  const parent = await realpath(dirname(target))
  if (!`${parent}${sep}`.startsWith(`${await realpath(checkout)}${sep}`)) {
    throw new SetupError(`worktree.${by}: ${name} would leave the checkout.`, 'Remove it from umpire.yaml.')
  }
  if (by === 'link') return symlink(source, target)
  // Copied next to the checkout and then moved, because a half-copied file would count as complete next time.
  const half = `${checkout}.incoming`
  await rm(half, { recursive: true, force: true })
  try {
    await cp(await realpath(source), half, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      // Sockets and pipes of a running program can't be copied, and would be useless.
      filter: async (from) => {
        const stat = await lstat(from)
        return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
      },
    })
    await rename(half, target)
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

function inside(name: string): string {
  const plain = normalize(name)
    .split(sep)
    .filter((step) => step !== '' && step !== '.')
  const leaves = name.startsWith('/') || plain.length === 0 || plain.includes('..')
  if (leaves || plain[0] === '.umpire' || plain.some((step) => step.toLowerCase() === '.git')) {
    throw new VcsError(
      `${JSON.stringify(name)} can't be copied or linked into a checkout.`,
      'Fix it in umpire.yaml.',
    )
  }
  return plain.join('/')
}

const recordFile = 'umpire-checkout.json'
const longestRecord = 1024 * 1024

async function readRecord(gitDir: string): Promise<CheckoutRecord | null> {
  const text = await readRegular(join(gitDir, recordFile), longestRecord)
  if (text === null) return null
  const found: unknown = JSON.parse(text)
  if (typeof found !== 'object' || found === null || !('state' in found) || !('given' in found)) return null
  const given = Array.isArray(found.given) ? found.given.filter((name) => typeof name === 'string') : []
  return { state: found.state === 'ready' ? 'ready' : 'preparing', given }
}

async function writeRecord(gitDir: string, record: CheckoutRecord): Promise<void> {
  const file = join(gitDir, recordFile)
  await writeFile(`${file}.new`, `${JSON.stringify(record)}\n`)
  await rename(`${file}.new`, file)
}
