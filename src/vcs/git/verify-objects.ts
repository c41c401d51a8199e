/**
 * Checks that the content of stored objects matches their names. Git does not check this when it reads an object, and
 * developers can write into the shared store. What was approved must not become something else before it lands.
 */
import { createHash } from 'node:crypto'
import { VcsError } from '../../core/errors.ts'
import type { GitContext } from './context.ts'
import { gitFailure } from './run.ts'

/** How much is read at a time, unless a single object is larger. */
const pieceBytes = 32 * 1024 * 1024
const listBytes = 1024 * 1024 * 1024

/** Checks everything that the commit has and the base has not. VcsError if something is damaged. */
export async function requireWhole(git: GitContext, base: string, commit: string): Promise<void> {
  const found = await verify(git, base, [commit])
  if (found.kind === 'damaged') throw new VcsError(found.why, found.fix)
}

export type Verified =
  /** The names of all objects that the commits have and the base has not, including the commits themselves. */
  { kind: 'whole'; names: Set<string> } | { kind: 'damaged'; why: string; fix: string | null }

export async function verify(git: GitContext, base: string, commits: string[]): Promise<Verified> {
  // A forged commit graph could name other trees than the commits do.
  const args = ['--bare', '-c', 'core.commitGraph=false', 'rev-list', '--objects', '--no-object-names']
  args.push(...commits, `^${base}`)
  const listed = await git.run(args, { cwd: git.common, maxBytes: listBytes, ok: [0, 128] })
  if (listed.code !== 0) return told(gitFailure(args, listed, git.limits.commandMs))
  const names = listed.stdout.toString('utf8').split('\n').filter(Boolean)
  for (const { piece, bytes } of await cut(git, names)) {
    const stdin = piece.map((name) => `${name}\n`).join('')
    const call = { cwd: git.common, stdin, maxBytes: bytes, ok: [0, 128] }
    const batch = ['--bare', 'cat-file', '--batch']
    const read = await git.run(batch, call)
    // Git itself finds only some of the damage.
    if (read.code !== 0) return told(gitFailure(batch, read, git.limits.commandMs))
    const damaged = firstDamaged(piece, read.stdout)
    if (damaged !== null) return told(changedSince(damaged, commits))
  }
  return { kind: 'whole', names: new Set(names) }
}

function told({ message: why, fix }: VcsError): Verified {
  return { kind: 'damaged', why, fix }
}

function changedSince(object: string, commits: string[]): VcsError {
  const work = commits.map((commit) => commit.slice(0, 10)).join(', ')
  return new VcsError(
    `The content of ${work} was changed in the repository: object ${object} does not match its name. Nothing was merged.`,
    'Run git fsck. To repair it, delete the object’s file in .git/objects and run git hash-object -w FILE in the worktree.',
  )
}

interface Piece {
  piece: string[]
  bytes: number
}

async function cut(git: GitContext, names: string[]): Promise<Piece[]> {
  if (names.length === 0) return []
  const stdin = names.map((name) => `${name}\n`).join('')
  const args = ['--bare', 'cat-file', '--batch-check=%(objectsize)']
  const { stdout } = await git.run(args, { cwd: git.common, stdin, maxBytes: listBytes, ok: [0, 128] })
  const sizes = stdout.toString('utf8').split('\n')
  const pieces: Piece[] = []
  let last: Piece = { piece: [], bytes: 0 }
  for (const [place, name] of names.entries()) {
    const bytes = (Number(sizes[place]) || 0) + lineBytes
    if (last.piece.length === 0 || last.bytes + bytes > pieceBytes) {
      last = { piece: [], bytes: 0 }
      pieces.push(last)
    }
    last.piece.push(name)
    last.bytes += bytes
  }
  return pieces
}

/** Longer than the line before each object can be. */
const lineBytes = 200

/** Each object is `NAME TYPE SIZE`, a line break, its content, and a line break. */
function firstDamaged(names: string[], bytes: Buffer): string | null {
  let at = 0
  for (const name of names) {
    const lineEnd = bytes.indexOf('\n', at)
    const [found, type, size] = bytes.toString('latin1', at, lineEnd).split(' ')
    if (lineEnd < 0 || found !== name || size === undefined) return name
    const start = lineEnd + 1
    at = start + Number(size) + 1
    const hash = createHash(name.length === 64 ? 'sha256' : 'sha1').update(`${type} ${size}\0`)
    if (hash.update(bytes.subarray(start, at - 1)).digest('hex') !== name) return name
  }
  return null
}
