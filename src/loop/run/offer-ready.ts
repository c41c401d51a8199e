/** Keeps the offers of a run in step with the schedule: a task is offered as soon as it may start, in order. */
import { isAsked } from '../../core/asked.ts'
import type { WorkSource } from '../../queue/work-source.ts'
import type { AppliedSchedule } from './apply-schedule.ts'

export interface Offering {
  /** Offers the tasks that may start according to the schedule. */
  offer(schedule: AppliedSchedule): Promise<void>
  /** Sorts the tasks into the order in which to start them. */
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
