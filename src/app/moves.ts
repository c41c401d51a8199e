/** What a person does to tasks, with everything that follows: the event, the offer to workers, the end of agents. */
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Loop, RunningSession } from '../core/loop.ts'
import type { Move } from '../core/person.ts'
import type { Task } from '../core/task.ts'
import { addTask, movePerson } from '../loop/person-moves.ts'
import type { WorkSource } from '../queue/work-source.ts'
import type { Store } from '../store/store.ts'
import { openAttempts, openQueue, openVcs, type Repository } from './repository.ts'

export async function fileTask(task: Task, store: Store, repository: Repository): Promise<number> {
  await checkAgents(task, repository)
  const id = await addTask(task, personName(), store.journal)
  await withQueue(repository, (queue) => queue.offer(id))
  return id
}

export async function makeMove(id: number, move: Move, store: Store, repository: Repository): Promise<Loop> {
  if (move.kind === 'change') await checkAgents(move.changes, repository)
  const { before, now } = await movePerson(id, move, personName(), store.journal)
  if (move.kind === 'retry') await withQueue(repository, (queue) => queue.offer(id))
  if (move.kind === 'cancel' || move.kind === 'delete') {
    await withQueue(repository, async (queue) => {
      await queue.cancel(id)
      if (before.session) await endSession(id, before.session, queue, repository)
    })
  }
  return now
}

/** The worker that holds the task ends its agent, too; but there may be none left that could. */
async function endSession(
  task: number,
  { session, reviewed }: RunningSession,
  queue: WorkSource,
  repository: Repository,
): Promise<void> {
  const attempts = await openAttempts(repository)
  await attempts.kill(session)
  // One that is there still reads the attempt's files, and lets go when it sees the end.
  for (let looks = 0; looks < 100 && (await queue.holders()).has(task); looks++) await sleep(50)
  await attempts.remove(session)
  if (reviewed) await (await openVcs(repository)).removeCheckout(reviewed.clone)
}

async function withQueue(repository: Repository, use: (queue: WorkSource) => Promise<void>): Promise<void> {
  const queue = await openQueue(repository)
  try {
    await use(queue)
  } finally {
    await queue.close()
  }
}

/** An agent that does not exist is said when the task is filed, not at night when it is its turn. */
async function checkAgents({ agent, reviewer }: Partial<Task>, { root, env }: Repository): Promise<void> {
  if (!agent && !reviewer) return
  const [{ loadConfig }, { findAgent }] = await Promise.all([
    import('../config/load.ts'),
    import('./settings.ts'),
  ])
  const { config } = await loadConfig({ root, env })
  for (const name of [agent, reviewer]) if (name) findAgent(name, config, root)
}

/** The person at the keyboard, as events name them. */
function personName(): string {
  try {
    return process.env.USER || userInfo().username
  } catch {
    return 'somebody'
  }
}
