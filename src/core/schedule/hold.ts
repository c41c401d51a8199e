/** What is recorded when the schedule holds a task or lets it go, in the state in which it is found. */

import type { NewEvent } from '../event.ts'
import { enumerated } from '../listed.ts'
import type { Loop } from '../loop.ts'
import { blockedEvent } from '../step.ts'
import type { Hold } from './task-standing.ts'

/** Null if a worker works on the task by now, if a person asked for its next step, or if it is not in the queue at all. */
export function heldEvent(loop: Loop, { by, detail, recovery }: Hold): NewEvent | null {
  const waits =
    loop.standing.heldBy !== null || (loop.standing.status === 'pending' && !(loop.asked && loop.work.place))
  const event = blockedEvent(loop, 'dependency', detail)
  if (!waits || loop.standing.deleted || event.type !== 'loop.blocked') return null
  return { ...event, data: { ...event.data, recovery, by } }
}

export function freedEvent({ standing: { heldBy } }: Loop): NewEvent | null {
  if (!heldBy) return null
  const holds =
    heldBy.length === 1
      ? `task ${heldBy[0]} no longer holds`
      : `tasks ${enumerated(heldBy, 5)} no longer hold`
  return { type: 'loop.freed', data: { why: `${holds} it up` } }
}

/** The other tasks' work that would have landed with this task is approved by now, or has landed itself. */
export function freedToLand({ standing: { status, reason } }: Loop): NewEvent | null {
  if (status !== 'blocked' || reason !== 'dependency') return null
  return { type: 'loop.freed', data: { why: 'the work it is built on may land now' } }
}
