import type { TaskSummary } from './summary.ts'

/** What a command is about, and how everything stands. */
export interface Asked {
  /** Only these tasks; null for all. */
  only: number[] | null
  /** All tasks, also those that were not asked for. */
  tasks: TaskSummary[]
}

export function isAsked(only: Asked['only'], task: number): boolean {
  return only === null || only.includes(task)
}
