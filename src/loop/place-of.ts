import { VcsError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import type { Place } from '../core/place.ts'
import type { Ports } from './ports.ts'

/**
 * The branch and worktree of the loop. `decide` allows only the step `open` before they are known. If the branch is gone,
 * because its task was cancelled, cleaned and then reopened, it starts again at the last recorded commit.
 */
export function placeOf({ id, work: { place, head } }: Loop): Place {
  if (!place) throw new Error(`loop ${id} has no place yet`)
  return head ? { ...place, start: head.sha } : place
}

/** The commit that the branch must still descend from. */
export function recordedHead(loop: Loop): string {
  const { start, baseCommit } = placeOf(loop)
  return loop.work.head?.sha ?? start ?? baseCommit
}

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
