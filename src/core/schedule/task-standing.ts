/** What the schedule knows of a task, and what it says of one that has to wait. */
import { isParked } from '../standing.ts'
import type { TaskSummary } from '../summary.ts'
import type { BlockReason, FailReason, TaskStatus } from '../task.ts'

/** What of a task decides on when it may start. */
export interface TaskStanding {
  id: number
  status: TaskStatus
  reason: BlockReason | FailReason | null
  of: number | null
  dependsOn: number[]
  group: number | null
  /** It has a branch. */
  begun: boolean
  /** A person asked for its next step, which is then not held up by anything. */
  byHand: boolean
  /** The words with which the schedule holds it; null where it does not. */
  heldFor: string | null
  /** Where it waits for money: the commands that get it some. */
  moneyBy: string[]
}

export function taskStanding(task: TaskSummary): TaskStanding {
  const { id, status, reason, of, dependsOn, group } = task
  const begun = task.branch !== null
  const isHeld = status === 'blocked' && task.heldBy?.length > 0
  const heldFor = isHeld ? task.detail : null
  const moneyBy = isParked(task) ? task.recovery : []
  return { id, status, reason, of, dependsOn, group, begun, byHand: task.hand != null, heldFor, moneyBy }
}

export interface Hold {
  task: number
  /** The tasks that somebody has to look at. */
  by: number[]
  detail: string
  recovery: string[]
}
