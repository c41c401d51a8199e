/** Tasks that were asked for by number and that wait for others. */

import { enumerated } from '../../core/listed.ts'
import { schedule } from '../../core/schedule/schedule.ts'
import type { TaskStanding } from '../../core/schedule/task-standing.ts'
import type { Store } from '../../store/store.ts'
import type { Invocation } from '../invocation.ts'

/** Says which of these can't start in this run, because it waits for one that is not among them. */
export function tellMissing(ids: number[], standings: TaskStanding[], { stderr }: Invocation): void {
  if (ids.length === 0) return
  const { waits } = schedule(standings)
  for (const { task, for: others } of waits) {
    const missing = ids.includes(task) ? others.filter((id) => !ids.includes(id)) : []
    if (missing.length === 0) continue
    const command = ['umpire work', ...withAllNeeded(ids, waits)].join(' ')
    const which =
      missing.length === 1 ? `task ${missing[0]}, which is` : `tasks ${enumerated(missing)}, which are`
    stderr.write(`umpire: Task ${task} waits for ${which} not part of this run: ${command}\n`)
  }
}

/** Those of them that wait for others still, and of the held ones those that still are. */
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
  // A set goes on to what is added to it meanwhile.
  for (const id of needed) for (const other of befores.get(id) ?? []) needed.add(other)
  return [...needed].sort((one, other) => one - other)
}
