/**
 * Notifications still to be sent. They are kept in the journal's database, so they outlive this process and two
 * processes never send the same one. The attempt is recorded before it is made. If a process is killed while sending,
 * its notice is not sent again, because it may have arrived (docs/decisions/0011).
 */
import { isQuiet, type QuietHours } from '../core/policy/quiet-hours.ts'
import { formatIdentity, identify, isAlive, parseIdentity } from '../lib/process/process-identity.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../store/sqlite/database.ts'
import type { Notification } from './notifier.ts'

export interface Outbox {
  /** Gives each channel a position in the journal (`end` for a new one) and drops what is too old. */
  open(channels: string[], end: number): Promise<void>
  /** The last event that every channel already has. A channel without a position counts as `otherwise`. */
  seen(channels: string[], otherwise: number): Promise<number>
  /** Gives each channel the notices it does not have. They must be all notices of that part of the journal. */
  put(
    channels: string[],
    part: { after: number; upTo: number },
    told: { seq: number; notification: Notification }[],
  ): Promise<void>
  /** Claims the content of one message: one notice, or all from quiet hours. Null when there is none. */
  claim(channel: string, quiet: QuietHours | null): Promise<Claimed | null>
  finish(claimed: Claimed, end: NoticeEnd): Promise<void>
  /** In milliseconds since 1970. Null if nothing waits. In quiet hours it may be in the past. */
  nextDue(channel: string): Promise<number | null>
  /** What could not be delivered in the last days. */
  undelivered(): Promise<{ channel: string; count: number; error: string | null }[]>
  close(): void
}

export interface Claimed {
  channel: string
  seqs: number[]
  /** The number of attempts, including this one. */
  attempts: number
  notifications: [Notification, ...Notification[]]
}

const dayMs = 24 * 3_600_000

/** A notice older than a day is dropped. */
const newsMs = dayMs

/** How long the result of a notice is kept. */
const historyMs = 7 * dayMs

export async function openOutbox(options: DatabaseOptions, now: () => Date): Promise<Outbox> {
  const database = await openDatabase(options)
  const notices = noticesTable(database)
  const ago = (ms: number) => new Date(now().getTime() - ms).toISOString()

  function pick(channel: string, quiet: QuietHours | null): Notice[] {
    const due = notices.due(channel, now().getTime(), ago(newsMs))
    const [first] = due
    if (!first) return []
    const wasHeld = ({ at }: Notice) => quiet !== null && isQuiet(quiet, new Date(at))
    return wasHeld(first) ? due.filter(wasHeld) : [first]
  }

  return {
    open: (channels, end) =>
      database.write('lazy', () => {
        notices.giveUpAbandoned()
        notices.drop(ago(newsMs))
        notices.forget(ago(historyMs))
        notices.forgetCursors(ago(newsMs))
        for (const channel of channels)
          notices.moveCursor(channel, notices.cursor(channel) ?? end, now().toISOString())
      }),

    seen: (channels, otherwise) =>
      database.read(() => Math.min(...channels.map((channel) => notices.cursor(channel) ?? otherwise))),

    put: (channels, { after, upTo }, told) =>
      database.write('lazy', () => {
        for (const channel of channels) {
          // If another process was faster, the cursor has moved, and these notices are in the table or already sent.
          const seen = notices.cursor(channel) ?? after
          for (const { seq, notification } of told)
            if (seq > seen) notices.add(channel, { seq, at: notification.at, notification })
          notices.moveCursor(channel, Math.max(seen, upTo), now().toISOString())
        }
      }),

    async claim(channel, quiet) {
      if (quiet && isQuiet(quiet, now())) return null
      if (!(await database.read(() => pick(channel, quiet).length > 0))) return null
      return database.write('durable', () => {
        const [first, ...rest] = pick(channel, quiet)
        if (!first) return null
        const seqs = [first, ...rest].map(({ seq }) => seq)
        notices.take(channel, seqs)
        const attempts = Math.max(...[first, ...rest].map((notice) => notice.attempts)) + 1
        const notifications: Claimed['notifications'] = [
          first.notification,
          ...rest.map(({ notification }) => notification),
        ]
        return { channel, seqs, attempts, notifications }
      })
    },

    finish: ({ channel, seqs }, end) =>
      database.write('lazy', () => {
        notices.end(channel, seqs, end)
      }),

    nextDue: (channel) => database.read(() => notices.nextDue(channel, ago(newsMs))),
    undelivered: () => database.read(() => notices.undelivered()),
    close: () => database.close(),
  }
}

interface Notice {
  seq: number
  at: string
  attempts: number
  notification: Notification
}

type NoticeEnd =
  | { state: 'sent' }
  | { state: 'waiting'; due: number; error: string }
  | { state: 'failed'; error: string }

interface NoticeRow {
  seq: number
  at: string
  attempts: number
  notification: string
}

/**
 * `notices` has one row per event and channel: what to send. `notice_cursors` says up to which event each channel has
 * its rows. Neither is folded from the journal. Call everything here within a transaction.
 *
 *   waiting ──claimed──► sending ──► sent
 *      ▲  │ a day old       │ └────► failed    given up: no attempts left, or it can't work
 *      │  └──► dropped      ├──────► unsure    the sender died while sending; it is not sent again
 *      └────── seen to fail ┘
 */
function noticesTable(database: Database) {
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

    /** When the next waiting notice is due. Null if none waits. */
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
