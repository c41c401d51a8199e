/** Finds tasks that were asked for by number but wait for other tasks. */

import { enumerated } from '../../core/listed.ts'
import { schedule } from '../../core/schedule/schedule.ts'
import type { TaskStanding } from '../../core/schedule/task-standing.ts'
import type { Store } from '../../store/store.ts'
import type { Invocation } from '../invocation.ts'

/** Says which of these tasks can't start in this run, because they wait for tasks that are not part of it. */
export function tellMissing(ids: number[], standings: TaskStanding[], { stderr }: Invocation): void {
  if (ids.length === 0) return
  const { waits } = schedule(standings)
  for (const { task, for: others } of waits) {
    const missing = ids.includes(task) ? others.filter((id) => !ids.includes(id)) : []
    if (missing.length === 0) continue
    const command = ['umpire work', ...withAllNeeded(ids, waits)].join(' ')
    const which =
      missing.length === 1 ? `task ${missing[0]}, which is` : `tasks ${enumerated(missing)}, which are`
    stderr.write(
      `umpire: Task ${task} waits for ${which} not part of this run. To run all of them: ${command}\n`,
    )
  }
}

/** Returns the tasks of `ids` that still wait for others, and the tasks of `held` that are still held. */
export async function waitingOf(ids: number[], held: number[], store: Store): Promise<number[]> {
  if (ids.length === 0 && held.length === 0) return []
  const standings = await store.archive.standings()
  const stillHeld = standings.filter(({ id, heldFor }) => heldFor !== null && held.includes(id))
  const waiting = schedule(standings).waits.filter(({ task }) => ids.includes(task))
  return [...stillHeld.map(({ id }) => id), ...waiting.map(({ task }) => task)]
}

function withAllNeeded(ids: number[], waits: { task: number; for: number[] }[]): number[] {
  const befores = new Map(waits.map(({ task, for: others }) => [task, others]))
  const needed = new Set(ids)
  // Iterating a set also visits the elements that are added during the iteration.
  for (const id of needed) for (const other of befores.get(id) ?? []) needed.add(other)
  return [...needed].sort((one, other) => one - other)
}
