/** Finds the existing task that a plan file describes. */
import type { Task, TaskStatus } from '../core/task.ts'
import type { PlanFile } from './format/plan-file.ts'

export interface Filed {
  id: number
  task: Task
  status: TaskStatus
  /** Its work has started, based on the work of its dependencies at that time. */
  begun: boolean
}

interface FromPlan {
  folder: string
  plan: PlanFile
}

/** A file that was exported from here is matched by its mark, any other by its plan and its number there. */
export function findFiled({ folder, plan }: FromPlan, filed: Filed[], store: string): Filed | null {
  const exported = plan.mark?.store === store ? filed.find(({ id }) => id === plan.mark?.id) : undefined
  return exported ?? imported(folder, plan.task, filed) ?? null
}

/** Umpire's number for a plan number whose file is not among the imported ones; null if it is unknown. */
export function resolveNumber(
  { folder, plan }: FromPlan,
  number: number,
  filed: Filed[],
  store: string,
): number | null {
  // An export's numbers are Umpire's.
  const exported = plan.mark?.store === store ? filed.find(({ id }) => id === number) : undefined
  return (exported ?? imported(folder, number, filed))?.id ?? null
}

function imported(folder: string, number: number, filed: Filed[]): Filed | undefined {
  return filed.find(({ task: { source } }) => source?.plan === folder && source.task === number)
}
