/** Keeps the offers of a run in step with the schedule: what may start is offered as soon as it may, in its order. */
import { joinCalls } from '../../lib/concurrency/join-calls.ts'
import type { WorkSource } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { settleSchedule } from './settle-schedule.ts'

export interface Offering {
  /** Looks at all tasks, holds, frees and offers; those who ask at the same time share one look. */
  look(): Promise<void>
  /** The same tasks in the order in which they are to be taken. */
  inOrder(tasks: number[]): number[]
  /** The tasks that were held during this run and still are. */
  held(): number[]
}

export function createOffering(only: number[] | null, ports: Ports, queue: WorkSource): Offering {
  const held = new Set<number>()
  let rank = new Map<number, number>()
  let isFirst = true

  async function look(): Promise<void> {
    const settled = await settleSchedule(ports)
    for (const task of settled.held) held.add(task)
    for (const task of settled.freed) held.delete(task)
    const pending = new Set(
      settled.standings.filter(({ status }) => status === 'pending').map(({ id }) => id),
    )
    const known = rank
    rank = new Map(settled.ready.map((task, at) => [task, at]))
    for (const task of settled.ready) {
      // At the start everything, because whoever had it may have died. Later only what became ready, for any run to take.
      const isNew = isFirst ? (only?.includes(task) ?? true) : pending.has(task) && !known.has(task)
      if (isNew) await queue.offer(task)
    }
    isFirst = false
  }

  return {
    look: joinCalls(look),
    inOrder(tasks) {
      // One that was offered by its person a moment ago is not ranked yet.
      const rankOf = (task: number) => rank.get(task) ?? Number.MAX_SAFE_INTEGER
      return tasks.toSorted((one, other) => rankOf(one) - rankOf(other) || one - other)
    },
    held: () => [...held],
  }
}
