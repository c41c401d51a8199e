import type { Place } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'

/** Where the loop lives. `decide` lets no step but `open` come before the place is known. */
export function placeOf(loop: Loop): Place {
  if (!loop.place) throw new Error(`loop ${loop.id} has no place yet`)
  return loop.place
}

/** The commit that the branch must still descend from. */
export function recordedHead(loop: Loop): string {
  return loop.head?.sha ?? placeOf(loop).baseCommit
}
