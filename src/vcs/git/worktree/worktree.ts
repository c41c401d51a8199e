/**
 * A loop's worktree: created once and found again later. Opening never deletes content, except a partial checkout that
 * was killed before anyone could work in it.
 */

import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import { exists } from '../../../lib/file/exists.ts'
import { readRegular } from '../../../lib/file/read-regular.ts'
import type { ExecResult } from '../../../lib/process/exec.ts'
import type { CheckoutNeeds, OpenWorktree } from '../../worktrees.ts'
import { type GitContext, mainRoot, readHeadFile, readLink, refOf, worktreePath } from '../context.ts'
import { dropStart } from '../merge/keep-start.ts'
import { mendBranch } from '../own-refs.ts'
import { gitFailure } from '../run.ts'
import { prepareCheckout, wasPrepared } from './prepare-checkout.ts'

/** A living process gets this long to finish its checkout before the partial checkout is removed. */
const unfinishedMs = 10_000

/** Many loops begin at the same commit. */
const mostTrees = 1_000

const longestLog = 64 * 1024 * 1024

export async function openWorktree(
  git: GitContext,
  place: Place,
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<OpenWorktree> {
  const path = worktreePath(git, place)
  await mendBranch(git, place.branch, place.start ?? place.baseCommit)
  const found = await findWorktree(git, path)
  const gitDir = found ?? (await makeWorktree(git, place, path, signal))
  if (found === null) await dropStart(git, place)
  const { head, tree } = await readHead(git, place, path, gitDir)
  await prepareCheckout({ path, gitDir, source: mainRoot(git) }, needs, signal)
  return { path, head, tree }
}

/**
 * Creates the worktree again from the branch if it was deleted by hand, or by a cleanup while the task was cancelled.
 * The next caller that runs something in it prepares it.
 */
export async function remakeWorktree(git: GitContext, place: Place, signal: AbortSignal): Promise<void> {
  const path = worktreePath(git, place)
  if (!(await exists(path))) await makeWorktree(git, place, path, signal)
}

/** The git folder of the existing worktree, or null if there is none and one can be created. */
async function findWorktree(git: GitContext, path: string): Promise<string | null> {
  const stat = await lstat(path).catch(() => null)
  if (!stat) return null
  if (!stat.isDirectory()) throw inTheWay(path)
  let link = await readLink(git, path)
  if (link.kind === 'astray') {
    // The repository was moved, so both ends of the link name the old path.
    await git.run(['worktree', 'repair', path], { cwd: mainRoot(git), ok: [0, 1, 128], mode: 'write' })
    link = await readLink(git, path)
  }
  if (link.kind === 'absent' && (await readdir(path)).length === 0) return null
  if (link.kind !== 'linked') throw inTheWay(path)
  if (await isFilled(link.gitDir)) return link.gitDir
  await forgetWorktree(git, path)
  return null
}

/**
 * Git writes the index when all files are there. A worktree with neither an index nor a record of ours was never used.
 * A worktree that lost its index later contains work.
 */
async function isFilled(gitDir: string): Promise<boolean> {
  const there = (name: string) => exists(join(gitDir, name))
  const deadline = Date.now() + unfinishedMs
  while (!(await there('index'))) {
    if (await wasPrepared(gitDir)) return true
    if (!(await there('index.lock')) || Date.now() > deadline) return there('index')
    await delay(50)
  }
  return true
}

async function makeWorktree(
  git: GitContext,
  place: Place,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const { branch, baseCommit, start = baseCommit } = place
  let added = await addWorktree(git, ['--no-track', '-b', branch, path, start], signal)
  if (/a branch named .* already exists/.test(added.stderr))
    added = await addWorktree(git, [path, branch], signal)
  if (/missing but (already registered|locked) worktree/.test(added.stderr)) {
    // The folder was deleted by hand. Forget only this entry: others may be on a disk that is not mounted.
    await forgetWorktree(git, path)
    added = await addWorktree(git, [path, branch], signal)
  }
  const link = await readLink(git, path)
  // A post-checkout hook that fails does not undo the checkout. Git only passes on its exit code.
  if (link.kind === 'linked' && (await isFilled(link.gitDir))) return link.gitDir
  throw notAdded(git, place, path, added)
}

/** A branch name never looks like an option: git itself refuses names that begin with a dash. */
export async function addWorktree(git: GitContext, args: string[], signal: AbortSignal): Promise<ExecResult> {
  const call = { cwd: mainRoot(git), mode: 'hooks', limitMs: git.limits.checkoutMs } as const
  for (let tries = 1; ; tries += 1) {
    const added = await git.run(['worktree', 'add', '-q', ...args], call, signal)
    if (added.code === 0 || tries === mostTries || !metHalfMade.test(added.stderr)) return added
    await delay(20 * tries, undefined, { signal })
  }
}

/** Git first reads all worktrees, and gives up at one that another git is just creating. */
const metHalfMade = /failed to read .*\/worktrees\/.*: Success/
const mostTries = 20

/** Removes a worktree from git's list, and its folder. Git follows no links out of it. */
export async function forgetWorktree(git: GitContext, path: string): Promise<void> {
  const args = ['worktree', 'remove', '--force', '--force', path]
  await git.run(args, { cwd: mainRoot(git), ok: [0, 128], mode: 'write', limitMs: git.limits.checkoutMs })
}

async function readHead(git: GitContext, place: Place, path: string, gitDir: string) {
  const plain = await readHeadFile(git, gitDir)
  const known = plain && git.shared.trees.get(plain.commit)
  if (plain && known !== null && known !== undefined) return { head: plain.commit, tree: known }
  const found = await askHead(git, path)
  if (found !== null) return found
  // The branch was deleted under the worktree. The worktree's own log still knows where it was.
  const last = lastLogged((await readRegular(join(gitDir, 'logs', 'HEAD'), longestLog)) ?? '')
  if (last !== null) {
    const create = [
      'update-ref',
      '--no-deref',
      '-m',
      'umpire: the branch was gone',
      refOf(place.branch),
      last,
    ]
    await git.run(create, { cwd: path, ok: [0, 128], mode: 'write' })
  }
  const again = await askHead(git, path)
  if (again !== null) return again
  throw new VcsError(
    `The branch ${place.branch} of the worktree ${path} is gone.`,
    `Create it again at its old commit: git branch ${place.branch} COMMIT (git reflog shows it).`,
  )
}

async function askHead(git: GitContext, cwd: string): Promise<{ head: string; tree: string } | null> {
  const { code, stdout } = await git.run(['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}'], { cwd, ok: [0, 128] })
  const [head, tree] = stdout.toString('utf8').split('\n')
  if (code !== 0 || !head || !tree) return null
  const { trees } = git.shared
  if (trees.size >= mostTrees) trees.clear()
  trees.set(head, tree)
  return { head, tree }
}

function lastLogged(log: string): string | null {
  const line = log.trimEnd().split('\n').at(-1) ?? ''
  const sha = /^[0-9a-f]+ ([0-9a-f]+) /.exec(line)?.[1] ?? null
  return sha !== null && /[^0]/.test(sha) ? sha : null
}

function inTheWay(path: string): VcsError {
  return new VcsError(
    `${path} is in the way: it is not a worktree of this repository.`,
    'Move it elsewhere, or delete it if you do not need it. Then run umpire retry.',
  )
}

function notAdded(git: GitContext, place: Place, path: string, added: ExecResult): VcsError {
  const elsewhere = /is already (?:checked out|used by worktree) at '(.+)'/.exec(added.stderr)?.[1]
  if (elsewhere !== undefined) {
    return new VcsError(
      `The branch ${place.branch} is checked out at ${elsewhere}.`,
      'Switch that checkout to another branch, then run umpire retry.',
    )
  }
  if (/already exists/.test(added.stderr) && added.stderr.includes(path)) return inTheWay(path)
  return gitFailure(['worktree add'], added, git.limits.checkoutMs)
}
