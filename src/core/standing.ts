/** Questions about where a task stands that more than one part of Umpire asks; each has its one answer here. */
import type { Loop } from './loop.ts'
import type { TaskStatus } from './task.ts'

/** Worked on, or to be worked on without a word from anybody; everything else rests. */
export function isUnderWay({ status }: { status: TaskStatus }): boolean {
  return status === 'pending' || status === 'in_progress'
}

/** Stopped because there is no money for its next session; it goes on by itself. */
export function isParked({ status, reason }: Pick<Loop, 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'budget'
}

/**
 * Whether who resolves the merge under way may change nothing beside it: what a task begins with is other people's approved
 * work, and what it needs beside that is the task's own. A person may change what they like.
 */
export function mayOnlySettle({ resolving, hand }: Pick<Loop, 'resolving' | 'hand'>): boolean {
  return resolving?.why === 'start' && !hand
}

/** Approved work of which a copy waits until its base's checkout is free. */
export function waitsForCheckout({ status, reason }: Pick<Loop, 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'checkout_dirty'
}

/** The branch that the work is merged into now. What its group's branch holds a person can have merged into the base. */
export function landsOn({ place, hand }: Pick<Loop, 'place' | 'hand'>): string | null {
  return (hand === 'merge' ? null : place?.target) ?? place?.base ?? null
}

/** Merged into the branch that gathers its group's work, and not into the base. */
export function isOnlyGathered({ landed, place }: Pick<Loop, 'landed' | 'place'>): boolean {
  return landed !== null && place !== null && landed.base !== place.base
}

/** Whether its group's branch has to get it before a person's merge can bring it into the base. */
export function isToGather({ place, landed, hand }: Pick<Loop, 'place' | 'landed' | 'hand'>): boolean {
  return place?.target !== undefined && hand !== 'merge' && !isOnlyGathered({ landed, place })
}
