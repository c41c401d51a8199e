/** Whole task histories as events, produced by the real rules, to put into a journal. */

import type { NewEvent } from '../../src/core/event.ts'
import { newTask, type Task } from '../../src/core/task.ts'
import type { Store } from '../../src/store/store.ts'
import { anyBehaviour, anyPolicy } from '../core/arbitrary.ts'
import { isInterrupted } from '../core/turns.ts'
import { World } from '../core/world.ts'
import { fc } from './random.ts'

export function taskAdded(task: Partial<Task> = {}): NewEvent {
  return { type: 'task.added', data: { task: { ...newTask('Add a feature'), ...task }, by: 'ada' } }
}

/** What happens to a task at the end, if anything does. */
const anyEnding: fc.Arbitrary<NewEvent[]> = fc.constantFrom<NewEvent[]>(
  [],
  [{ type: 'task.deleted', data: { by: 'ada' } }],
  [{ type: 'task.changed', data: { changes: { title: 'Another\0title \ud800' }, by: 'ada' } }],
  [{ type: 'person.decided', data: { move: 'retry', by: 'ada', why: null, verdict: null } }],
)

/** The events of the task with this number. At any moment a person may have cancelled it. */
export function anyHistory(id: number): fc.Arbitrary<NewEvent[]> {
  return fc
    .record({
      policy: anyPolicy,
      behaviour: anyBehaviour,
      ending: anyEnding,
      cancelledAfter: fc.option(fc.integer({ min: 2, max: 30 }), { freq: 3 }),
    })
    .map(({ policy, behaviour, ending, cancelledAfter }) => {
      const { developer, interruptions } = behaviour
      const turns = developer.flatMap((turn, i) => (interruptions[i] ? [isInterrupted, turn] : [turn]))
      const world = new World(policy).play({ ...behaviour, developer: turns })
      const events = world.events.slice(0, cancelledAfter ?? undefined)
      if (cancelledAfter !== null) events.push(...cancelled(events))
      return [...events, ...ending].map((event) => renumbered(event, id))
    })
}

function cancelled(events: { seq: number }[]) {
  const data = { move: 'cancel' as const, by: 'ada', why: null, verdict: null }
  const rest = { seq: events.length + 1, version: events.length + 1, stream: 'task/7' as const, at: '' }
  return [{ type: 'person.decided' as const, data, ...rest }]
}

/** The world's only task is number 7, and its sessions and reviews are named after it. */
function renumbered({ type, data }: NewEvent, id: number): NewEvent {
  return JSON.parse(JSON.stringify({ type, data }).replaceAll('"7-', `"${id}-`))
}

/** Everything that the archive contains about these tasks. */
export async function everythingOf({ archive }: Store, tasks: number[]) {
  return {
    tasks: await archive.tasks(),
    recent: await archive.tasks({ recent: 1 }),
    each: await Promise.all(
      tasks.map(async (task) => ({
        loop: await archive.loop(task),
        sessions: await archive.sessions(task),
        reviews: await archive.reviews(task),
        gates: await archive.gates(task),
      })),
    ),
  }
}
