/** Which of the tasks that are filed a plan file stands for. */
import type { Task, TaskStatus } from '../core/task.ts'
import type { PlanFile } from './format/plan-file.ts'

export interface Filed {
  id: number
  task: Task
  status: TaskStatus
  /** Its work has begun, from the work of those it depended on then. */
  begun: boolean
}

interface FromPlan {
  folder: string
  plan: PlanFile
}

/** One that was exported from here is known by its mark, any other by its plan and its number there. */
export function findFiled({ folder, plan }: FromPlan, filed: Filed[], store: string): Filed | null {
  const exported = plan.mark?.store === store ? filed.find(({ id }) => id === plan.mark?.id) : undefined
  return exported ?? imported(folder, plan.task, filed) ?? null
}

/** A number of the plan whose file is not there this time, as Umpire's own; null when nobody knows it. */
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
