/**
 * The one writer: everything that enters the journal goes through this file. It reads the current state, lets its caller
 * decide on that state, and appends the decision. If another process wrote in between, the append fails. Then it reads
 * again, and the caller decides again. Finally it tells the observers and writes the files of reviews.
 */
import { ConflictError, noTask } from '../core/errors.ts'
import type { NewEvent, StoredEvent, Stream } from '../core/event.ts'
import { evolve, foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import type { Ports } from './ports.ts'

export type Books = Pick<Ports, 'journal' | 'observe' | 'reviewFiles'>

/** Returns the events to append; null or an empty list for none. To refuse, the caller throws. */
export type Decided = NewEvent | NewEvent[] | null

/** The loop just before and just after the append. */
export interface Recorded {
  before: Loop
  now: Loop
}

/**
 * Records a decision about a task. Returns null if the decision has no events. For a task that does not exist or was
 * deleted, `decide` gets null. A caller that has just read the loop passes it as `known`, to decide on that state first.
 * If it is out of date, the append fails and the loop is read again.
 */
export async function record(
  task: number,
  decide: (now: Loop | null) => Decided | Promise<Decided>,
  books: Books,
  known: Loop | null = null,
): Promise<Recorded | null> {
  let before = known
  let isKnown = known !== null
  const stored = await write(async () => {
    if (!isKnown) before = await loadLoop(task, books)
    isKnown = false
    const events = listed(await decide(before))
    if (events.length > 0 && !before) throw noTask(task)
    return { stream: `task/${task}`, version: before?.version ?? 0, events }
  }, books)
  if (stored === null || !before) return null
  const { id, task: definition } = before
  for (const event of stored)
    if (event.type === 'review.completed')
      await books.reviewFiles.write(event, { id, title: definition.title })
  return { before, now: stored.reduce((loop: Loop, event) => evolve(loop, event), before) }
}

/**
 * Records facts that can't wait for the end of a step, while the worker still has its claim. The worker's own next append
 * then fails once, and it reads the loop again. Returns the loop with the facts, or null if they were not recorded.
 */
export async function recordWhileHeld(
  loop: Loop,
  facts: NewEvent | ((now: Loop) => Decided),
  books: Books,
): Promise<Loop | null> {
  const recorded = await record(
    loop.id,
    (now) => {
      if (!now || now.claim?.worker !== loop.claim?.worker) return null
      return typeof facts === 'function' ? facts(now) : facts
    },
    books,
  )
  return recorded?.now ?? null
}

/**
 * Records the first event of a new task or run, and returns its number. `decide` may throw to refuse. No other task or
 * run can be added after the decision, because it would have taken the number.
 */
export async function recordNew(
  kind: 'task' | 'run',
  decide: () => NewEvent | Promise<NewEvent>,
  books: Books,
): Promise<number> {
  let id = 0
  await write(async () => {
    id = await books.journal.nextId(kind)
    return { stream: `${kind}/${id}`, version: 0, events: [await decide()] }
  }, books)
  return id
}

export async function recordOfRun(run: number, event: NewEvent, books: Books): Promise<void> {
  const stream = `run/${run}` as const
  await write(async () => {
    const last = (await books.journal.load(stream)).at(-1)
    return { stream, version: last?.version ?? 0, events: [event] }
  }, books)
}

/** The current loop of the task, from its journal; null if there is none or it was deleted. */
export async function loadLoop(task: number, { journal }: Pick<Books, 'journal'>): Promise<Loop | null> {
  const loop = foldLoop(await journal.load(`task/${task}`))
  return loop?.standing.deleted ? null : loop
}

interface Draft {
  stream: Stream
  /** The version on which the events were decided. */
  version: number
  events: NewEvent[]
}

async function write(draft: () => Promise<Draft>, books: Books): Promise<StoredEvent[] | null> {
  for (;;) {
    const { stream, version, events } = await draft()
    if (events.length === 0) return null
    const stored = await append(stream, version, events, books)
    if (stored === null) continue
    books.observe(stored)
    return stored
  }
}

/** Returns null if the stream has newer events than that version. */
async function append(
  stream: Stream,
  version: number,
  events: NewEvent[],
  { journal }: Books,
): Promise<StoredEvent[] | null> {
  try {
    return await journal.append(stream, version, ...events)
  } catch (error) {
    if (error instanceof ConflictError) return null
    throw error
  }
}

function listed(decided: Decided): NewEvent[] {
  return decided === null ? [] : [decided].flat()
}
