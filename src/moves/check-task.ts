/** Refuses texts that no program could receive as an argument or environment variable, before they are stored. */
import { UserError } from '../core/errors.ts'
import type { Loop } from '../core/loop.ts'
import { deletionObstacle, dependencyObstacle, type Obstacle } from '../core/schedule/dependencies.ts'
import type { Task } from '../core/task.ts'
import type { Store } from '../store/store.ts'

/** Longer than any description a person writes, and short enough for every prompt. */
const longestText = 1_000_000

export function checkTask(changes: Partial<Task>): void {
  if (changes.title?.trim() === '') throw new UserError('The title is empty.', 'Say in one line what to do.')
  for (const [name, value] of Object.entries(changes)) {
    const texts: unknown[] = Array.isArray(value) ? value : [value]
    for (const text of texts) {
      if (typeof text !== 'string') continue
      if (text.includes('\0')) throw new UserError(`The ${name} contains a NUL character.`, 'Remove it.')
      if (text.length > longestText)
        throw new UserError(`The ${name} is too long.`, `Give at most ${longestText} characters.`)
    }
  }
  for (const gate of changes.gates ?? []) {
    if (gate.trim() === '')
      throw new UserError('A gate is empty.', 'Give the command to run, as in --gate "npm test".')
  }
}

/** The id that a task has before it is added. No other task can depend on it yet. */
const newcomer = 0

/** The order is checked last, just before the write, so that tasks added by others a moment ago count. */
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
  // Removing dependencies can't create a cycle, and may be one step of several that undo one.
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
