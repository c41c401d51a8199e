/**
 * The branch that collects the approved work of a group. No one works on it, but developers can write where it is
 * stored. So a ref of our own, written together with it, records where it really is. Commits that others put onto the
 * branch are kept separately and never built on.
 */
import { VcsError } from '../../../core/errors.ts'
import type { Advance, RemovedWork } from '../../landings.ts'
import type { Into } from '../../merges.ts'
import { type GitContext, isAncestor, mainRoot, readBranch, refOf } from '../context.ts'
import { mendBranch, whatReplaced } from '../own-refs.ts'
import { gitFailure } from '../run.ts'
import { holdersOf, readHolders } from '../worktree/holders.ts'
import { keptRefs } from '../worktree/keep-aside.ts'
import { noFollowing, updateRefs } from './waiting.ts'

const records = 'refs/umpire/groups'

/** The commit of the branch that work is merged into, or where that branch would start. */
export async function readInto(git: GitContext, { branch, from }: Into): Promise<string> {
  if (from !== undefined) return readGroup(git, branch, from)
  const commit = await readBranch(git, branch)
  if (commit !== null) return commit
  throw new VcsError(
    `The branch ${branch}, into which the work should be merged, is gone.`,
    `Create it again: git branch ${branch} COMMIT (git reflog shows where it was).`,
  )
}

async function readGroup(git: GitContext, branch: string, from: string): Promise<string> {
  const at = await readGroupRecord(git, branch)
  if (at === null) return from
  if (await isAncestor(git, from, at)) return at
  throw new VcsError(
    `The branch ${branch} is not based on ${from.slice(0, 10)}, where its group’s work began.`,
    `It may be left over from earlier. Save what you need from it, then: git branch -D ${branch}; git update-ref -d ${recordOf(branch)}`,
  )
}

function recordOf(branch: string): string {
  if (!/^umpire\/[A-Za-z0-9._/-]+$/.test(branch))
    throw new VcsError(`The branch ${branch} is not one of Umpire's own.`)
  return `${records}/${branch.slice('umpire/'.length)}`
}

/** The commit that we put the branch at. Null if there is none yet. */
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
  // A worker that died before recording it moved the branch, or another process did.
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
    throw gitFailure(['update-ref'], moved, git.limits.commandMs)
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
  // Remove a link, but leave its target alone.
  if (replaced !== null && record !== null) await mendBranch(git, branch, record)
  const at = replaced !== null && record === null ? replaced : await readBranch(git, branch)
  if (at === null) return [noFollowing, `create ${ref} ${to}`]
  if (record === null) {
    throw new VcsError(
      `A branch ${branch} already exists and is not Umpire's.`,
      `Rename it: git branch -m ${branch} OTHER-NAME.`,
    )
  }
  const foreign = at !== record && !(await isAncestor(git, at, to))
  const kept = foreign ? [`update ${keptRefs}/${branch.slice('umpire/'.length)}/${at} ${at}`] : []
  return [...kept, noFollowing, `update ${ref} ${to} ${at}`]
}

/** Removes a group's branch and its record once the base contains all of it. */
export async function removeGroup(git: GitContext, branch: string, base: string): Promise<RemovedWork> {
  const record = await readGroupRecord(git, branch)
  // A branch without a record is not ours, or was never created.
  if (record === null) return { kind: 'absent' }
  const replaced = await whatReplaced(git, branch)
  if (replaced !== null) return { kind: 'kept', why: replaced }
  const [was, into] = await Promise.all([readBranch(git, branch), readBranch(git, base)])
  for (const commit of [record, was])
    if (commit !== null && (into === null || !(await isAncestor(git, commit, into))))
      return { kind: 'kept', why: `the branch ${branch} has commits that ${base} does not have` }
  const [viewer] = holdersOf(await readHolders(git), branch)
  if (viewer) return { kind: 'kept', why: `the branch is checked out at ${viewer.path}` }
  await git.guard()
  const gone = await updateRefs(git, 'umpire: clean', [
    ...(was === null ? [] : [noFollowing, `delete ${refOf(branch)} ${was}`]),
    noFollowing,
    `delete ${recordOf(branch)} ${record}`,
  ])
  if (gone.code !== 0) throw gitFailure(['update-ref'], gone, git.limits.commandMs)
  const section = ['config', '--local', '--remove-section', `branch.${branch}`]
  await git.run(section, { cwd: mainRoot(git), mode: 'write', ok: [0, 5, 128] })
  return { kind: 'removed', was, kept: null }
}
