/**
 * The journal in SQLite. The write lock puts all appends into one order, and the version shows whether a writer was
 * first.
 */
import { ConflictError } from '../../core/errors.ts'
import type { NewEvent, StoredEvent, Stream } from '../../core/event.ts'
import { evolve, foldLoop } from '../../core/evolve.ts'
import type { Loop } from '../../core/loop.ts'
import { openBell } from '../../lib/concurrency.ts'
import type { Journal } from '../journal.ts'
import type { Database } from './database.ts'
import { eventsTable } from './events-table.ts'
import { gatesTable } from './gates-table.ts'
import { loopsTable } from './loops-table.ts'
import { reviewsTable } from './reviews-table.ts'
import { runsTable } from './runs-table.ts'
import { sessionsTable } from './sessions-table.ts'

/** How long it takes to see another process's event. Our own are seen at once. */
const pollMs = 150

/** Followers read this many events at a time. */
const pageSize = 500

/**
 * Events that can't be recovered after a power cut: a person's words, and the start and end of paid work. These wait
 * for the disk, and so does everything before them. The rest follows from them and is simply done again.
 */
function isPrecious({ type }: NewEvent): boolean {
  return /^(task|person|session|run)\./.test(type)
}

export function sqliteJournal(database: Database, now: () => Date): Journal {
  const events = eventsTable(database)
  const tables = projections(database)
  const lastId = { task: loopsTable(database).lastId, run: runsTable(database).lastId }

  return {
    load: (stream) => database.read(() => events.load(stream)),

    append: (stream, expectedVersion, ...added) =>
      database.write(added.some(isPrecious) ? 'durable' : 'lazy', () => {
        const version = events.version(stream)
        if (version !== expectedVersion) throw new ConflictError(stream, expectedVersion, version)
        // Read the clock under the lock, so that times follow the order of the events.
        const stored = events.insert(stream, version, now().toISOString(), added)
        tables.add(stream, version, stored)
        return stored
      }),

    list: (filter) => database.read(() => events.list(filter)),

    async *since(cursor, signal) {
      const bell = openBell()
      const stop = database.onCommit(bell.ring)
      signal.addEventListener('abort', bell.ring)
      const over = () => signal.aborted || database.closed
      try {
        for (let after = cursor; !over(); ) {
          // Take the mark before the read, so that a commit after the read still shows as a difference.
          const mark = database.mark()
          const page = await database.read(() => events.list({ after, limit: pageSize }))
          for (const event of page) {
            if (signal.aborted) return
            after = event.seq
            yield event
          }
          while (page.length === 0 && !over() && database.mark() === mark) await bell.wait(pollMs)
        }
      } finally {
        stop()
        signal.removeEventListener('abort', bell.ring)
      }
    },

    lastSeq: () => database.read(() => events.lastSeq()),
    nextId: (kind) => database.read(() => lastId[kind]() + 1),
  }
}

/**
 * Keeps the tables that screens read up to date with the journal. Only `core/` knows what an event means: here `evolve`
 * folds the loop, `summarise` makes its summary, and the rest copies fields of events into rows.
 */
export function projections(database: Database) {
  const events = eventsTable(database)
  const loops = loopsTable(database)
  const runs = runsTable(database)
  const sessions = sessionsTable(database)
  const reviews = reviewsTable(database)
  const gates = gatesTable(database)

  function fold(before: Loop | null, event: StoredEvent): Loop {
    const after = evolve(before, event)
    sessions.project(event, before, after)
    reviews.project(event, after)
    gates.project(after.id, event)
    return after
  }

  /** The stored state is only a shortcut: if it does not fit the journal, the journal is folded. */
  function stateAt(stream: Stream, task: number, version: number): Loop | null {
    const loop = loops.load(task)
    return (loop?.version ?? 0) === version ? loop : foldLoop(events.load(stream, version))
  }

  return {
    /** Applies the events that were just appended to a stream at `version`. */
    add(stream: Stream, version: number, added: StoredEvent[]): void {
      const { kind, id } = parseStream(stream)
      if (kind === 'run') {
        for (const event of added) runs.project(id, event)
        return
      }
      let loop = stateAt(stream, id, version)
      for (const event of added) loop = fold(loop, event)
      if (loop) loops.save(loop)
    },

    rebuild(): void {
      for (const table of [loops, runs, sessions, reviews, gates]) table.clear()
      const folded = new Map<number, Loop>()
      for (const event of events.all()) {
        const { kind, id } = parseStream(event.stream)
        if (kind === 'run') runs.project(id, event)
        else folded.set(id, fold(folded.get(id) ?? null, event))
      }
      for (const loop of folded.values()) loops.save(loop)
    },
  }
}

function parseStream(stream: Stream): { kind: 'task' | 'run'; id: number } {
  const [, kind, id] = /^(task|run)\/([1-9]\d*)$/.exec(stream) ?? []
  if (kind !== 'task' && kind !== 'run') throw new Error(`${stream} is not a stream`)
  return { kind, id: Number(id) }
}
