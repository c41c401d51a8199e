/** What a program that uses the library may file as a task. The command line checks its flags itself. */
import * as z from 'zod'
import { UserError } from '../core/errors.ts'
import { efforts } from '../core/policy/effort.ts'
import { lastGroup, type Task, taskTypes } from '../core/task.ts'

const id = z.int().min(1)
const text = z.string()

const shape = z.strictObject({
  title: text,
  description: text.optional(),
  type: z.enum(taskTypes).exclude(['plan', 'spec']).optional(),
  of: id.nullable().optional(),
  plan: z.strictObject({ path: text, text }).nullable().optional(),
  accept: z.array(text).optional(),
  scope: text.nullable().optional(),
  dependsOn: z.array(id).optional(),
  group: z.int().min(1).max(lastGroup).nullable().optional(),
  gates: z.array(text).optional(),
  autoReview: z.boolean().nullable().optional(),
  maxCycles: z.int().min(1).max(1000).nullable().optional(),
  effort: z.enum(efforts).nullable().optional(),
  agent: text.nullable().optional(),
  model: text.nullable().optional(),
  reviewer: text.nullable().optional(),
  reviewModel: text.nullable().optional(),
})

/** All that is wrong at once, as with the configuration. */
export function parseTask(value: unknown): Partial<Task> & { title: string } {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data as Partial<Task> & { title: string }
  const problems = parsed.error.issues.map(({ path, message }) => [...path.map(String), message].join(': '))
  throw new UserError(`This can't be a task: ${problems.join('; ')}.`, 'See the type Task.')
}
