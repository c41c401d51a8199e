/** Removes the branch that gathered a group's work, with the record of where it is, once the base has all of it. */

import type { RemovedWork } from '../../landings.ts'
import { type GitContext, isAncestor, mainRoot, readBranch, refOf } from '../context.ts'
import { whatReplaced } from '../own-refs.ts'
import { gitFailure } from '../run.ts'
import { holdersOf, readHolders } from '../worktree/holders.ts'
import { readGroupRecord, recordOf } from './group-branch.ts'
import { noFollowing, updateRefs } from './waiting.ts'

export async function removeGroup(git: GitContext, branch: string, base: string): Promise<RemovedWork> {
  const record = await readGroupRecord(git, branch)
  // What has no record is none of ours, or was never made.
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
