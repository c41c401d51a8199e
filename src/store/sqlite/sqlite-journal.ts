/**
 * The journal in SQLite. The write lock puts all appends into one order, and the version shows whether a writer was
 * first.
 */
import { ConflictError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import { openBell } from '../../lib/concurrency/wake-up.ts'
import type { Journal } from '../journal.ts'
import type { Database } from './database.ts'
import { eventsTable } from './events-table.ts'
import { loopsTable } from './loops-table.ts'
import { projections } from './projections.ts'
import { runsTable } from './runs-table.ts'

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
