/** Questions about where a task stands that more than one part of Umpire asks; each has its one answer here. */
import type { Loop } from './loop.ts'
import type { Place } from './place.ts'
import type { HandStep, TaskStatus } from './task.ts'

/** Worked on, or to be worked on without a word from anybody; everything else rests. */
export function isUnderWay({ status }: { status: TaskStatus }): boolean {
  return status === 'pending' || status === 'in_progress'
}

/** Stopped because there is no money for its next session; it goes on by itself. */
export function isParked({ status, reason }: Pick<Loop['standing'], 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'budget'
}

/**
 * Whether who resolves the merge under way may change nothing beside it: what a task begins with is other people's approved
 * work, and what it needs beside that is the task's own. A person may change what they like.
 */
export function mayOnlyResolve({ landing: { resolving }, asked }: Loop): boolean {
  return resolving?.why === 'start' && !asked
}

/** Approved work of which a copy waits until its base's checkout is free. */
export function waitsForCheckout({ status, reason }: Pick<Loop['standing'], 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'checkout_dirty'
}

/** The branch that the work is merged into now. A person can have what their group's branch has merged into the base. */
export function branchToLandOn(place: Place, asked: HandStep | null): string {
  return (asked === 'merge' ? undefined : place.target) ?? place.base
}

export function landsOn({ work: { place }, asked }: Loop): string | null {
  return place && branchToLandOn(place, asked)
}

/** Merged into the branch that gathers its group's work, and not into the base. */
export function isOnlyGathered({ landing: { landed }, work: { place } }: Loop): boolean {
  return landed !== null && place !== null && landed.base !== place.base
}

/** Whether its group's branch has to get it before a person's merge can bring it into the base. */
export function isToGather(loop: Loop): boolean {
  return loop.work.place?.target !== undefined && loop.asked !== 'merge' && !isOnlyGathered(loop)
}

/** In whose name a person's changes are committed; a loop that only reviews had no developer. */
export function committer({ id, turn: { developer } }: Loop): string {
  return developer ?? `${id}-0`
}
