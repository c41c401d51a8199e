/** Turns the options that `add` and `edit` share into changes to a task. */

import { UserError } from '../../core/errors.ts'
import type { Effort } from '../../core/policy/effort.ts'
import type { Task, TaskType } from '../../core/task.ts'
import type { Invocation } from '../invocation.ts'
import { readText } from '../read-text.ts'

export interface TaskOptions {
  description?: string
  file?: string
  type?: TaskType
  of?: number
  plan?: string
  accept?: string[]
  scope?: string
  after?: number[] | 'none'
  group?: number | 'none'
  gate?: string[]
  autoReview?: boolean
  review?: boolean
  maxCycles?: number
  effort?: Effort
  agent?: string
  model?: string
  reviewer?: string
  reviewModel?: string
}

export async function taskChanges(options: TaskOptions, invocation: Invocation): Promise<Partial<Task>> {
  if (options.description !== undefined && options.file !== undefined) {
    throw new UserError('--description and --file both give the description.', 'Give only one of them.')
  }
  if (options.autoReview && options.review === false) {
    throw new UserError('--auto-review and --no-review contradict each other.', 'Give only one of them.')
  }
  if (options.type === 'plan' || options.type === 'spec') {
    throw new UserError(
      `Tasks of type ${options.type} are not yet available.`,
      'Give implement, improve or review.',
    )
  }
  const description =
    options.file === undefined ? options.description : await readText(options.file, invocation)
  const changes: Partial<Task> = {}
  if (description !== undefined) changes.description = description
  if (options.type !== undefined) changes.type = options.type
  if (options.of !== undefined) changes.of = options.of
  if (options.plan !== undefined)
    changes.plan = { path: options.plan, text: await readText(options.plan, invocation) }
  if (options.accept !== undefined) changes.accept = options.accept
  if (options.scope !== undefined) changes.scope = options.scope
  if (options.after !== undefined) changes.dependsOn = options.after === 'none' ? [] : options.after
  if (options.group !== undefined) changes.group = options.group === 'none' ? null : options.group
  if (options.gate !== undefined) changes.gates = options.gate
  if (options.autoReview) changes.autoReview = true
  if (options.review === false) changes.autoReview = false
  if (options.maxCycles !== undefined) changes.maxCycles = options.maxCycles
  if (options.effort !== undefined) changes.effort = options.effort
  if (options.agent !== undefined) changes.agent = options.agent
  if (options.model !== undefined) changes.model = options.model
  if (options.reviewer !== undefined) changes.reviewer = options.reviewer
  if (options.reviewModel !== undefined) changes.reviewModel = options.reviewModel
  return changes
}
