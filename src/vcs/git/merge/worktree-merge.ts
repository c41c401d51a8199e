/**
 * A merge that an agent resolves in its loop's worktree. Umpire starts it there, and finishes it with a commit that has
 * both sides as parents, or gives it up. Umpire may be killed between any two lines: a merge whose start was not
 * completed is started again.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VcsError } from '../../../core/errors.ts'
import type { Place } from '../../../core/place.ts'
import type { MergeBegun, MergeFinished, MergeRequest } from '../../merges.ts'
import type { CheckoutNeeds } from '../../worktrees.ts'
import {
  type GitContext,
  isAncestor,
  mainRoot,
  readCommit,
  readLink,
  refOf,
  worktreePath,
} from '../context.ts'
import { umpireIdentity } from '../message.ts'
import { mendBranch, putBranch } from '../own-refs.ts'
import { requireWhole } from '../verify-objects.ts'
import { commit } from '../worktree/commit.ts'
import { discard } from '../worktree/discard.ts'
import { lookThrough, requireCheckout } from '../worktree/look.ts'
import { recover } from '../worktree/recover.ts'
import { snapshot } from '../worktree/snapshot.ts'
import { stageAll } from '../worktree/stage.ts'
import { openWorktree } from '../worktree/worktree.ts'
import {
  type BegunMerge,
  dropBegun,
  forgetMergeHead,
  forgetNote,
  isNoted,
  noteBegun,
  readBegun,
} from './begun-merge.ts'
import { findConflicts } from './conflicts.ts'
import { merge } from './merge.ts'

export async function beginWorktreeMerge(
  git: GitContext,
  place: Place,
  { recorded, other }: { recorded: string; other: string },
  needs: CheckoutNeeds,
  signal: AbortSignal,
): Promise<MergeBegun> {
  if (await isAncestor(git, other, recorded)) return { kind: 'contained' }
  await requireWhole(git, recorded, other)
  await mendBranch(git, place.branch, recorded)
  await openWorktree(git, place, needs, signal)
  const { path, gitDir } = await requireCheckout(git, place)
  const begun = await readBegun(git, place)
  if (begun && isThat(begun, recorded, other) && (await isNoted(gitDir, begun))) return toldOf(begun.files)
  // A worker committed it and died before it could record that.
  const { sha: head } = await readCommit(git, path, refOf(place.branch))
  if ((await isAncestor(git, recorded, head)) && (await isAncestor(git, other, head)))
    return { kind: 'clean' }

  await recover(git, place)
  await discard(git, place, recorded)
  const manner = { mode: 'write', env: umpireIdentity, limitMs: git.limits.checkoutMs } as const
  // The conflict markers name the other side as it is named here: by its hash, which no other line in the files
  // contains.
  const wanted = { commit: other, message: 'To be resolved' }
  const merged = await merge(git, path, wanted, { ...manner, uncommitted: true }, signal)
  const files = merged.kind === 'conflict' ? merged.files : []
  const tree = await snapshot(git, place, signal)
  await forgetMergeHead(git, gitDir)
  await noteBegun(git, place, gitDir, { recorded, other, tree, files })
  return toldOf(files)
}

function isThat(begun: BegunMerge, recorded: string, other: string): boolean {
  return begun.recorded === recorded && begun.other === other
}

function toldOf(files: string[]): MergeBegun {
  return files.length === 0 ? { kind: 'clean' } : { kind: 'conflict', files }
}

export async function finishMerge(
  git: GitContext,
  place: Place,
  request: MergeRequest,
  signal: AbortSignal,
): Promise<MergeFinished> {
  const { other, recorded } = request
  await mendBranch(git, place.branch, recorded)
  const checkout = await requireCheckout(git, place)
  const { path, gitDir } = checkout
  const [begun, head] = await Promise.all([readBegun(git, place), readCommit(git, path, 'HEAD')])
  const contained = await isAncestor(git, other, head.sha)
  if (begun && isThat(begun, recorded, other)) {
    // The files of the merge are gone, so there is nothing to commit. It has to be started again.
    if (!contained && !(await isNoted(gitDir, begun))) return { kind: 'unresolved', files: begun.files }
    const left = await findConflicts(git, begun, path, await snapshot(git, place, signal))
    if (left && (left.kind !== 'beyond' || request.beyond === 'refused')) return left
  } else if (!contained) {
    throw new VcsError(`The merge of ${other.slice(0, 10)} was never started in ${path}.`)
  }
  if (!contained) {
    await stageAll(git, checkout, await lookThrough(git, checkout))
    await git.guard()
    await writeFile(join(gitDir, 'MERGE_HEAD'), `${other}\n`)
  }
  const outcome = await commit(git, place, request, signal).catch(async (error) => {
    if (!contained) await forgetMergeHead(git, gitDir)
    throw error
  })
  if (outcome.kind === 'refused') {
    if (!contained) await forgetMergeHead(git, gitDir)
    return outcome
  }
  if (!(await isAncestor(git, other, outcome.commit.sha)))
    throw new VcsError(
      `After the commit, a hook moved HEAD to a commit that does not contain ${other.slice(0, 10)}.`,
    )
  await forgetNote(git, gitDir)
  await dropBegun(git, place)
  return outcome
}

export async function abandonWorktreeMerge(git: GitContext, place: Place, recorded: string): Promise<void> {
  if ((await readLink(git, worktreePath(git, place))).kind === 'linked') {
    await recover(git, place)
    await discard(git, place, recorded)
  } else {
    // The worktree will be created again from the branch.
    await mendBranch(git, place.branch, recorded)
    await putBranch(git, mainRoot(git), place.branch, recorded)
  }
  await dropBegun(git, place)
}
