/** The journal's own table. */
import type { NewEvent, StoredEvent, Stream } from '../../core/event.ts'
import type { EventFilter } from '../journal.ts'
import type { Database } from './database.ts'

interface EventRow {
  seq: number
  stream: string
  version: number
  at: string
  type: string
  data: string
}

const columns = 'seq, stream, version, at, type, data'

export function eventsTable(database: Database) {
  function lastSeq(): number {
    return database.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0
  }

  return {
    lastSeq,

    version(stream: Stream): number {
      const row = database
        .sql<{ version: number | null }>('SELECT max(version) AS version FROM events WHERE stream = ?')
        .get(stream)
      return row?.version ?? 0
    },

    /** Must be called under the write lock, so that the numbers have no gaps and no duplicates. */
    insert(stream: Stream, after: number, at: string, events: NewEvent[]): StoredEvent[] {
      const insert = database.sql(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?)`)
      const seq = lastSeq()
      return events.map(({ type, data }, index) => {
        const row = {
          seq: seq + index + 1,
          stream,
          version: after + index + 1,
          at,
          type,
          data: JSON.stringify(data),
        }
        insert.run(row.seq, row.stream, row.version, row.at, row.type, row.data)
        // Return the event as it will be read, not as it was given: JSON drops undefined fields.
        return toEvent(row)
      })
    },

    load(stream: Stream, upTo = Number.MAX_SAFE_INTEGER): StoredEvent[] {
      return database
        .sql<EventRow>(`SELECT ${columns} FROM events WHERE stream = ? AND version <= ? ORDER BY version`)
        .all(stream, upTo)
        .map(toEvent)
    },

    list({ stream, types, after = 0, limit = -1 }: EventFilter): StoredEvent[] {
      const ofTypes = types ? JSON.stringify(types) : null
      const typed = '(?2 IS NULL OR type IN (SELECT value FROM json_each(?2)))'
      const rows =
        stream === undefined
          ? database
              .sql<EventRow>(
                `SELECT ${columns} FROM events WHERE seq > ?1 AND ${typed} ORDER BY seq LIMIT ?3`,
              )
              .all(after, ofTypes, limit)
          : database
              .sql<EventRow>(
                `SELECT ${columns} FROM events WHERE stream = ?4 AND seq > ?1 AND ${typed} ORDER BY version LIMIT ?3`,
              )
              .all(after, ofTypes, limit, stream)
      return rows.map(toEvent)
    },

    *all(): Iterable<StoredEvent> {
      for (const row of database.sql<EventRow>(`SELECT ${columns} FROM events ORDER BY seq`).iterate()) {
        yield toEvent(row)
      }
    },
  }
}

/** Only this file writes the table, so the JSON needs no validation. */
function toEvent({ seq, stream, version, at, type, data }: EventRow): StoredEvent {
  return { seq, stream, version, at, type, data: JSON.parse(data) } as StoredEvent
}
