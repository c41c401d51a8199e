/** A text that no program could be given, in an argument or in its environment, is refused where it comes in. */
import { UserError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { deletionObstacle, dependencyObstacle, type Obstacle } from '../core/schedule/dependencies.ts'
import type { Task } from '../core/task.ts'
import type { Store } from '../store/store.ts'

/** More than any description a person writes, and little enough for every prompt. */
const longestText = 1_000_000

export function checkTask(changes: Partial<Task>): void {
  if (changes.title?.trim() === '')
    throw new UserError('The title is empty.', 'Say in a line what is to be done.')
  for (const [name, value] of Object.entries(changes)) {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    for (const text of texts) {
      if (typeof text !== 'string') continue
      if (text.includes('\0')) throw new UserError(`The ${name} contains a NUL character.`, 'Take it out.')
      if (text.length > longestText)
        throw new UserError(`The ${name} is too long.`, `At most ${longestText} characters.`)
    }
  }
  for (const gate of changes.gates ?? []) {
    if (gate.trim() === '')
      throw new UserError('A gate is empty.', 'Give the command to run, as in --gate "npm test".')
  }
}

/** Holds what is about to be written against all that is filed. Looked at last of all, so that what others filed a moment ago counts. */

/** No task has it yet; nothing can depend on what is only about to be filed. */
const newcomer = 0

export async function checkNewOrder({ dependsOn, of, group }: Task, { archive }: Store): Promise<void> {
  if (dependsOn.length === 0 && group === null) return
  const task = { id: newcomer, dependsOn, of, group, status: 'pending' as const }
  const named = (id: number) => (id === newcomer ? 'the new one' : String(id))
  refuse(dependencyObstacle([...(await archive.tasks()), task], newcomer, named))
}

export async function checkChangedOrder(
  loop: Loop,
  changes: Partial<Task>,
  { archive }: Store,
): Promise<void> {
  if (changes.dependsOn === undefined && changes.group === undefined) return
  const { dependsOn, group } = { ...loop.task, ...changes }
  // What only takes away ties no knot, and may be one step of several that untie one.
  const isFewer = dependsOn.every((id) => loop.task.dependsOn.includes(id))
  if (isFewer && (group === null || group === loop.task.group)) return
  const tasks = await archive.tasks()
  refuse(
    dependencyObstacle(
      tasks.map((task) => (task.id === loop.id ? { ...task, dependsOn, group } : task)),
      loop.id,
    ),
  )
}

export async function checkDeletion(id: number, { archive }: Store): Promise<void> {
  refuse(deletionObstacle(await archive.tasks(), id))
}

function refuse(obstacle: Obstacle | null): void {
  if (obstacle) throw new UserError(obstacle.why, obstacle.fix)
}
