/** Questions about a task's state that several parts of Umpire ask. Each has its one answer here. */
import type { Loop } from './loop.ts'
import type { Place } from './place.ts'
import type { HandStep, TaskStatus } from './task.ts'

/** A worker works on the task, or will without being asked. Any other task rests. */
export function isUnderWay({ status }: { status: TaskStatus }): boolean {
  return status === 'pending' || status === 'in_progress'
}

/** Stopped because the budget does not allow its next session. It continues by itself. */
export function isParked({ status, reason }: Pick<Loop['standing'], 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'budget'
}

/**
 * Whether the resolver may only resolve the conflicts of the present merge and change nothing else. A task begins with
 * the approved work of other tasks; any other change belongs to the task's own work. A person may change anything.
 */
export function mayOnlyResolve({ landing: { resolving }, asked }: Loop): boolean {
  return resolving?.why === 'start' && !asked
}

/** Approved work whose merge result waits until the checkout of its base is clean. */
export function waitsForCheckout({ status, reason }: Pick<Loop['standing'], 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'checkout_dirty'
}

/** The branch that the work is merged into now. A person's merge goes into the base, even if the group has its own branch. */
export function branchToLandOn(place: Place, asked: HandStep | null): string {
  return (asked === 'merge' ? undefined : place.target) ?? place.base
}

export function landsOn({ work: { place }, asked }: Loop): string | null {
  return place && branchToLandOn(place, asked)
}

/** Whether the work is merged into its group's branch, but not into the base. */
export function isOnlyGathered({ landing: { landed }, work: { place } }: Loop): boolean {
  return landed !== null && place !== null && landed.base !== place.base
}

/** Whether the work must be merged into its group's branch before a person's merge can bring it into the base. */
export function isToGather(loop: Loop): boolean {
  return loop.work.place?.target !== undefined && loop.asked !== 'merge' && !isOnlyGathered(loop)
}

/** The session in whose name a person's changes are committed. A loop that only reviews has had no developer. */
export function committer({ id, turn: { developer } }: Loop): string {
  return developer ?? `${id}-0`
}
