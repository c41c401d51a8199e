import type { TaskSummary } from './summary.ts'

/** The tasks that a command was asked to act on, and the state of all tasks. */
export interface Asked {
  /** Only these tasks; null for all. */
  only: number[] | null
  /** All tasks, including those that were not asked for. */
  tasks: TaskSummary[]
}

export function isAsked(only: Asked['only'], task: number): boolean {
  return only === null || only.includes(task)
}
