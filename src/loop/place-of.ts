import type { Loop } from '../core/loop.ts'
import type { Place } from '../core/place.ts'

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
