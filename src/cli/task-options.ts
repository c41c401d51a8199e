/** The flags that `add` and `edit` share, as changes to a task. */
import type { Effort } from '../core/effort.ts'
import { UserError } from '../core/errors.ts'
import type { Task, TaskType } from '../core/task.ts'
import { readText } from './read-text.ts'

export interface TaskOptions {
  description?: string
  file?: string
  type?: TaskType
  plan?: string
  accept?: string[]
  scope?: string
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

/** More than any description a person writes, and little enough for every prompt. */
const longestText = 1_000_000

export async function taskChanges(options: TaskOptions): Promise<Partial<Task>> {
  if (options.description !== undefined && options.file !== undefined) {
    throw new UserError('--description and --file both give the description.', 'Give one of them.')
  }
  if (options.autoReview && options.review === false) {
    throw new UserError('--auto-review and --no-review exclude each other.', 'Give one of them.')
  }
  if (options.type !== undefined && options.type !== 'implement') {
    throw new UserError(
      `Tasks of type ${options.type} are not yet available.`,
      'Leave --type out, or give implement.',
    )
  }
  const description = options.file === undefined ? options.description : await readText(options.file)
  const changes: Partial<Task> = {}
  if (description !== undefined) changes.description = description
  if (options.type !== undefined) changes.type = options.type
  if (options.plan !== undefined) changes.plan = { path: options.plan, text: await readText(options.plan) }
  if (options.accept !== undefined) changes.accept = options.accept
  if (options.scope !== undefined) changes.scope = options.scope
  if (options.gate !== undefined) changes.gates = options.gate
  if (options.autoReview) changes.autoReview = true
  if (options.review === false) changes.autoReview = false
  if (options.maxCycles !== undefined) changes.maxCycles = options.maxCycles
  if (options.effort !== undefined) changes.effort = options.effort
  if (options.agent !== undefined) changes.agent = options.agent
  if (options.model !== undefined) changes.model = options.model
  if (options.reviewer !== undefined) changes.reviewer = options.reviewer
  if (options.reviewModel !== undefined) changes.reviewModel = options.reviewModel
  checkTexts(changes)
  return changes
}

export function checkTitle(title: string): string {
  const trimmed = title.trim()
  if (trimmed === '') throw new UserError('The title is empty.', 'Say in a line what is to be done.')
  checkTexts({ title: trimmed })
  return trimmed
}

/** A text that no program could be given, in an argument or in its environment, is refused where it comes in. */
function checkTexts(changes: Partial<Task>): void {
  for (const [name, value] of Object.entries(changes)) {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    for (const text of texts) {
      if (typeof text !== 'string') continue
      if (text.includes('\0')) throw new UserError(`The ${name} holds a NUL character.`, 'Take it out.')
      if (text.length > longestText)
        throw new UserError(`The ${name} is too long.`, `At most ${longestText} characters.`)
    }
  }
  for (const gate of changes.gates ?? []) {
    if (gate.trim() === '')
      throw new UserError('A gate is empty.', 'Give the command to run, as in --gate "npm test".')
  }
}
