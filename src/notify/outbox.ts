/**
 * Notifications still to be sent. They are kept in the journal's database, so they outlive this process and two
 * processes never send the same one. The attempt is recorded before it is made. If a process is killed while sending,
 * its notice is not sent again, because it may have arrived (docs/decisions/0011).
 */
import { isQuiet, type QuietHours } from '../core/policy/quiet-hours.ts'
import { type DatabaseOptions, openDatabase } from '../store/sqlite/database.ts'
import { type Notice, type NoticeEnd, noticesTable } from './notices-table.ts'
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
  settle(claimed: Claimed, end: NoticeEnd): Promise<void>
  /** In milliseconds since 1970; null when nothing waits. In quiet hours it may lie in the past. */
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

    settle: ({ channel, seqs }, end) =>
      database.write('lazy', () => {
        notices.end(channel, seqs, end)
      }),

    nextDue: (channel) => database.read(() => notices.nextDue(channel, ago(newsMs))),
    undelivered: () => database.read(() => notices.undelivered()),
    close: () => database.close(),
  }
}
