/** What a person's move means for other tasks: some are held or freed by it, and what may start now is offered to workers. */

import { openQueue, type Repository } from '../app/repository.ts'
import { schedule } from '../core/schedule/schedule.ts'
import { settleSchedule } from '../loop/run/settle-schedule.ts'
import type { WorkSource } from '../queue/work-source.ts'
import type { Store } from '../store/store.ts'

/** Makes the move, and sees to all that follows for others before it gives back what came of it. */
export async function settleAfter<T>(
  store: Store,
  repository: Repository,
  move: () => Promise<T>,
): Promise<T> {
  const before = new Set(schedule(await store.archive.standings()).ready)
  const result = await move()
  const { ready } = await settleSchedule(store)
  const more = ready.filter((task) => !before.has(task))
  if (more.length > 0) {
    await withQueue(repository, async (queue) => {
      for (const task of more) await queue.offer(task)
    })
  }
  return result
}

export async function withQueue(
  repository: Repository,
  use: (queue: WorkSource) => Promise<void>,
): Promise<void> {
  const queue = await openQueue(repository)
  try {
    await use(queue)
  } finally {
    await queue.close()
  }
}
