/** Finds agents that keep running although the worker that started them is gone. */

import { runningSessions } from '../core/loop.ts'
import type { RunningSession } from '../core/session/session.ts'
import type { TaskSummary } from '../core/summary.ts'
import type { Store } from '../store/store.ts'
import { openAttempts, openQueue, type Repository } from './repository.ts'

/** Returns one session per task. It loads nothing unless a task is in progress and no process has claimed it. */
export async function findUnattended(
  tasks: TaskSummary[],
  store: Store,
  repository: Repository,
): Promise<Map<number, RunningSession>> {
  const found = new Map<number, RunningSession>()
  const going = tasks.filter((task) => task.status === 'in_progress')
  if (going.length === 0) return found
  const queue = await openQueue(repository, 'read')
  const held = await queue.holders().finally(() => queue.close())
  for (const { id } of going.filter((task) => !held.has(task.id))) {
    const loop = await store.archive.loop(id)
    const started = loop ? runningSessions(loop) : []
    if (started.length === 0) continue
    const attempts = await openAttempts(repository)
    for (const session of started)
      if (!found.has(id) && (await attempts.attach(session.session)) === 'running') found.set(id, session)
  }
  return found
}
