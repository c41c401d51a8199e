/**
 * Finds what differs in a checkout from its last commit. Git can be told to ignore a changed file (`git update-index
 * --assume-unchanged`). A loop's work must not be hidden from its review that way.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from '../../../core/place.ts'
import { type GitContext, requireLink, worktreePath } from '../context.ts'
import { allBut, givenPaths } from './prepare-checkout.ts'

export interface Look {
  /** Empty if the branch has no commit. */
  head: string
  /** Null if HEAD is detached. */
  branch: string | null
  changes: FileChange[]
  /** Tracked files whose changes git was told to ignore. */
  hidden: Hidden[]
  /** Files given to the checkout that were added to the index. */
  taken: string[]
}

interface Hidden {
  path: string
  by: 'assume-unchanged' | 'skip-worktree'
}

export interface FileChange {
  path: string
  /** `nested`: an untracked folder that is its own git repository. `unmerged`: an unresolved conflict. */
  kind: 'staged' | 'unstaged' | 'untracked' | 'nested' | 'unmerged'
}

/** A checkout of ours, with the files that it was given. */
export interface Checkout {
  path: string
  gitDir: string
  given: string[]
}

export async function requireCheckout(git: GitContext, place: Place): Promise<Checkout> {
  const path = worktreePath(git, place)
  const gitDir = await requireLink(git, path)
  return { path, gitDir, given: await givenPaths(gitDir) }
}

const maxBytes = 256 * 1024 * 1024

export async function look(git: GitContext, checkout: Checkout): Promise<Look> {
  const seen = await lookAtChanges(git, checkout)
  const entries = await readEntries(git, checkout, seen.head.length / 2)
  const marked = (by: Hidden['by'], is: (entry: IndexEntry) => boolean) =>
    entries.filter(is).map(({ path }): Hidden => ({ path, by }))
  const assumed = marked('assume-unchanged', (entry) => entry.assumed)
  const skipped = marked('skip-worktree', (entry) => entry.skipped)
  const taken = checkout.given.filter((name) =>
    entries.some(({ path }) => path === name || path.startsWith(`${name}/`)),
  )
  // In a sparse checkout git sets this mark itself, and clears it if the file exists anyway.
  const sparse = skipped.length > 0 && (await isSparse(git, checkout))
  return { ...seen, hidden: sparse ? assumed : [...assumed, ...skipped], taken }
}

/** The cheap part of `look`. It is enough if nothing can have been hidden since the last full look. */
export async function lookAtChanges(git: GitContext, { path: cwd, given }: Checkout): Promise<Look> {
  const args = ['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z', '--no-renames']
  // Changes inside a submodule can't be committed here and would look like a change forever.
  args.push('--untracked-files=all', '--ignore-submodules=dirty', ...allBut(given))
  const { stdout } = await git.run(args, { cwd, maxBytes })
  return { ...parseStatus(stdout.toString('utf8')), hidden: [], taken: [] }
}

/** Looks after clearing all ignore marks in the index. It writes the index, so use it only for our own checkouts. */
export async function lookThrough(git: GitContext, checkout: Checkout): Promise<Look> {
  const first = await look(git, checkout)
  if (first.hidden.length === 0) return first
  for (const mark of ['assume-unchanged', 'skip-worktree'] as const) {
    const stdin = first.hidden.map(({ path, by }) => (by === mark ? `${path}\0` : '')).join('')
    if (stdin === '') continue
    await git.run(['update-index', `--no-${mark}`, '-z', '--stdin'], {
      cwd: checkout.path,
      stdin,
      mode: 'write',
    })
  }
  return look(git, checkout)
}

async function readEntries(git: GitContext, checkout: Checkout, hashBytes: number): Promise<IndexEntry[]> {
  const entries = await readIndex(checkout.gitDir, hashBytes || 20)
  if (entries !== null) return entries
  const { stdout } = await git.run(['ls-files', '-v', '-z'], { cwd: checkout.path, maxBytes })
  const lines = stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '')
  return lines.map((line) => {
    const tag = line.slice(0, 1)
    return { path: line.slice(2), assumed: tag !== tag.toUpperCase(), skipped: tag.toUpperCase() === 'S' }
  })
}

async function isSparse(git: GitContext, { path: cwd }: Checkout): Promise<boolean> {
  const { stdout } = await git.run(['config', '--type=bool', 'core.sparseCheckout'], { cwd, ok: [0, 1] })
  return stdout.toString('utf8').trim() === 'true'
}

export function isClean(seen: Look): boolean {
  return seen.changes.length === 0 && seen.taken.length === 0
}

function parseStatus(text: string): Pick<Look, 'head' | 'branch' | 'changes'> {
  const seen: Pick<Look, 'head' | 'branch' | 'changes'> = { head: '', branch: null, changes: [] }
  for (const record of text.split('\0')) {
    const fields = record.split(' ')
    switch (fields[0]) {
      case '#':
        if (fields[1] === 'branch.oid' && fields[2] !== '(initial)') seen.head = fields[2] ?? ''
        if (fields[1] === 'branch.head' && fields[2] !== '(detached)') seen.branch = fields[2] ?? null
        break
      case '1':
        seen.changes.push({
          path: fields.slice(8).join(' '),
          kind: fields[1]?.[1] === '.' ? 'staged' : 'unstaged',
        })
        break
      case 'u':
        seen.changes.push({ path: fields.slice(10).join(' '), kind: 'unmerged' })
        break
      case '?': {
        const path = record.slice(2)
        // All untracked files are listed one by one. Only a repository inside ours is listed as a folder.
        seen.changes.push(
          path.endsWith('/') ? { path: path.slice(0, -1), kind: 'nested' } : { path, kind: 'untracked' },
        )
        break
      }
    }
  }
  return seen
}

interface IndexEntry {
  path: string
  assumed: boolean
  skipped: boolean
}

/**
 * Reads git's index file for what `git status` does not show: which changes git was told to ignore, and which paths are
 * tracked. Reading the file is much cheaper than starting `git ls-files`, and every turn of a loop does it. Git's own
 * `gitformat-index` documents the format. Null for a split index or an unknown kind, which is left to git.
 */
async function readIndex(gitDir: string, hashBytes: number): Promise<IndexEntry[] | null> {
  const bytes = await readFile(join(gitDir, 'index')).catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return bytes === null ? [] : parseIndex(bytes, hashBytes)
}

const headerBytes = 12
/** Times, device, inode, mode, owner and size, which come before the hash. */
const statBytes = 40

function parseIndex(bytes: Buffer, hashBytes: number): IndexEntry[] | null {
  const version = bytes.length > headerBytes ? bytes.readUInt32BE(4) : 0
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return null
  const entries: IndexEntry[] = []
  let at = headerBytes
  let name = Buffer.alloc(0)
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at
    const flags = bytes.readUInt16BE(start + statBytes + hashBytes)
    const extended = (flags & 0x4000) !== 0
    const more = extended ? bytes.readUInt16BE(start + statBytes + hashBytes + 2) : 0
    at = start + statBytes + hashBytes + (extended ? 4 : 2)
    let kept = Buffer.alloc(0)
    if (version === 4) {
      const strip = readVariable(bytes, at)
      kept = name.subarray(0, name.length - strip.value)
      at = strip.end
    }
    const end = bytes.indexOf(0, at)
    if (end < 0) return null
    name = Buffer.concat([kept, bytes.subarray(at, end)])
    // Before version 4, an entry is padded with zeros to a multiple of eight bytes.
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8
    const path = name.toString('utf8')
    entries.push({ path, assumed: (flags & 0x8000) !== 0, skipped: (more & 0x4000) !== 0 })
  }
  return isSplit(bytes, at, hashBytes) ? null : entries
}

/** The number of bytes to remove from the previous name, seven bits at a time. Each continuation byte adds one. */
function readVariable(bytes: Buffer, from: number): { value: number; end: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let value = byte & 0x7f
  while (byte & 0x80) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 0x7f)
  }
  return { value, end: at }
}

function isSplit(bytes: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= bytes.length - hashBytes; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true
  }
  return false
}
