/** Carries out a person's moves on tasks, with all consequences: records the event, offers the task to workers, stops agents. */
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBooks } from '../app/books.ts'
import type { Given } from '../app/read-config.ts'
import { openAttempts, openQueue, openVcs, type Repository } from '../app/repository.ts'
import { noTask, UserError } from '../core/errors.ts'
import type { Actor, NewEvent, StoredEvent } from '../core/event.ts'
import { evolve } from '../core/evolve.ts'
import { type Loop, runningSessions } from '../core/loop.ts'
import { decideMove, type Move, type MoveOutcome } from '../core/person/move.ts'
import { schedule } from '../core/schedule/schedule.ts'
import type { RunningSession } from '../core/session/session.ts'
import { waitsForCheckout } from '../core/standing.ts'
import type { Task } from '../core/task.ts'
import { type Books, type Recorded, record, recordNew } from '../loop/record.ts'
import { applySchedule } from '../loop/run/apply-schedule.ts'
import type { WorkSource } from '../queue/work-source.ts'
import type { Store } from '../store/store.ts'
import { checkChangedOrder, checkDeletion, checkNewOrder } from './check-task.ts'

export interface MoveOptions extends Given {
  /** Called with every event that the move and its consequences append. */
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
  // The task is offered to workers when it may start: now, or when the last task that it waits for is done.
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
  // The problem that holds the task may be solved without any process having noticed.
  if (move.kind === 'retry') await applySchedule({ ...books, archive: store.archive })
  const { before, now } = await applyScheduleAfter(store, repository, books, () =>
    movePerson(id, move, personName(repository), books, async (loop) => {
      if (move.kind === 'change') await checkChangedOrder(loop, move.changes, store)
      if (move.kind === 'delete') await checkDeletion(id, store)
      // When several tasks are merged, all of them were checked before the first merge.
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
  // The schedule may have held it again because of another task, so it is read again.
  return (await store.archive.loop(id)) ?? now
}

/** The commit that a merge would take. */
export function headOf({ work: { head } }: Loop): string | null {
  return head?.sha ?? null
}

/** Loads the check only when it is needed, because most moves do without it. */
async function refuseUnapproved(loop: Loop, store: Store, repository: Repository): Promise<void> {
  const { refuseCarrier } = await import('./check-merges.ts')
  await refuseCarrier(loop, [], store, repository)
}

/** Changes that a person made in the worktree must not be missing from an approval or a merge. */
async function lookAtWorktree(loop: Loop, move: Move, repository: Repository): Promise<NewEvent[]> {
  const approves = move.kind === 'verdict' && move.verdict === 'APPROVED'
  if (!approves && move.kind !== 'merge' && move.kind !== 'review') return []
  const byHand = await import('./hand-edits.ts')
  const state = await byHand.lookAtWork(loop, repository)
  if (move.kind === 'merge') byHand.refuseChangedByHand(loop, state)
  else byHand.refuseUnresolved(loop, state)
  return approves ? byHand.takeInByHand(loop, state, repository) : []
}

/** Stops the agents of a task. The worker that holds the task stops them as well, but that worker may be gone. */
async function endSessions(
  task: number,
  running: RunningSession[],
  queue: WorkSource,
  repository: Repository,
): Promise<void> {
  const attempts = await openAttempts(repository)
  for (const { session } of running) await attempts.kill(session)
  // A living worker still reads the files of the attempt. It releases the task when it sees that the agent has ended.
  for (let looks = 0; looks < 100 && (await queue.holders()).has(task); looks++) await sleep(50)
  for (const { session, reviewed } of running) {
    await attempts.remove(session)
    if (reviewed) await (await openVcs(repository)).removeCheckout(reviewed.clone)
  }
}

/** The task that a review or an improvement is for must exist when it is added. */
async function checkOf({ type, of }: Task, store: Store): Promise<void> {
  if (of === null && type === 'review')
    throw new UserError('A review needs a task to review.', 'Name the task with --of ID.')
  if (of === null) return
  if (type !== 'review' && type !== 'improve')
    throw new UserError(
      `--of works only for reviews and improvements, not for tasks of type ${type}.`,
      'Give -t review or -t improve.',
    )
  const other = await store.archive.loop(of)
  if (!other || other.standing.deleted) throw noTask(of)
}

/** Refuses an unknown agent when the task is added. Otherwise the error would come at night, when the task starts. */
export async function checkAgents(
  { agent, reviewer }: Partial<Task>,
  repository: Repository,
  given: Given,
): Promise<void> {
  if (!agent && !reviewer) return
  const [{ readConfig }, { findAgent }] = await Promise.all([
    import('../app/read-config.ts'),
    import('../app/agents/cast-roles.ts'),
  ])
  const { config } = await readConfig(repository, given)
  const { brought } = given
  for (const name of [agent, reviewer])
    if (name) findAgent(name, { config, root: repository.root, ...(brought && { brought }) })
}

/** The name of the person at the keyboard, as it appears in events. */
export function personName({ ownEnv }: Pick<Repository, 'ownEnv'>): string {
  try {
    return ownEnv.USER || userInfo().username
  } catch {
    return 'somebody'
  }
}

/**
 * Makes the move, and then updates all other tasks before it returns the result: the move may hold or free some of them,
 * and tasks that may start now are offered to workers.
 */
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

/**
 * Adds a task and returns its number. `check` throws if the task must not be added. No other task can be added between
 * the check and the write, because it would have taken the number.
 */
export function addTask(task: Task, by: Actor, books: Books, check: () => Promise<void>): Promise<number> {
  const decide = async (): Promise<NewEvent> => {
    await check()
    return { type: 'task.added', data: { task, by } }
  }
  return recordNew('task', decide, books)
}

/**
 * Records the move and returns the loop before and after it. In a race with a worker or another person, the move is
 * decided again on the new state. `takeIn` first looks for changes that the person made to the work. Its events are
 * appended together with the move, or not at all.
 */
export async function movePerson(
  task: number,
  move: Move,
  by: Actor,
  books: Books,
  takeIn: (loop: Loop) => Promise<NewEvent[]>,
): Promise<Recorded> {
  const decide = async (before: Loop | null) => {
    if (!before) throw noTask(task)
    refuseOrAllow(decideMove(before, move, by))
    const taken = await takeIn(before)
    const asFound = taken.reduce((loop, event) => evolve(loop, asStored(event, loop)), before)
    return [...taken, ...refuseOrAllow(decideMove(asFound, move, by))]
  }
  const recorded = await record(task, decide, books)
  if (!recorded) throw new Error(`the move ${move.kind} of task ${task} has no events`)
  return recorded
}

function refuseOrAllow(outcome: MoveOutcome): NewEvent[] {
  if (outcome.kind === 'refused') throw new UserError(outcome.why, outcome.fix)
  return outcome.events
}

/** The event as the journal is about to store it, for a decision that must take it into account. */
function asStored(event: NewEvent, { id, version }: Loop): StoredEvent {
  return { ...event, stream: `task/${id}`, version: version + 1, seq: 0, at: new Date(0).toISOString() }
}
