/** A text that no program could be given, in an argument or in its environment, is refused where it comes in. */
import { UserError } from '../core/errors.ts'
import type { Task } from '../core/task.ts'

/** More than any description a person writes, and little enough for every prompt. */
const longestText = 1_000_000

export function checkTask(changes: Partial<Task>): void {
  if (changes.title?.trim() === '')
    throw new UserError('The title is empty.', 'Say in a line what is to be done.')
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
