import { isDeepStrictEqual } from 'node:util'
import type { Task } from '../core/task.ts'
import type { PlanFile } from './format/plan-file.ts'

/** What a task has to become so that it is what the file says; settings that the file does not speak of stay. */
export function changesTo(
  task: Task,
  plan: PlanFile,
  { dependsOn, of }: { dependsOn: number[]; of: number | null },
): Partial<Task> {
  const { title, description, scope, accept, gates, group, settings } = plan
  const wanted: Partial<Task> = { title, description, scope, accept, gates, group, ...settings }
  if (plan.of !== null) wanted.of = of
  // In another order it says the same.
  if (!isDeepStrictEqual(sorted(dependsOn), sorted(task.dependsOn))) wanted.dependsOn = dependsOn
  const now: Record<string, unknown> = { ...task }
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(value, now[key])),
  )
}

function sorted(ids: number[]): number[] {
  return ids.toSorted((one, other) => one - other)
}
