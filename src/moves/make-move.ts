/** What a person does to tasks, with everything that follows: the event, the offer to workers, the end of agents. */

import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBooks } from '../app/books.ts'
import type { Given } from '../app/read-config.ts'
import { openAttempts, openQueue, openVcs, type Repository } from '../app/repository.ts'
import { noTask, UserError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import { type Loop, runningSessions } from '../core/loop.ts'
import type { Move } from '../core/person/move.ts'
import { schedule } from '../core/schedule/schedule.ts'
import type { RunningSession } from '../core/session/session.ts'
import { waitsForCheckout } from '../core/standing.ts'
import type { Task } from '../core/task.ts'
import type { Books } from '../loop/record.ts'
import { applySchedule } from '../loop/run/apply-schedule.ts'
import type { WorkSource } from '../queue/work-source.ts'
import type { Store } from '../store/store.ts'
import { checkChangedOrder, checkDeletion, checkNewOrder } from './check-task.ts'
import { addTask, movePerson } from './record-move.ts'

export interface MoveOptions extends Given {
  /** Told of everything that the move and its consequences append. */
  observe?: Books['observe']
}

export async function fileTask(
  task: Task,
  store: Store,
  repository: Repository,
  given: Given = {},
): Promise<number> {
  await checkAgents(task, repository, given)
  await checkOf(task, store)
  // It is offered when it may start: now, or by whoever does the last that it waits for.
  const books = createBooks(store, repository)
  return applyScheduleAfter(store, repository, books, () =>
    addTask(task, personName(repository), books, () => checkNewOrder(task, store)),
  )
}

export async function makeMove(
  id: number,
  move: Move,
  store: Store,
  repository: Repository,
  { observe, ...given }: MoveOptions = {},
): Promise<Loop> {
  const books = createBooks(store, repository, observe)
  if (move.kind === 'change') {
    await checkAgents(move.changes, repository, given)
    const loop = await store.archive.loop(id)
    if (loop && move.changes.type) await checkOf({ ...loop.task, ...move.changes }, store)
  }
  // What holds it may be solved, and nobody have looked since.
  if (move.kind === 'retry') await applySchedule({ ...books, archive: store.archive })
  const { before, now } = await applyScheduleAfter(store, repository, books, () =>
    movePerson(id, move, personName(repository), books, async (loop) => {
      if (move.kind === 'change') await checkChangedOrder(loop, move.changes, store)
      if (move.kind === 'delete') await checkDeletion(id, store)
      // Who merges several has looked at all of them before the first one is.
      if (move.kind === 'merge' && move.checked !== undefined && move.checked === headOf(loop)) return []
      if (move.kind === 'merge') await refuseUnapproved(loop, store, repository)
      return lookAtWorktree(loop, move, repository)
    }),
  )
  if (
    waitsForCheckout(before.standing) &&
    !waitsForCheckout(now.standing) &&
    before.work.place &&
    move.kind !== 'merge' &&
    move.kind !== 'retry'
  )
    await (await openVcs(repository)).withdrawWaiting(before.work.place)
  if (move.kind === 'retry') await withQueue(repository, (queue) => queue.offer(id))
  if (move.kind === 'cancel' || move.kind === 'delete') {
    await withQueue(repository, async (queue) => {
      await queue.cancel(id)
      const running = runningSessions(before)
      if (running.length > 0) await endSessions(id, running, queue, repository)
    })
  }
  // It may be held by another task in its turn.
  return (await store.archive.loop(id)) ?? now
}

/** What a merge would take of it. */
export function headOf({ work: { head } }: Loop): string | null {
  return head?.sha ?? null
}

/** Loaded only here, because most moves need nothing of it. */
async function refuseUnapproved(loop: Loop, store: Store, repository: Repository): Promise<void> {
  const { refuseCarrier } = await import('./check-merges.ts')
  await refuseCarrier(loop, [], store, repository)
}

/** What the person did there since must neither be left out of an approval nor of a merge. */
async function lookAtWorktree(loop: Loop, move: Move, repository: Repository): Promise<NewEvent[]> {
  const approves = move.kind === 'verdict' && move.verdict === 'APPROVED'
  if (!approves && move.kind !== 'merge' && move.kind !== 'review') return []
  const byHand = await import('./hand-edits.ts')
  const state = await byHand.lookAtWork(loop, repository)
  if (move.kind === 'merge') byHand.refuseChangedByHand(loop, state)
  else byHand.refuseUnresolved(loop, state)
  return approves ? byHand.takeInByHand(loop, state, repository) : []
}

/** The worker that holds the task ends its agent, too; but there may be none left that could. */
async function endSessions(
  task: number,
  running: RunningSession[],
  queue: WorkSource,
  repository: Repository,
): Promise<void> {
  const attempts = await openAttempts(repository)
  for (const { session } of running) await attempts.kill(session)
  // One that is there still reads the attempt's files, and lets go when it sees the end.
  for (let looks = 0; looks < 100 && (await queue.holders()).has(task); looks++) await sleep(50)
  for (const { session, reviewed } of running) {
    await attempts.remove(session)
    if (reviewed) await (await openVcs(repository)).removeCheckout(reviewed.clone)
  }
}

/** What a review or an improvement is for must be there when it is filed. */
async function checkOf({ type, of }: Task, store: Store): Promise<void> {
  if (of === null && type === 'review')
    throw new UserError('A review needs a task that it is for.', 'Name it: --of ID.')
  if (of === null) return
  if (type !== 'review' && type !== 'improve')
    throw new UserError(
      `--of is for reviews and improvements, not for type ${type}.`,
      'Give -t review or -t improve.',
    )
  const other = await store.archive.loop(of)
  if (!other || other.standing.deleted) throw noTask(of)
}

/** An agent that does not exist is said when the task is filed, not at night when it is its turn. */
export async function checkAgents(
  { agent, reviewer }: Partial<Task>,
  repository: Repository,
  given: Given,
): Promise<void> {
  if (!agent && !reviewer) return
  const [{ readConfig }, { findAgent }] = await Promise.all([
    import('../app/read-config.ts'),
    import('../app/settings.ts'),
  ])
  const { config } = await readConfig(repository, given)
  const { brought } = given
  for (const name of [agent, reviewer])
    if (name) findAgent(name, { config, root: repository.root, ...(brought && { brought }) })
}

/** The person at the keyboard, as events name them. */
export function personName({ ownEnv }: Pick<Repository, 'ownEnv'>): string {
  try {
    return ownEnv.USER || userInfo().username
  } catch {
    return 'somebody'
  }
}

/** What a person's move means for other tasks: some are held or freed by it, and what may start now is offered to workers. */

/** Makes the move, and sees to all that follows for others before it gives back what came of it. */
export async function applyScheduleAfter<T>(
  store: Store,
  repository: Repository,
  books: Books,
  move: () => Promise<T>,
): Promise<T> {
  const before = new Set(schedule(await store.archive.standings()).ready)
  const result = await move()
  const { ready } = await applySchedule({ ...books, archive: store.archive })
  const more = ready.filter((task) => !before.has(task))
  if (more.length > 0) {
    await withQueue(repository, async (queue) => {
      for (const task of more) await queue.offer(task)
    })
  }
  return result
}

async function withQueue(repository: Repository, use: (queue: WorkSource) => Promise<void>): Promise<void> {
  const queue = await openQueue(repository)
  try {
    await use(queue)
  } finally {
    await queue.close()
  }
}
