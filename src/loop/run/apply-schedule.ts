/**
 * Brings what the journal says of held tasks into line with the schedule: holds what can't go on because of a task that
 * somebody has to look at, and frees what nothing holds any more. Asked by runs and after each of a person's moves;
 * two who ask at once can't undo each other's work, because each append says which state it was decided on.
 */

import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { isDecidedOn } from '../../core/schedule/carried.ts'
import { freedEvent, freedToLand, heldEvent } from '../../core/schedule/hold.ts'
import { type Schedule, schedule } from '../../core/schedule/schedule.ts'
import type { TaskStanding } from '../../core/schedule/task-standing.ts'
import type { Archive } from '../../store/archive.ts'
import { type Books, record } from '../record.ts'

export interface AppliedSchedule extends Pick<Schedule, 'ready'> {
  standings: TaskStanding[]
  /** The tasks that were held or freed by this call, as they are now. */
  held: number[]
  freed: number[]
}

/** Each round answers what others did during the one before; they can't go on for ever, but might for long. */
const mostRounds = 20

/** `known` is how the tasks stand, when the caller has just asked and written nothing since. */
export async function applySchedule(
  books: Books & { archive: Archive },
  known: TaskStanding[] | null = null,
): Promise<AppliedSchedule> {
  const { archive } = books
  const moved = new Map<number, 'held' | 'freed'>()
  const apply = async (task: number, how: 'held' | 'freed', decide: (loop: Loop) => NewEvent | null) => {
    const loop = await archive.loop(task)
    // When another writer was quicker, the standings are out of date: the next round sees what came of it.
    const once = (now: Loop | null) => (loop && now === loop ? decide(loop) : null)
    if (await record(task, once, books, loop)) moved.set(task, how)
  }
  for (let round = 1; ; round += 1) {
    const standings = round === 1 && known ? known : await archive.standings()
    const { ready, hold, free } = schedule(standings)
    const landable = await listFreedCarriers(standings, archive)
    if (hold.length + free.length + landable.length === 0 || round > mostRounds) {
      const those = (how: 'held' | 'freed') => [...moved].filter(([, was]) => was === how).map(([id]) => id)
      return { standings, ready, held: those('held'), freed: those('freed') }
    }
    for (const each of hold) await apply(each.task, 'held', (loop) => heldEvent(loop, each))
    for (const task of free) await apply(task, 'freed', freedEvent)
    for (const task of landable) await apply(task, 'freed', freedToLand)
  }
}

/** Finds the tasks that could not land because of what they would have brought along, and can now. */
async function listFreedCarriers(standings: TaskStanding[], archive: Archive): Promise<number[]> {
  const freed: number[] = []
  for (const { id, status, reason, heldFor } of standings) {
    if (status !== 'blocked' || reason !== 'dependency' || heldFor !== null) continue
    const loop = await archive.loop(id)
    if (loop && (await isFree(loop, archive))) freed.push(id)
  }
  return freed
}

async function isFree(
  { landing: { outcome: landing }, work: { place } }: Loop,
  archive: Archive,
): Promise<boolean> {
  if (landing === null || landing === 'begun' || landing.kind !== 'carries' || !place) return false
  for (const work of landing.works)
    if (!isDecidedOn(await archive.loop(work.task), work, place.base)) return false
  return true
}
