/**
 * `messages`: every line that an agent printed, stored in batches as it comes. The only table that is not a projection.
 */
import type { Message } from '../archive.ts'
import type { Database } from './database.ts'
import type { SqlValue } from './sqlite-driver.ts'

interface StoredMessage {
  sequence: number
  source: Message['source']
  type: string
  content: string
  end_offset: number
  at: string
}

/** Several rows in one statement: for short lines, the call into SQLite costs more than the row. */
const atOnce = 8

const insertInto =
  'INSERT OR IGNORE INTO messages (session_id, sequence, source, type, end_offset, at, content) VALUES '
const insertOne = `${insertInto}(?, ?, ?, ?, ?, ?, ?)`
const insertSeveral = insertInto + Array<string>(atOnce).fill('(?, ?, ?, ?, ?, ?, ?)').join(', ')

export function messagesTable(database: Database) {
  /** Searches backwards: the last line of an output also has the highest offset. */
  function lastEnd(session: string, source: Message['source']): number {
    const row = database
      .sql<{ end: number }>(
        `SELECT end_offset AS "end" FROM messages WHERE session_id = ? AND source = '${source}'
        ORDER BY sequence DESC LIMIT 1`,
      )
      .get(session)
    return row?.end ?? 0
  }

  function toMessage({ sequence, source, type, content, end_offset, at }: StoredMessage): Message {
    return { sequence, source, type, content, end: end_offset, at }
  }

  return {
    add(session: string, messages: Message[]): void {
      const values = (message: Message): SqlValue[] => {
        const { sequence, source, type, end, at, content } = message
        return [session, sequence, source, type, end, at, content]
      }
      const whole = messages.length - (messages.length % atOnce)
      for (let i = 0; i < whole; i += atOnce) {
        database.sql(insertSeveral).run(...messages.slice(i, i + atOnce).flatMap(values))
      }
      for (const message of messages.slice(whole)) database.sql(insertOne).run(...values(message))
    },

    list(session: string, after: number, limit: number): Message[] {
      return database
        .sql<StoredMessage>(
          `SELECT sequence, source, type, content, end_offset, at FROM messages
          WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
        )
        .all(session, after, limit)
        .map(toMessage)
    },

    last(session: string): Message | null {
      const row = database
        .sql<StoredMessage>(
          `SELECT sequence, source, type, content, end_offset, at FROM messages
          WHERE session_id = ? ORDER BY sequence DESC LIMIT 1`,
        )
        .get(session)
      return row ? toMessage(row) : null
    },

    end(session: string): { stdout: number; stderr: number; next: number } {
      const row = database
        .sql<{ last: number | null }>('SELECT max(sequence) AS last FROM messages WHERE session_id = ?')
        .get(session)
      const next = (row?.last ?? -1) + 1
      return { stdout: lastEnd(session, 'stdout'), stderr: lastEnd(session, 'stderr'), next }
    },
  }
}
