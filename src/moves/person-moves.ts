/** Appends a person's moves. A race with a worker or with another person is settled by the journal: look again, decide again. */
import { ConflictError, UserError } from '../core/errors.ts'
import type { Actor, NewEvent, StoredEvent } from '../core/event.ts'
import { evolve, foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move, type MoveOutcome } from '../core/person/move.ts'
import type { Task } from '../core/task.ts'
import type { Journal } from '../store/journal.ts'

/**
 * Files a task and gives back its number. `check` throws when it must not be filed; no task that it did not see comes in
 * between, because that one would have taken the number.
 */
export async function addTask(
  task: Task,
  by: Actor,
  journal: Journal,
  check: () => Promise<void>,
): Promise<number> {
  for (;;) {
    const id = await journal.nextId('task')
    await check()
    try {
      await journal.append(`task/${id}`, 0, { type: 'task.added', data: { task, by } })
      return id
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

/**
 * Makes the move and returns the loop as it was before and as it is now. `takeIn` looks first at what the person did to
 * the work, and what it found is appended together with the move, or not at all.
 */
export async function movePerson(
  task: number,
  move: Move,
  by: Actor,
  journal: Journal,
  takeIn: (loop: Loop) => Promise<NewEvent[]>,
): Promise<{ before: Loop; now: Loop }> {
  for (;;) {
    const stream = `task/${task}` as const
    const before = foldLoop(await journal.load(stream))
    if (!before || before.standing.deleted)
      throw new UserError(`There is no task ${task}.`, 'umpire list shows the tasks.')
    refuseOrAllow(decideMove(before, move, by))
    const taken = await takeIn(before)
    const asFound = taken.reduce((loop, event) => evolve(loop, foreseen(event, loop)), before)
    const events = refuseOrAllow(decideMove(asFound, move, by))
    try {
      const stored = await journal.append(stream, before.version, ...taken, ...events)
      return { before, now: stored.reduce((loop, event) => evolve(loop, event), before) }
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

function refuseOrAllow(outcome: MoveOutcome): NewEvent[] {
  if (outcome.kind === 'refused') throw new UserError(outcome.why, outcome.fix)
  return outcome.events
}

/** The event as the journal is about to store it, for a decision that has to reckon with it. */
function foreseen(event: NewEvent, { id, version }: Loop): StoredEvent {
  return { ...event, stream: `task/${id}`, version: version + 1, seq: 0, at: new Date(0).toISOString() }
}
