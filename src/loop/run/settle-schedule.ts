/**
 * Brings what the journal says of held tasks into line with the schedule: holds what can't go on because of a task that
 * somebody has to look at, and frees what nothing holds any more. Asked by runs and after each of a person's moves;
 * two who ask at once can't undo each other's work, because each append says which state it was decided on.
 */
import { ConflictError } from '../../core/errors.ts'
import type { NewEvent, StoredEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { isSettled } from '../../core/schedule/carried.ts'
import { freedEvent, freedToLand, heldEvent } from '../../core/schedule/hold.ts'
import { type Schedule, type Standing, schedule } from '../../core/schedule/schedule.ts'
import type { Archive } from '../../store/archive.ts'
import type { Journal } from '../../store/journal.ts'

export interface Books {
  archive: Archive
  journal: Journal
  observe?: (events: StoredEvent[]) => void
}

export interface Settled extends Pick<Schedule, 'ready'> {
  standings: Standing[]
  /** The tasks that were held or freed by this call, as they are now. */
  held: number[]
  freed: number[]
}

/** Each round answers what others did during the one before; they can't go on for ever, but might for long. */
const mostRounds = 20

export async function settleSchedule(books: Books): Promise<Settled> {
  const moved = new Map<number, 'held' | 'freed'>()
  for (let round = 1; ; round += 1) {
    const standings = await books.archive.standings()
    const { ready, hold, free } = schedule(standings)
    const landable = await listFreedCarriers(standings, books.archive)
    if (hold.length + free.length + landable.length === 0 || round > mostRounds) {
      const those = (how: 'held' | 'freed') => [...moved].filter(([, was]) => was === how).map(([id]) => id)
      return { standings, ready, held: those('held'), freed: those('freed') }
    }
    for (const each of hold)
      if (await record(each.task, (loop) => heldEvent(loop, each), books)) moved.set(each.task, 'held')
    for (const task of free) if (await record(task, freedEvent, books)) moved.set(task, 'freed')
    for (const task of landable) if (await record(task, freedToLand, books)) moved.set(task, 'freed')
  }
}

/** False when somebody was quicker: the next round sees what came of it. */
async function record(task: number, decide: (loop: Loop) => NewEvent | null, books: Books): Promise<boolean> {
  const loop = await books.archive.loop(task)
  const event = loop && decide(loop)
  if (!event) return false
  try {
    const stored = await books.journal.append(`task/${task}`, loop.version, event)
    books.observe?.(stored)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}

/** Finds the tasks that could not land because of what they would have brought along, and can now. */
async function listFreedCarriers(standings: Standing[], archive: Archive): Promise<number[]> {
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
    if (!isSettled(await archive.loop(work.task), work, place.base)) return false
  return true
}
