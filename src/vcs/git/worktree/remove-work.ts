/**
 * Removes a loop's branch and worktree, but never the only copy of anything. Completed work goes only once its base
 * contains it. The work of a cancelled loop is first saved under its own ref. What a person has checked out, locked or
 * changed stays.
 */
import { lstat, readdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import type { RemovedWork } from '../../landings.ts'
import {
  type GitContext,
  isAncestor,
  mainRoot,
  readBranch,
  readLink,
  refOf,
  worktreePath,
} from '../context.ts'
import { dropWaiting, noFollowing, updateRefs } from '../land/waiting.ts'
import { dropBegun } from '../merge/begun-merge.ts'
import { dropStart } from '../merge/keep-start.ts'
import { whatReplaced } from '../own-refs.ts'
import { gitFailure } from '../run.ts'
import { readHolders } from './holders.ts'
import { commitAside, keptRefs } from './keep-aside.ts'
import { type Checkout, isClean, type Look, lookThrough, requireCheckout } from './look.ts'
import { findUnfinished } from './restore-branch.ts'
import { forgetWorktree } from './worktree.ts'

export async function isMerged(git: GitContext, place: Place, sha: string): Promise<boolean> {
  const base = await readBranch(git, place.base)
  return base !== null && isAncestor(git, sha, base)
}

export async function removeWork(
  git: GitContext,
  place: Place,
  how: 'merged' | 'cancelled',
): Promise<RemovedWork> {
  // If the branch was replaced, it is unknown what is merged.
  const replaced = await whatReplaced(git, place.branch)
  if (replaced !== null) return { kind: 'kept', why: replaced }
  const [was, there] = await Promise.all([readBranch(git, place.branch), findFolder(git, place)])
  if (was === null && there === 'absent') return { kind: 'absent' }
  await dropWaiting(git, place.base)
  const work = there === 'worktree' ? await readWork(git, place) : null
  const why =
    (there === 'foreign' ? `${worktreePath(git, place)} is no longer the loop’s worktree` : null) ??
    (await findHolder(git, place)) ??
    (work && (await findOwnWork(git, work))) ??
    (how === 'merged' ? await findUnmerged(git, place, was, work) : null)
  if (why !== null) return { kind: 'kept', why }

  const kept = how === 'cancelled' ? await keepRest(git, place, was, work) : null
  await removeFolder(git, worktreePath(git, place))
  if (was !== null) await removeBranch(git, place, was)
  await dropStart(git, place)
  await dropBegun(git, place)
  return { kind: 'removed', was, kept }
}

interface Work extends Checkout {
  seen: Look
}

async function readWork(git: GitContext, place: Place): Promise<Work> {
  const checkout = await requireCheckout(git, place)
  return { ...checkout, seen: await lookThrough(git, checkout) }
}

/** `foreign`: not ours to delete, or no longer tied to the repository. An empty folder counts as absent. */
async function findFolder(git: GitContext, place: Place): Promise<'worktree' | 'absent' | 'foreign'> {
  const path = worktreePath(git, place)
  const above = await lstat(dirname(path)).catch(() => null)
  if (above && !above.isDirectory()) return 'foreign'
  const stat = await lstat(path).catch(() => null)
  if (!stat) return 'absent'
  if (!stat.isDirectory()) return 'foreign'
  if ((await readLink(git, path)).kind === 'linked') return 'worktree'
  return (await readdir(path)).length === 0 ? 'absent' : 'foreign'
}

/** Another checkout of the branch, or a lock on the worktree. */
async function findHolder(git: GitContext, place: Place): Promise<string | null> {
  const own = worktreePath(git, place)
  for (const { path, branch, locked } of await readHolders(git)) {
    if (path === own && locked) return `the worktree is locked (git worktree unlock ${own})`
    if (path !== own && branch === place.branch) return `the branch is checked out at ${path}`
  }
  return null
}

/**
 * Commits in a worktree's submodule exist only in that worktree's git folder. Commits of a repository inside the
 * worktree exist only there.
 */
async function findOwnWork(git: GitContext, { gitDir, path }: Checkout): Promise<string | null> {
  const modules = await readdir(join(gitDir, 'modules')).catch(() => [])
  const byHand = `git worktree remove --force ${path}`
  if (modules.length > 0)
    return `${path} has its own submodules, whose commits may exist nowhere else (${byHand})`
  const nested = await findNested(git, path)
  switch (nested.kind) {
    case 'none':
      return null
    case 'found':
      return `${join(path, nested.folder)} is a separate repository, whose commits may exist nowhere else (${byHand})`
    case 'too many':
      return `${path} contains too many ignored folders to check whether one is a separate repository (${byHand})`
  }
}

async function findUnmerged(
  git: GitContext,
  place: Place,
  was: string | null,
  work: Work | null,
): Promise<string | null> {
  if (work) {
    const { seen, gitDir, path } = work
    const unfinished = await findUnfinished(gitDir)
    if (unfinished !== null) return `a ${unfinished} is in progress in ${path}`
    const count = seen.changes.length
    if (!isClean(seen))
      return `it has uncommitted changes: ${count} ${count === 1 ? 'file' : 'files'} in ${path}`
    if (seen.branch !== place.branch) return `${path} is not on the branch ${place.branch}`
  }
  if (was === null || (await isMerged(git, place, was))) return null
  return `the branch ${place.branch} has commits that ${place.base} does not have`
}

/**
 * Saves everything under one ref: the files, the commit at HEAD and the branch. Null if the base contains all of it.
 */
async function keepRest(
  git: GitContext,
  place: Place,
  was: string | null,
  work: Work | null,
): Promise<string | null> {
  const dirty = work !== null && !(isClean(work.seen) && work.seen.branch === place.branch)
  const heads = [...new Set([dirty ? work.seen.head : '', was ?? ''])].filter((sha) => sha !== '')
  const tip = dirty ? await commitAside(git, work, work.seen, heads, `What was left of ${place.branch}`) : was
  if (tip === null || (await isMerged(git, place, tip))) return null
  const name = place.branch.replace(/^umpire\//, '')
  for (let number = 1; ; number++) {
    const ref = `${keptRefs}/${name}${number === 1 ? '' : `-${number}`}`
    const { code, stdout } = await git.run(['rev-parse', '--verify', '-q', `${ref}^{commit}`], {
      cwd: mainRoot(git),
      ok: [0, 1, 128],
    })
    const before = code === 0 ? stdout.toString('utf8').trim() : null
    // A worker saved it and was killed before it deleted the branch.
    if (before !== null && (await isAncestor(git, tip, before))) return ref
    if (before !== null && !(await isAncestor(git, before, tip))) continue
    const line = before === null ? `create ${ref} ${tip}` : `update ${ref} ${tip} ${before}`
    const put = await updateRefs(git, 'umpire: keep what was cancelled', [noFollowing, line])
    if (put.code !== 0) throw gitFailure(['update-ref'], put, git.limits.commandMs)
    return ref
  }
}

/** Also works if only the folder or only git's entry is left. */
async function removeFolder(git: GitContext, path: string): Promise<void> {
  await git.guard()
  const removeEmpty = (folder: string) => rmdir(folder).catch(() => {})
  await removeEmpty(path)
  await forgetWorktree(git, path)
  if ((await lstat(path).catch(() => null)) !== null)
    throw new VcsError(`Git could not remove the worktree ${path}.`, 'Remove it yourself, then try again.')
  await removeEmpty(dirname(path))
}

async function removeBranch(git: GitContext, place: Place, was: string): Promise<void> {
  const gone = await updateRefs(git, 'umpire: clean', [noFollowing, `delete ${refOf(place.branch)} ${was}`])
  if (gone.code !== 0) {
    throw new VcsError(
      `The branch ${place.branch} could not be deleted, because it moved just now.`,
      'Inspect it, then try again.',
    )
  }
  const section = ['config', '--local', '--remove-section', `branch.${place.branch}`]
  await git.run(section, { cwd: mainRoot(git), mode: 'write', ok: [0, 5, 128] })
}

type Nested = { kind: 'none' } | { kind: 'found'; folder: string } | { kind: 'too many' }

/** Enough for all packages of a large project. */
const mostFolders = 50_000

/** Finds a repository in ignored folders, where git lists no changes. Follows no links. */
async function findNested(git: GitContext, path: string): Promise<Nested> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const { stdout } = await git.run(args, { cwd: path, maxBytes: 64 * 1024 * 1024 })
  const listed = stdout.toString('utf8').split('\0')
  // Git lists a whole folder with a slash at the end, and a repository like a folder.
  const folders = listed.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1))
  // Nearest first: a repository made by hand is not deep inside packages.
  for (const [index, folder] of folders.entries()) {
    if (index >= mostFolders) return { kind: 'too many' }
    const entries = await readdir(join(path, folder), { withFileTypes: true }).catch(() => [])
    if (entries.some(({ name }) => name === '.git')) return { kind: 'found', folder }
    for (const entry of entries) if (entry.isDirectory()) folders.push(`${folder}/${entry.name}`)
  }
  return { kind: 'none' }
}

/**
 * Removes the worktree of a loop whose work is merged. The branch stays, and so does the worktree if it has anything
 * that exists nowhere else.
 */
export async function dropWorktree(
  git: GitContext,
  place: Place,
  sha: string,
): Promise<'dropped' | 'kept' | 'absent'> {
  const path = worktreePath(git, place)
  if ((await readLink(git, path)).kind !== 'linked') return 'absent'
  const checkout = await requireCheckout(git, place)
  const seen = await lookThrough(git, checkout)
  const isAsMerged = seen.head === sha && seen.branch === place.branch && isClean(seen)
  if (!isAsMerged || (await findUnfinished(checkout.gitDir)) !== null) return 'kept'
  if ((await findHolder(git, place)) !== null || (await findOwnWork(git, checkout)) !== null) return 'kept'
  if (await hasStrayCommits(git, checkout.gitDir)) return 'kept'
  await removeFolder(git, path)
  return 'dropped'
}

const longestLog = 16 * 1024 * 1024

/**
 * Whether HEAD was at a commit here that no ref contains: it was amended or reset away, and only this reflog has it.
 */
async function hasStrayCommits(git: GitContext, gitDir: string): Promise<boolean> {
  const log = await readRegular(join(gitDir, 'logs', 'HEAD'), longestLog)
  if (log === null) return false
  const seen = new Set(log.match(/^[0-9a-f]+ [0-9a-f]+/gm)?.flatMap((line) => line.split(' ')))
  const commits = [...seen].filter((sha) => !/^0+$/.test(sha))
  const stdin = commits.map((sha) => `${sha}\n`).join('')
  // A commit that git has already deleted is lost anyway.
  const args = ['--bare', 'rev-list', '--ignore-missing', '--max-count=1', '--stdin', '--not', '--all']
  const { stdout } = await git.run(args, { cwd: git.common, stdin })
  return stdout.length > 0
}
