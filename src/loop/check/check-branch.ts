import { VcsError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { placeOf, recordedHead } from '../place-of.ts'
import type { Ports } from '../ports.ts'

/** Throws if the branch was moved. A review and a merge use the recorded commit, which would no longer be what the branch has. */
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
    `Have its current state reviewed (umpire review ${loop.id}), or restore it (${back}).`,
  )
}
