/**
 * Finds out whether a reviewer changed what it must not. It does not ask git about the clone: a reviewer could have
 * told git there to ignore changes, or put a program into its config. Instead it compares the clone's files byte for
 * byte with the tree in the repository itself.
 */
import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Place } from '../../../core/place.ts'
import type { ReviewedState } from '../../../core/session/session.ts'
import type { GitContext } from '../context.ts'
import { checkoutPath } from '../worktree/checkouts.ts'
import {
  differingParts,
  type FingerprintPart,
  hashClone,
  hashRepository,
  renderFingerprint,
} from './fingerprint.ts'

const changed: Record<FingerprintPart, (place: Place) => string> = {
  branch: ({ branch }) => `The branch ${branch} was moved during the review.`,
  worktree: () => "Files in the loop's worktree were changed during the review.",
  hooks: () => "The repository's hooks were changed during the review.",
  config: () => "The repository's config was changed during the review.",
  clone: () => "The refs, config or attributes of the reviewer's clone were changed during the review.",
}

export async function tampered(
  git: GitContext,
  name: string,
  place: Place,
  before: ReviewedState,
  held: 'all' | 'clone' = 'all',
): Promise<string | null> {
  const clone = checkoutPath(git, 'clones', name)
  if (!(await lstat(join(clone, '.git')).catch(() => null))) return "The reviewer's clone is gone."
  const [repository, cloned, file] = await Promise.all([
    hashRepository(git, place),
    hashClone(clone),
    firstChangedFile(git, clone, before.tree),
  ])
  const now = renderFingerprint({ ...repository, clone: cloned })
  const sentences = differingParts(before.fingerprint, now)
    .filter((part) => held === 'all' || (part !== 'branch' && part !== 'worktree'))
    .map((part) => changed[part](place))
  if (file !== null) sentences.push(`The file ${JSON.stringify(file)} in the reviewer's clone was changed.`)
  return sentences.length === 0 ? null : sentences.join(' ')
}

/**
 * Small files are read synchronously, which is several times faster than a promise for each. After this many of them,
 * the event loop gets a turn. Larger files are read in pieces.
 */
const smallBytes = 256 * 1024
const filesInARow = 64

async function firstChangedFile(git: GitContext, clone: string, tree: string): Promise<string | null> {
  const args = ['--bare', 'ls-tree', '-r', '-z', tree]
  const { stdout } = await git.run(args, { cwd: git.common, maxBytes: 512 * 1024 * 1024 })
  const plainFolders = new Map<string, boolean>([['.', true]])
  let row = 0
  // One character per byte, because a path need not be UTF-8.
  for (const entry of stdout.toString('latin1').split('\0')) {
    const [mode = '', , sha = ''] = entry.slice(0, entry.indexOf('\t')).split(' ')
    const path = entry.slice(entry.indexOf('\t') + 1)
    // A submodule is an empty folder in the clone. Anything in it is residue.
    if (entry === '' || mode === '160000') continue
    const plain = isPlain(clone, dirname(path), plainFolders)
    const same =
      plain &&
      (await describe(inClone(clone, path), sha).catch(() => 'unreadable')) === `${plainMode(mode)} ${sha}`
    if (!same) return Buffer.from(path, 'latin1').toString('utf8')
    if (++row % filesInARow === 0) await setImmediate()
  }
  return null
}

/** Old repositories have modes like 100664, which git checks out as 100644. */
function plainMode(mode: string): string {
  if (!mode.startsWith('100')) return mode
  return Number.parseInt(mode, 8) & 0o100 ? '100755' : '100644'
}

function inClone(clone: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${clone}/`), Buffer.from(path, 'latin1')])
}

/**
 * Whether the folder and all its parents are real folders. Through a link, the right bytes could come from elsewhere.
 */
function isPlain(clone: string, folder: string, known: Map<string, boolean>): boolean {
  const before = known.get(folder)
  if (before !== undefined) return before
  const above = isPlain(clone, dirname(folder), known)
  const plain =
    above && (lstatSync(inClone(clone, folder), { throwIfNoEntry: false })?.isDirectory() ?? false)
  known.set(folder, plain)
  return plain
}

/** A file as a tree entry would have it. */
async function describe(path: Buffer, like: string): Promise<string> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  const blob = createHash(like.length === 64 ? 'sha256' : 'sha1')
  if (stat?.isSymbolicLink()) {
    const target = readlinkSync(path, 'buffer')
    return `120000 ${blob.update(`blob ${target.length}\0`).update(target).digest('hex')}`
  }
  if (!stat?.isFile()) return 'no file'
  blob.update(`blob ${stat.size}\0`)
  if (stat.size <= smallBytes) blob.update(readFileSync(path))
  else for await (const chunk of createReadStream(path)) blob.update(chunk)
  return `${stat.mode & 0o100 ? '100755' : '100644'} ${blob.digest('hex')}`
}
