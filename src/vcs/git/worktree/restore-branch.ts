/**
 * Checks what a developer did to its branch. It may commit, but it must not move the branch to a commit without the
 * recorded one. If it does, HEAD, branch and index go back to the record and the files stay. So only the rewritten
 * history is lost, and that stays in the reflog.
 */

import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import { exists } from '../../../lib/file/exists.ts'
import {
  type GitContext,
  mainRoot,
  readHeadFile,
  readLink,
  refOf,
  requireLink,
  worktreePath,
} from '../context.ts'
import { forgetOwnMerge } from '../merge/begun-merge.ts'
import { clearGitFolder, clearUnreadable, mendBranch, putBranch } from '../own-refs.ts'
import { clearLocks } from './recover.ts'

type RestoredBranch = { kind: 'fine' } | { kind: 'restored'; what: string }

export async function restoreBranch(
  git: GitContext,
  place: Place,
  recorded: string,
): Promise<RestoredBranch> {
  const path = worktreePath(git, place)
  // The branch still has the record. The worktree is created again from it when it is next opened.
  if (!(await exists(path))) return { kind: 'restored', what: `the worktree was deleted: ${path}` }
  // Do this before calling git, which would follow a replaced branch or wait for it.
  const replaced = await mendBranch(git, place.branch, recorded)
  const unreadable = await clearUnreadable(git)
  const relinked = await restoreLink(git, path)
  const gitDir = await requireLink(git, path)
  const headless = await clearGitFolder(git, gitDir, place.branch)
  // The developer is gone. If it was killed during a git command, its lock would block every other git.
  await clearLocks(git, place)
  // A merge that Umpire started itself is fine.
  await forgetOwnMerge(git, place, gitDir)
  const [wrong, unfinished] = await Promise.all([
    findWrong(git, place, { path, gitDir }, recorded),
    findUnfinished(gitDir),
  ])
  const what = [
    replaced,
    unreadable,
    relinked,
    headless,
    unfinished && `a ${unfinished} was left half done`,
    wrong,
  ].filter((part) => part !== null)
  if (what.length === 0) return { kind: 'fine' }
  if (unfinished !== null) await quitOperations(git, path, gitDir)
  await restoreRecord(git, place, path, recorded)
  return { kind: 'restored', what: what.join('; ') }
}

/**
 * Sets HEAD to the branch, sets the branch and the index to the commit, and leaves the files alone. The reset goes to
 * HEAD, so it moves no branch.
 */
async function restoreRecord(git: GitContext, place: Place, path: string, sha: string): Promise<void> {
  await attachHead(git, place, path)
  await putBranch(git, path, place.branch, sha)
  await git.run(['reset', '-q', '--mixed'], { cwd: path, mode: 'write' })
}

export async function attachHead(git: GitContext, place: Place, path: string): Promise<void> {
  const args = ['symbolic-ref', '-m', 'umpire: back to the branch', 'HEAD', refOf(place.branch)]
  await git.run(args, { cwd: path, mode: 'write' })
}

async function findWrong(
  git: GitContext,
  place: Place,
  { path, gitDir }: { path: string; gitDir: string },
  recorded: string,
): Promise<string | null> {
  const plain = await readHeadFile(git, gitDir)
  if (plain?.branch === place.branch && plain.commit === recorded) return null
  const args = ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']
  const found = await git.run(args, { cwd: path, ok: [0, 128] })
  const [head, ref] = found.stdout.toString('utf8').split('\n')
  if (found.code !== 0 || !head || !ref) return `the branch ${place.branch} no longer has a commit`
  const short = head.slice(0, 10)
  if (ref === 'HEAD') return `HEAD was detached at ${short} instead of being on ${place.branch}`
  if (ref !== refOf(place.branch)) {
    return `${ref.replace('refs/heads/', '')} (at ${short}) was checked out instead of ${place.branch}`
  }
  if (head === recorded) return null
  const { code } = await git.run(['merge-base', '--is-ancestor', recorded, head], {
    cwd: path,
    ok: [0, 1, 128],
  })
  if (code === 128) {
    throw new VcsError(`The recorded commit ${recorded.slice(0, 10)} is no longer in the repository.`)
  }
  if (code === 0) return null
  const lost = `no longer contains the recorded commit ${recorded.slice(0, 10)}`
  return `${place.branch} (at ${short}) ${lost}: it was amended, rebased or reset`
}

/** Git's own files for an unfinished operation, and the command that ends it. */
const operations = [
  { name: 'rebase', files: ['rebase-merge'], quit: ['rebase', '--quit'] },
  { name: 'rebase', files: ['rebase-apply'], quit: ['rebase', '--quit'] },
  { name: 'patch series', files: ['rebase-apply'], quit: ['am', '--quit'] },
  { name: 'merge', files: ['MERGE_HEAD', 'MERGE_AUTOSTASH'], quit: ['merge', '--quit'] },
  { name: 'cherry-pick', files: ['CHERRY_PICK_HEAD', 'sequencer'], quit: ['cherry-pick', '--quit'] },
  { name: 'revert', files: ['REVERT_HEAD'], quit: ['revert', '--quit'] },
  { name: 'bisect', files: ['BISECT_LOG'], quit: null },
]

/** The name of the unfinished operation, or null. */
export async function findUnfinished(gitDir: string): Promise<string | null> {
  for (const { name, files } of operations) {
    for (const file of files) if (await exists(join(gitDir, file))) return name
  }
  return null
}

/**
 * Lets git end the operation if it can, because that also saves what it had stashed. Files that are left would make the
 * next commit part of the operation.
 */
async function quitOperations(git: GitContext, path: string, gitDir: string): Promise<void> {
  for (const { files, quit } of operations) {
    for (const file of files) {
      if (!(await exists(join(gitDir, file)))) continue
      if (quit !== null) await git.run(quit, { cwd: path, ok: [0, 1, 128, 129], mode: 'write' })
    }
  }
  const rest = operations.flatMap(({ files }) => files)
  for (const file of [
    ...rest,
    'MERGE_MSG',
    'MERGE_MODE',
    'SQUASH_MSG',
    'AUTO_MERGE',
    'BISECT_START',
    'BISECT_NAMES',
  ]) {
    await rm(join(gitDir, file), { recursive: true, force: true })
  }
}

/**
 * A developer may have deleted the worktree's `.git`, or turned the folder into its own repository. That repository is
 * kept next to the folder.
 */
async function restoreLink(git: GitContext, path: string): Promise<string | null> {
  const link = await readLink(git, path)
  if (link.kind === 'linked' || !(await exists(path))) return null
  if (link.kind === 'replaced') await rename(join(path, '.git'), `${path}.git-${Date.now()}`)
  if (link.kind === 'astray') await rm(join(path, '.git'), { force: true })
  await git.run(['worktree', 'repair'], { cwd: mainRoot(git), ok: [0, 1, 128], mode: 'write' })
  return "the worktree's link to the repository was removed or replaced"
}
