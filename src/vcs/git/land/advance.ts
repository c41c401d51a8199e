/**
 * Moves a base branch to a merged result. If the base is checked out, git itself updates files, index and branch at
 * once, and only if nothing of the user's is in the way. Otherwise the result waits on its own branch and the checkout
 * is not touched. Nothing is ever reset there: the user should see what a killed git left half done.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { VcsError } from '../../../core/errors.ts'
import { listed } from '../../../core/listed.ts'
import { oneLine } from '../../../lib/text/printable.ts'
import type { Advance } from '../../landings.ts'
import type { Into } from '../../merges.ts'
import { type GitContext, isAncestor, readBranch, refOf } from '../context.ts'
import { gitFailure, lastWords } from '../run.ts'
import { requireWhole } from '../verify-objects.ts'
import { type Holder, holdersOf, readHolders } from '../worktree/holders.ts'
import { findUnfinished } from '../worktree/restore-branch.ts'
import { advanceGroup, readInto } from './group-branch.ts'
import {
  droppable,
  dropWaiting,
  noHooks,
  readWaiting,
  updateRefs,
  type Waiting,
  withdrawWaiting,
} from './waiting.ts'

/**
 * The obstacle may be another git process: the user commits or switches branches, or another worker lands at the same
 * time. So it is checked twice.
 */
const settleMs = 150

export async function advance(git: GitContext, into: Into, from: string, to: string): Promise<Advance> {
  // Check as late as possible: other processes write into the same store while the gates run.
  await requireWhole(git, from, to)
  const { branch, from: began } = into
  if (began !== undefined) return advanceGroup(git, { branch, from: began }, from, to)
  let tried = await tryToAdvance(git, branch, from, to)
  if (tried.kind === 'obstructed') {
    await delay(settleMs)
    tried = await tryToAdvance(git, branch, from, to)
  }
  return tried.kind === 'obstructed' ? park(git, branch, tried) : tried
}

interface Obstructed {
  kind: 'obstructed'
  from: string
  to: string
  waiting: Waiting
  holders: Holder[]
  checkout: string
  why: string
}

async function tryToAdvance(
  git: GitContext,
  base: string,
  from: string,
  to: string,
): Promise<Advance | Obstructed> {
  const [at, waiting, holders] = await Promise.all([
    readInto(git, { branch: base }),
    readWaiting(git, base),
    readHolders(git),
  ])
  const [checkout, another] = holdersOf(holders, base)
  if (at !== from) {
    // A worker that died before recording it moved the branch, or another process did.
    if (!(await isAncestor(git, to, at))) return { kind: 'moved' }
    await dropWaiting(git, base)
    return { kind: 'advanced', checkout: checkout?.path ?? null }
  }
  if (!(await isAncestor(git, from, to))) throw new VcsError(`${to} is not based on ${from}.`)

  if (!checkout) {
    const lines = [`update ${refOf(base)} ${to} ${from}`, ...droppable(waiting, holders)]
    const moved = await updateRefs(git, 'umpire: land approved work', lines)
    if (moved.code === 0) return { kind: 'advanced', checkout: null }
    if (await stillThere(git, base, from, waiting))
      throw gitFailure(['update-ref'], moved, git.limits.commandMs)
    return { kind: 'moved' }
  }

  const why = another
    ? `it is checked out twice, at ${checkout.path} and at ${another.path}`
    : ((await findObstacle(git, checkout, to)) ?? (await fastForward(git, base, checkout, to)))
  if (why === null) {
    // The copy of earlier waiting results is obsolete now: what the base still lacks could not be merged with it.
    await withdrawWaiting(git, base)
    return { kind: 'advanced', checkout: checkout.path }
  }
  return { kind: 'obstructed', from, to, waiting, holders, checkout: checkout.path, why }
}

async function findObstacle(git: GitContext, checkout: Holder, to: string): Promise<string | null> {
  const { path, gitDir } = checkout
  if (gitDir === null) return `${path} does not exist (if it is gone for good: git worktree prune)`
  const unfinished = await findUnfinished(gitDir)
  if (unfinished !== null) return `a ${unfinished} is in progress in ${path}`
  const changed = await listChanged(git, path)
  if (changed.length === 0 || (await holdsAlready(git, path, to))) return null
  const lock = join(gitDir, 'index.lock')
  if (existsSync(lock)) return busy(path, lock)
  return `${path} has uncommitted changes: ${shortList(changed)}`
}

/** Tracked files only. Whether an untracked file is in the way shows when git tries. */
async function listChanged(git: GitContext, cwd: string): Promise<string[]> {
  const args = [
    'status',
    '--porcelain',
    '-z',
    '--no-renames',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
  ]
  const { stdout } = await git.run(args, { cwd, maxBytes: 64 * 1024 * 1024 })
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.slice(3))
}

/** A git process was killed after writing the files and before moving the branch. Finishing its work loses nothing. */
async function holdsAlready(git: GitContext, cwd: string, to: string): Promise<boolean> {
  for (const cached of [['--cached'], []]) {
    const { code } = await git.run(['diff-index', '--quiet', ...cached, to], { cwd, ok: [0, 1] })
    if (code !== 0) return false
  }
  return true
}

/** Null if base and checkout are moved, otherwise what was in the way. No hook runs in the person's checkout. */
async function fastForward(
  git: GitContext,
  base: string,
  { path: cwd }: Holder,
  to: string,
): Promise<string | null> {
  const args = [...noHooks, 'merge', '--ff-only', '--no-autostash', '--no-stat', '-q']
  // Without the last flag git would silently overwrite an ignored file that the new commit tracks.
  args.push('--no-verify-signatures', '--no-overwrite-ignore')
  const limitMs = git.limits.checkoutMs
  const origin = await readOrigin(git, cwd)
  const result = await git.run([...args, to], {
    cwd,
    mode: 'write',
    limitMs,
    ok: [0, 1, 2, 128],
    env: { GIT_REFLOG_ACTION: 'umpire' },
  })
  if ((await readBranch(git, base)) === to) return null
  await restoreOrigin(git, cwd, origin)
  if (/No space left on device/.test(result.stderr)) throw gitFailure(args, result, limitMs)
  const lock = /Unable to create '(.+\.lock)'/.exec(result.stderr)?.[1]
  if (lock) return busy(cwd, lock)
  const files = result.stderr.split('\n').filter((line) => line.startsWith('\t'))
  if (files.length > 0) return `files in ${cwd} would be overwritten: ${shortList(files)}`
  return `${cwd} can't be updated: ${oneLine(lastWords(result), 300)}`
}

/** Git records the old HEAD before it finds out that it can't continue. The user may still need that record. */
async function readOrigin(git: GitContext, cwd: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '-q', 'ORIG_HEAD']
  const { code, stdout } = await git.run(args, { cwd, ok: [0, 1, 128] })
  return code === 0 ? stdout.toString('utf8').trim() : null
}

async function restoreOrigin(git: GitContext, cwd: string, origin: string | null): Promise<void> {
  const args = origin === null ? ['-d', 'ORIG_HEAD'] : ['ORIG_HEAD', origin]
  await git.run([...noHooks, 'update-ref', '--no-deref', ...args], { cwd, mode: 'write', ok: [0, 1, 128] })
}

function busy(path: string, lock: string): string {
  return `another git process is running in ${path}, or was killed there (${lock})`
}

async function park(git: GitContext, base: string, obstructed: Obstructed): Promise<Advance> {
  const { from, to, waiting, holders, checkout, why } = obstructed
  const { branch } = waiting
  const [viewer] = holdersOf(holders, branch)
  if (waiting.at !== to) {
    if (viewer) {
      throw new VcsError(
        `The result can't wait on ${branch}, because that branch is checked out at ${viewer.path}.`,
        'Switch that checkout to another branch, then try again.',
      )
    }
    const lines = [`verify ${refOf(base)} ${from}`, ...waiting.put(to)]
    const put = await updateRefs(git, 'umpire: wait for the checkout', lines)
    if (put.code !== 0) {
      if (await stillThere(git, base, from, waiting))
        throw gitFailure(['update-ref'], put, git.limits.commandMs)
      return { kind: 'moved' }
    }
  }
  return { kind: 'waits', checkout, branch, ref: waiting.record, why }
}

/** Whether the refs are still where they were, so that git failed for another reason. */
async function stillThere(git: GitContext, base: string, from: string, waiting: Waiting): Promise<boolean> {
  const [at, now] = await Promise.all([readBranch(git, base), readWaiting(git, base)])
  return at === from && now.branch === waiting.branch && now.at === waiting.at
}

function shortList(files: string[]): string {
  return listed(
    files.map((file) => oneLine(file, 60)),
    3,
  )
}
