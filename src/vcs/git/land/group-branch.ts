/**
 * The branch on which the approved work of a group is gathered. Nobody works on it; but it lies where developers can
 * write, so a ref of our own that is written together with it says where it really is. What somebody else put onto the
 * branch is kept beside it and is never built on.
 */
import { VcsError } from '../../../core/errors.ts'
import type { Advance, Into } from '../../vcs.ts'
import { type GitContext, isAncestor, readBranch, refOf } from '../context.ts'
import { mendBranch, whatReplaced } from '../own-refs.ts'
import { failed } from '../run.ts'
import { holdersOf, readHolders } from '../worktree/holders.ts'
import { keptRefs } from '../worktree/keep-aside.ts'
import { noFollowing, updateRefs } from './waiting.ts'

const records = 'refs/umpire/groups'

/** Where the branch is that work is merged into, or where it would begin. */
export async function readInto(git: GitContext, { branch, from }: Into): Promise<string> {
  if (from !== undefined) return readGroup(git, branch, from)
  const commit = await readBranch(git, branch)
  if (commit !== null) return commit
  throw new VcsError(
    `The branch ${branch}, which the work is for, is gone.`,
    `Make it again: git branch ${branch} COMMIT (git reflog shows where it was).`,
  )
}

async function readGroup(git: GitContext, branch: string, from: string): Promise<string> {
  const at = await readGroupRecord(git, branch)
  if (at === null) return from
  if (await isAncestor(git, from, at)) return at
  throw new VcsError(
    `The branch ${branch} is not based on ${from.slice(0, 10)}, where the work of its group began.`,
    `It may be from an earlier time. Keep what you need of it, then: git branch -D ${branch}; git update-ref -d ${recordOf(branch)}`,
  )
}

export function recordOf(branch: string): string {
  if (!/^umpire\/[A-Za-z0-9._/-]+$/.test(branch))
    throw new VcsError(`The branch ${branch} is none of Umpire's own.`)
  return `${records}/${branch.slice('umpire/'.length)}`
}

/** Where the branch is, as we put it; null when there is none yet. */
export async function readGroupRecord(git: GitContext, branch: string): Promise<string | null> {
  const args = ['--bare', 'rev-parse', '--verify', '-q', `${recordOf(branch)}^{commit}`]
  const { code, stdout } = await git.run(args, { cwd: git.common, ok: [0, 1, 128] })
  return code === 0 ? stdout.toString('utf8').trim() : null
}

export async function advanceGroup(
  git: GitContext,
  { branch, from: began }: { branch: string; from: string },
  from: string,
  to: string,
): Promise<Advance> {
  const now = await readGroup(git, branch, began)
  // Moved by a worker that died before it could say so, or by somebody else.
  if (now !== from) return (await isAncestor(git, to, now)) ? advanced : { kind: 'moved' }
  if (!(await isAncestor(git, from, to))) throw new VcsError(`${to} is not based on ${from}.`)
  const [viewer] = holdersOf(await readHolders(git), branch)
  if (viewer) {
    throw new VcsError(
      `The branch ${branch} can't be moved, because it is checked out at ${viewer.path}.`,
      'Switch that checkout to another branch, then try again.',
    )
  }
  const record = recordOf(branch)
  const before = await readGroupRecord(git, branch)
  const lines = [
    ...(await linesForBranch(git, branch, before, to)),
    noFollowing,
    before === null ? `create ${record} ${to}` : `update ${record} ${to} ${before}`,
  ]
  const moved = await updateRefs(git, 'umpire: gather approved work', lines)
  if (moved.code === 0) return advanced
  if ((await readGroupRecord(git, branch)) === before)
    throw failed(['update-ref'], moved, git.limits.commandMs)
  return { kind: 'moved' }
}

const advanced: Advance = { kind: 'advanced', checkout: null }

async function linesForBranch(
  git: GitContext,
  branch: string,
  record: string | null,
  to: string,
): Promise<string[]> {
  const ref = refOf(branch)
  const replaced = await whatReplaced(git, branch)
  // A link is taken away, and what it leads to left alone.
  if (replaced !== null && record !== null) await mendBranch(git, branch, record)
  const at = replaced !== null && record === null ? replaced : await readBranch(git, branch)
  if (at === null) return [noFollowing, `create ${ref} ${to}`]
  if (record === null) {
    throw new VcsError(
      `There is already a branch ${branch}, which is not Umpire's.`,
      `Rename it: git branch -m ${branch} OTHER-NAME.`,
    )
  }
  const foreign = at !== record && !(await isAncestor(git, at, to))
  const kept = foreign ? [`update ${keptRefs}/${branch.slice('umpire/'.length)}/${at} ${at}`] : []
  return [...kept, noFollowing, `update ${ref} ${to} ${at}`]
}
