/** What every operation on the repository is given, and where its checkouts are. */
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { VcsError } from '../../core/errors.ts'
import type { Place } from '../../core/place.ts'
import { readRegular } from '../../lib/file/read-regular.ts'
import type { GitLimits, RunGit } from './run.ts'

export interface GitContext {
  /** The checkout in which Umpire was started. */
  cwd: string
  home: string
  /** The git folder that all worktrees share. */
  common: string
  run: RunGit
  limits: GitLimits
  /** Called before each change. Throws if the change is no longer ours to make. */
  guard: () => Promise<void>
  /** The same for all loops of a process. */
  shared: Shared
}

/** Answers shared by many loops, because starting a process costs more than the answer. */
export interface Shared {
  /** The tree of a commit never changes. */
  trees: Map<string, string>
  /** Folders in whose checkouts the person's own identity was found. */
  identified: Set<string>
  /** The repository's settings as git reads them. Simultaneous callers share one git process. */
  readSettings: () => Promise<string>
}

/** The person's main checkout, from which files are copied and linked. */
export function mainRoot(git: GitContext): string {
  return dirname(git.home)
}

export function worktreePath(git: GitContext, place: Place): string {
  return join(git.home, place.worktree)
}

/**
 * The commit of a branch, read from its own ref file, which saves a process. Null if there is no such file: the ref is
 * packed, symbolic or gone, or the repository stores refs differently. Then the caller has to ask git.
 */
export async function readLooseRef(git: GitContext, branch: string): Promise<string | null> {
  const text = (await readRegular(join(git.common, refOf(branch)), 100)) ?? ''
  return /^[0-9a-f]{40}([0-9a-f]{24})?\n$/.test(text) ? text.trim() : null
}

/**
 * The branch that is checked out and its commit, read in the same way. Also null if HEAD is detached. Then the caller
 * has to ask git.
 */
export async function readHeadFile(
  git: GitContext,
  gitDir: string,
): Promise<{ branch: string; commit: string } | null> {
  if (gitDir !== git.common) {
    // Git trusts this file, and a developer in the worktree can write it: it could point to another repository's refs.
    const shared = await readRegular(join(gitDir, 'commondir'), longestLink)
    if (shared === null || resolve(gitDir, shared.trim()) !== git.common) return null
  }
  const text = (await readRegular(join(gitDir, 'HEAD'), longestHead)) ?? ''
  const branch = /^ref: refs\/heads\/(.+)\n$/.exec(text)?.[1]
  const commit = branch === undefined ? null : await readLooseRef(git, branch)
  return branch === undefined || commit === null ? null : { branch, commit }
}

const longestHead = 4096

/** The commit of a branch, or null. */
export async function readBranch(git: GitContext, branch: string): Promise<string | null> {
  const loose = await readLooseRef(git, branch)
  if (loose !== null) return loose
  await refuseSpecial(join(git.common, refOf(branch)))
  const args = ['rev-parse', '--verify', '-q', `${refOf(branch)}^{commit}`]
  const { code, stdout } = await git.run(args, { cwd: git.common, ok: [0, 1, 128] })
  return code === 0 ? stdout.toString('utf8').trim() : null
}

/** Git would wait for a pipe until the timeout. */
async function refuseSpecial(file: string): Promise<void> {
  const stat = await lstat(file).catch(() => null)
  if (stat && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink())
    throw new VcsError(
      `${file} is not a ref, and git would wait for it forever.`,
      'Delete it, then try again.',
    )
}

/** Whether the later commit has the earlier one in its history. Every commit has itself. */
export async function isAncestor(git: GitContext, earlier: string, later: string): Promise<boolean> {
  if (earlier === later) return true
  const args = ['--bare', 'merge-base', '--is-ancestor', earlier, later]
  return (await git.run(args, { cwd: git.common, ok: [0, 1] })).code === 0
}

export function refOf(branch: string): string {
  return `refs/heads/${branch}`
}

/** Room for a path with a word before it. */
const longestLink = 16 * 1024

type Link =
  | { kind: 'linked'; gitDir: string }
  /** The folder has no `.git`, has become its own repository, or belongs to a git folder elsewhere. */
  | { kind: 'absent' | 'replaced' | 'astray' }

/**
 * Reads the file that ties a worktree to the repository. Without it git would search the parent folders and find the
 * person's own checkout. So this must be checked before any command runs in a worktree.
 */
export async function readLink(git: GitContext, path: string): Promise<Link> {
  const file = join(path, '.git')
  const stat = await lstat(file).catch(() => null)
  if (!stat) return { kind: 'absent' }
  if (!stat.isFile()) return { kind: 'replaced' }
  const target = /^gitdir: (.+)$/m.exec((await readRegular(file, longestLink)) ?? '')?.[1]
  if (target === undefined) return { kind: 'astray' }
  const gitDir = resolve(path, target.trim())
  const back = await readRegular(join(gitDir, 'gitdir'), longestLink)
  const ours = dirname(gitDir) === join(git.common, 'worktrees') && back !== null
  return ours && resolve(gitDir, back.trim()) === file ? { kind: 'linked', gitDir } : { kind: 'astray' }
}

/** The git folder of a loop's worktree. VcsError if the worktree is gone. */
export async function requireLink(git: GitContext, path: string): Promise<string> {
  const link = await readLink(git, path)
  if (link.kind === 'linked') return link.gitDir
  throw new VcsError(
    `${path} is no longer a worktree of this repository.`,
    'Move what you need out of that folder and delete it. Then run umpire retry, which creates it again from its branch.',
  )
}

interface RawCommit {
  sha: string
  tree: string
  message: string
}

/**
 * Commits as they are stored. Not read with `git log`, because a person's settings can make that print more. Null for a
 * missing commit.
 */
export async function readCommits(
  git: GitContext,
  cwd: string,
  revisions: string[],
): Promise<(RawCommit | null)[]> {
  const { stdout } = await git.run(['cat-file', '--batch'], { cwd, stdin: `${revisions.join('\n')}\n` })
  let at = 0
  return revisions.map(() => {
    const lineEnd = stdout.indexOf('\n', at)
    const [sha = '', type, size] = stdout.toString('utf8', at, lineEnd).split(' ')
    at = lineEnd + 1
    if (size === undefined) return null
    const text = stdout.toString('utf8', at, at + Number(size))
    at += Number(size) + 1
    if (type !== 'commit') return null
    const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1] ?? ''
    return { sha, tree, message: text.slice(text.indexOf('\n\n') + 2).trim() }
  })
}

export async function readCommit(git: GitContext, cwd: string, revision: string): Promise<RawCommit> {
  const [found] = await readCommits(git, cwd, [revision])
  if (!found) throw new VcsError(`The repository has no commit ${revision}.`)
  return found
}
