/** Figures over all tasks: how they ended, and how often the first review approved. */
import type { TaskSummary } from './summary.ts'
import { type TaskStatus, taskStatuses } from './task.ts'

export interface Statistics {
  tasks: number
  byStatus: Record<TaskStatus, number>
  /** Approved by a reviewer or by a person. */
  approved: number
  /** The approved tasks whose first review approved. */
  approvedAtFirst: number
  /** The average number of reviews per approved task, or null if no task is approved. */
  cyclesToApproval: number | null
  lateFindings: number
}

export function statisticsOf(tasks: TaskSummary[]): Statistics {
  const count = (isMeant: (task: TaskSummary) => boolean) => tasks.filter(isMeant).length
  const approved = tasks.filter((task) => task.verdict === 'APPROVED')
  const cycles = approved.reduce((all, task) => all + task.cycle, 0)
  const perStatus = taskStatuses.map((status) => [status, count((task) => task.status === status)])
  return {
    tasks: tasks.length,
    byStatus: Object.fromEntries(perStatus) as Record<TaskStatus, number>,
    approved: approved.length,
    approvedAtFirst: approved.filter((task) => task.cycle === 1).length,
    cyclesToApproval: approved.length === 0 ? null : cycles / approved.length,
    lateFindings: tasks.reduce((all, task) => all + task.lateFindings, 0),
  }
}
