import type { Loop } from '../core/loop.ts'
import type { Place } from '../core/place.ts'

/**
 * Where the loop lives. `decide` lets no step but `open` come before the place is known. A branch that is gone, because
 * its task was cancelled and cleaned away before it was taken up again, begins anew at what was recorded last.
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
