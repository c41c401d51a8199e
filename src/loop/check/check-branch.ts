import { VcsError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'

/** A review would speak of the recorded tree, and a merge would take it, while the branch holds another. */
export async function checkBranch(loop: Loop, ports: Ports): Promise<void> {
  const place = placeOf(loop)
  const { branch, worktree } = place
  await ports.vcs.mendBranch(place)
  const sha = recordedHead(loop)
  const found = await ports.vcs.branchHead(branch)
  if (found === sha) return
  const back =
    found === null ? `git branch ${branch} ${sha}` : `git -C .umpire/${worktree} reset --keep ${sha}`
  throw new VcsError(
    `The branch ${branch} is at ${found?.slice(0, 10) ?? 'no commit'} instead of ${sha.slice(0, 10)}.`,
    `Have it reviewed as it is now (umpire review ${loop.id}), or bring it back (${back}).`,
  )
}
