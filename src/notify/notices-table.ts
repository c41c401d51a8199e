/**
 * `notices` has one row per event and channel: what to send. `notice_cursors` says up to which event each channel has
 * its rows. Neither is folded from the journal. Call everything here within a transaction.
 *
 *   waiting ──claimed──► sending ──► sent
 *      ▲  │ a day old       │ └────► failed    given up: no attempts left, or it can't work
 *      │  └──► dropped      ├──────► unsure    the sender died while sending; it is not sent again
 *      └────── seen to fail ┘
 */
import { formatIdentity, identify, isAlive, parseIdentity } from '../lib/process/process-identity.ts'
import type { Database } from '../store/sqlite/database.ts'
import type { Notification } from './notifier.ts'

export interface Notice {
  seq: number
  at: string
  attempts: number
  notification: Notification
}

export type NoticeEnd =
  | { state: 'sent' }
  | { state: 'waiting'; due: number; error: string }
  | { state: 'failed'; error: string }

interface NoticeRow {
  seq: number
  at: string
  attempts: number
  notification: string
}

export function noticesTable(database: Database) {
  const self = identify()
  if (!self) throw new Error('This process is not in the process table.')
  const owner = formatIdentity(self)

  function cursor(channel: string): number | null {
    const row = database
      .sql<{ seen: number }>('SELECT seen FROM notice_cursors WHERE channel = ?')
      .get(channel)
    return row?.seen ?? null
  }

  return {
    cursor,

    moveCursor(channel: string, seen: number, at: string): void {
      database
        .sql('INSERT OR REPLACE INTO notice_cursors (channel, seen, at) VALUES (?, ?, ?)')
        .run(channel, seen, at)
    },

    /** Forgets channels that were not used since then. A channel that is configured again starts with new events. */
    forgetCursors(before: string): void {
      database.sql('DELETE FROM notice_cursors WHERE at < ?').run(before)
    },

    add(channel: string, { seq, at, notification }: Omit<Notice, 'attempts'>): void {
      database
        .sql(
          `INSERT OR IGNORE INTO notices (seq, channel, at, state, attempts, due, notification)
          VALUES (?, ?, ?, 'waiting', 0, 0, ?)`,
        )
        .run(seq, channel, at, JSON.stringify(notification))
    },

    /** Oldest first. */
    due(channel: string, now: number, since: string): Notice[] {
      return database
        .sql<NoticeRow>(
          `SELECT seq, at, attempts, notification FROM notices
          WHERE channel = ? AND state = 'waiting' AND due <= ? AND at >= ? ORDER BY seq`,
        )
        .all(channel, now, since)
        .map((row) => ({ ...row, notification: JSON.parse(row.notification) }))
    },

    /** When the next waiting notice is due; null when none waits. */
    nextDue(channel: string, since: string): number | null {
      const row = database
        .sql<{ due: number | null }>(
          "SELECT min(due) AS due FROM notices WHERE channel = ? AND state = 'waiting' AND at >= ?",
        )
        .get(channel, since)
      return row?.due ?? null
    },

    /** Runs under the write lock and takes only waiting notices, so of two processes only one gets each. */
    take(channel: string, seqs: number[]): void {
      database
        .sql(
          `UPDATE notices SET state = 'sending', owner = ?, attempts = attempts + 1
          WHERE channel = ? AND state = 'waiting' AND seq IN (SELECT value FROM json_each(?))`,
        )
        .run(owner, channel, JSON.stringify(seqs))
    },

    end(channel: string, seqs: number[], end: NoticeEnd): void {
      database
        .sql(
          `UPDATE notices SET state = ?, due = ?, error = ?, owner = NULL
          WHERE channel = ? AND state = 'sending' AND owner = ? AND seq IN (SELECT value FROM json_each(?))`,
        )
        .run(
          end.state,
          end.state === 'waiting' ? end.due : 0,
          end.state === 'sent' ? null : end.error,
          channel,
          owner,
          JSON.stringify(seqs),
        )
    },

    /** Marks notices whose sender is gone. It is unknown whether they arrived. */
    giveUpAbandoned(): void {
      const owners = database
        .sql<{ owner: string }>("SELECT DISTINCT owner FROM notices WHERE state = 'sending'")
        .all()
      for (const { owner: sender } of owners) {
        const identity = parseIdentity(sender)
        if (identity && isAlive(identity)) continue
        database
          .sql(
            `UPDATE notices SET state = 'unsure', error = 'Umpire was killed while sending it'
            WHERE state = 'sending' AND owner = ?`,
          )
          .run(sender)
      }
    },

    drop(before: string): void {
      database.sql("UPDATE notices SET state = 'dropped' WHERE state = 'waiting' AND at < ?").run(before)
    },

    /** Deletes old notices that have ended. */
    forget(before: string): void {
      database.sql("DELETE FROM notices WHERE state NOT IN ('waiting', 'sending') AND at < ?").run(before)
    },

    /** Counts what was not delivered, by channel, with the error of the latest. */
    undelivered(): { channel: string; count: number; error: string | null }[] {
      return database
        .sql<{ channel: string; count: number; error: string | null }>(
          `SELECT channel, count(*) AS count, error, max(seq) AS latest FROM notices
          WHERE state IN ('failed', 'unsure') OR (state = 'dropped' AND error IS NOT NULL) GROUP BY channel`,
        )
        .all()
        .map(({ channel, count, error }) => ({ channel, count, error }))
    },
  }
}
