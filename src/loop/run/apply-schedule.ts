/**
 * Brings the journal into line with the schedule: holds tasks that can't continue because another task needs a person, and
 * frees tasks that nothing holds any more. Runs call it, and so does each of a person's moves. Two processes that call it
 * at once can't undo each other's work, because each append names the state on which it was decided.
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
  /** The tasks that this call held or freed, in their current state. */
  held: number[]
  freed: number[]
}

/** The most rounds. Each round reacts to changes by other processes during the round before, which may go on for long. */
const mostRounds = 20

/** `known` are the standings of the tasks, if the caller has just read them and written nothing since. */
export async function applySchedule(
  books: Books & { archive: Archive },
  known: TaskStanding[] | null = null,
): Promise<AppliedSchedule> {
  const { archive } = books
  const moved = new Map<number, 'held' | 'freed'>()
  const apply = async (task: number, how: 'held' | 'freed', decide: (loop: Loop) => NewEvent | null) => {
    const loop = await archive.loop(task)
    // If another process wrote first, the standings are out of date. The next round sees the result.
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

/** Finds tasks that could not land because they included unapproved work of other tasks, and can land now. */
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
