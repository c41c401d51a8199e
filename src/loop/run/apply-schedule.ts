/**
 * Brings the journal into line with the schedule: holds tasks that can't continue because another task needs a person, and
 * frees tasks that nothing holds any more. Runs call it, and so does each of a person's moves. Two processes that call it
 * at once can't undo each other's work, because each append names the state on which it was decided.
 */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { isDecidedOn } from '../../core/schedule/carried-work.ts'
import { freedEvent, freedToLand, heldEvent } from '../../core/schedule/hold.ts'
import { type Schedule, schedule } from '../../core/schedule/schedule.ts'
import type { TaskStanding } from '../../core/schedule/task-standing.ts'
import { isAsked } from '../../core/summary.ts'
import type { WorkSource } from '../../queue/work-source.ts'
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

interface Offering {
  /** Offers the tasks that may start according to the schedule. */
  offer(schedule: AppliedSchedule): Promise<void>
  /** Sorts the tasks into the order in which to start them. */
  inOrder(tasks: number[]): number[]
  /** The tasks that were held during this run and still are. */
  held(): number[]
}

/** Keeps the offers of a run in step with the schedule: a task is offered as soon as it may start, in order. */
export function createOffering(only: number[] | null, queue: Pick<WorkSource, 'offer'>): Offering {
  const held = new Set<number>()
  let rank = new Map<number, number>()
  let isFirst = true

  async function offer({ standings, ready, ...moved }: AppliedSchedule): Promise<void> {
    for (const task of moved.held) held.add(task)
    for (const task of moved.freed) held.delete(task)
    const pending = new Set(standings.filter(({ status }) => status === 'pending').map(({ id }) => id))
    const known = rank
    rank = new Map(ready.map((task, at) => [task, at]))
    for (const task of ready) {
      // At the start, everything is offered, because an earlier worker may have died. Later only newly ready tasks, to all runs.
      const isNew = isFirst ? isAsked(only, task) : pending.has(task) && !known.has(task)
      if (isNew) await queue.offer(task)
    }
    isFirst = false
  }

  return {
    offer,
    inOrder(tasks) {
      // A task that a person offered a moment ago has no rank yet.
      const rankOf = (task: number) => rank.get(task) ?? Number.MAX_SAFE_INTEGER
      return tasks.toSorted((one, other) => rankOf(one) - rankOf(other) || one - other)
    },
    held: () => [...held],
  }
}
