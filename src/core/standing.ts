/** Questions about where a task stands that more than one part of Umpire asks; each has its one answer here. */
import type { Loop } from './loop.ts'
import type { TaskStatus } from './task.ts'

/** Worked on, or to be worked on without a word from anybody; everything else rests. */
export function isUnderWay({ status }: { status: TaskStatus }): boolean {
  return status === 'pending' || status === 'in_progress'
}

/** Approved work of which a copy waits until its base's checkout is free. */
export function waitsForCheckout({ status, reason }: Pick<Loop, 'status' | 'reason'>): boolean {
  return status === 'blocked' && reason === 'checkout_dirty'
}

/** A review or an improvement of another task begins when that one rests. */
export function waitsForTask({ task, place }: Loop, other: Pick<Loop, 'status'> | null): boolean {
  return task.of !== null && !place && other !== null && isUnderWay(other)
}
