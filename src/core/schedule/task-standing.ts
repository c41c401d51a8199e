/** What the schedule knows about a task, and what it says about a task that has to wait. */
import { isParked } from '../standing.ts'
import type { TaskSummary } from '../summary.ts'
import type { BlockReason, FailReason, TaskStatus } from '../task.ts'

/** The parts of a task that decide when it may start. */
export interface TaskStanding {
  id: number
  status: TaskStatus
  reason: BlockReason | FailReason | null
  of: number | null
  dependsOn: number[]
  group: number | null
  /** The task has a branch. */
  begun: boolean
  /** A person asked for its next step, so nothing holds that step back. */
  byHand: boolean
  /** The schedule's message while it holds the task back; null if it does not. */
  heldFor: string | null
  /** The commands that provide a larger budget, if the task waits for one. */
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
  /** The tasks that a person has to look at. */
  by: number[]
  detail: string
  recovery: string[]
}
