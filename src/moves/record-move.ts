/** Records a person's moves. In a race with a worker or another person, the move is decided again on the new state. */
import { noTask, UserError } from '../core/errors.ts'
import type { Actor, NewEvent, StoredEvent } from '../core/event.ts'
import { evolve } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move, type MoveOutcome } from '../core/person/move.ts'
import type { Task } from '../core/task.ts'
import { type Books, type Recorded, record, recordNew } from '../loop/record.ts'

/**
 * Adds a task and returns its number. `check` throws if the task must not be added. No other task can be added between
 * the check and the write, because it would have taken the number.
 */
export function addTask(task: Task, by: Actor, books: Books, check: () => Promise<void>): Promise<number> {
  const decide = async (): Promise<NewEvent> => {
    await check()
    return { type: 'task.added', data: { task, by } }
  }
  return recordNew('task', decide, books)
}

/**
 * Makes the move and returns the loop before and after it. `takeIn` first looks for changes that the person made to the
 * work. Its events are appended together with the move, or not at all.
 */
export async function movePerson(
  task: number,
  move: Move,
  by: Actor,
  books: Books,
  takeIn: (loop: Loop) => Promise<NewEvent[]>,
): Promise<Recorded> {
  const decide = async (before: Loop | null) => {
    if (!before) throw noTask(task)
    refuseOrAllow(decideMove(before, move, by))
    const taken = await takeIn(before)
    const asFound = taken.reduce((loop, event) => evolve(loop, asStored(event, loop)), before)
    return [...taken, ...refuseOrAllow(decideMove(asFound, move, by))]
  }
  const recorded = await record(task, decide, books)
  if (!recorded) throw new Error(`the move ${move.kind} of task ${task} has no events`)
  return recorded
}

function refuseOrAllow(outcome: MoveOutcome): NewEvent[] {
  if (outcome.kind === 'refused') throw new UserError(outcome.why, outcome.fix)
  return outcome.events
}

/** The event as the journal is about to store it, for a decision that must take it into account. */
function asStored(event: NewEvent, { id, version }: Loop): StoredEvent {
  return { ...event, stream: `task/${id}`, version: version + 1, seq: 0, at: new Date(0).toISOString() }
}
