/** Appends a person's moves. A race with a worker or with another person is settled by the journal: look again, decide again. */
import { ConflictError, UserError } from '../core/errors.ts'
import type { Actor } from '../core/event.ts'
import { evolve, foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import { decideMove, type Move } from '../core/person.ts'
import type { Task } from '../core/task.ts'
import type { Journal } from '../store/journal.ts'

export async function addTask(task: Task, by: Actor, journal: Journal): Promise<number> {
  for (;;) {
    const id = await journal.nextId('task')
    try {
      await journal.append(`task/${id}`, 0, { type: 'task.added', data: { task, by } })
      return id
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

/** Makes the move and returns the loop as it was before and as it is now. */
export async function movePerson(
  task: number,
  move: Move,
  by: Actor,
  journal: Journal,
): Promise<{ before: Loop; now: Loop }> {
  for (;;) {
    const before = foldLoop(await journal.load(`task/${task}`))
    if (!before || before.deleted)
      throw new UserError(`There is no task ${task}.`, 'umpire list shows the tasks.')
    const outcome = decideMove(before, move, by)
    if (outcome.kind === 'refused') throw new UserError(outcome.why, outcome.fix)
    try {
      const stored = await journal.append(`task/${task}`, before.version, ...outcome.events)
      return { before, now: stored.reduce((loop, event) => evolve(loop, event), before) }
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}
