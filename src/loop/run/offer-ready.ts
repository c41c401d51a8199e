/** Keeps the offers of a run in step with the schedule: what may start is offered as soon as it may, in its order. */
import { isAsked } from '../../core/asked.ts'
import type { WorkSource } from '../../queue/work-source.ts'
import type { AppliedSchedule } from './apply-schedule.ts'

export interface Offering {
  /** Offers what the schedule says may start. */
  offer(schedule: AppliedSchedule): Promise<void>
  /** The same tasks in the order in which they are to be taken. */
  inOrder(tasks: number[]): number[]
  /** The tasks that were held during this run and still are. */
  held(): number[]
}

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
      // At the start everything, because whoever had it may have died. Later only what became ready, for any run to take.
      const isNew = isFirst ? isAsked(only, task) : pending.has(task) && !known.has(task)
      if (isNew) await queue.offer(task)
    }
    isFirst = false
  }

  return {
    offer,
    inOrder(tasks) {
      // One that was offered by its person a moment ago is not ranked yet.
      const rankOf = (task: number) => rank.get(task) ?? Number.MAX_SAFE_INTEGER
      return tasks.toSorted((one, other) => rankOf(one) - rankOf(other) || one - other)
    },
    held: () => [...held],
  }
}
