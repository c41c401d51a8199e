/**
 * Tells people what happened, beside the loop and never in its way. Each channel has a courier of its own, so that a
 * webhook that hangs keeps no bell from ringing. What is told is read from the journal, from where the last run left
 * off: what was appended just before a crash is told by the next run.
 */
import type { StoredEvent } from '../core/event.ts'
import { isQuiet, type QuietHours } from '../core/policy/quiet-hours.ts'
import { summarise } from '../core/summary.ts'
import { openBell } from '../lib/concurrency/wake-up.ts'
import type { Archive } from '../store/archive.ts'
import type { Journal } from '../store/journal.ts'
import { type Delivery, failed, type Notification, type Notifier } from './notifier.ts'
import type { Claimed, Outbox } from './outbox.ts'
import {
  isTold,
  renderDigest,
  renderNotification,
  type ToldEvent,
  tasksOf,
  toldTypes,
} from './render-notification.ts'

export interface NotifyChannel {
  /** Under which the outbox knows it, in this run and the next ones. */
  key: string
  notifier: Notifier
  quiet: QuietHours | null
}

export interface AnnouncerOptions {
  channels: NotifyChannel[]
  outbox: Outbox
  journal: Journal
  archive: Archive
  /** The name of the repository, as people are told it. */
  repository: string
  /** The latest event when this began: where a channel starts that was not there before. */
  end: number
  now: () => Date
  /** Told once what could not be delivered, in words for a person. */
  warn: (text: string) => void
  /** How long to wait after each failed attempt; after the last one there are no more. */
  delaysMs?: number[]
}

export interface Announcer {
  /** Begins to tell what earlier runs left behind. */
  begin(): void
  /** To be told of what was appended; returns at once. */
  observe(events: StoredEvent[]): void
  /** Delivers what can be delivered within that time; the rest is left to the next run. Never throws. */
  close(graceMs: number): Promise<void>
}

/** Seven attempts in half an hour. */
const defaultDelaysMs = [500, 2_000, 10_000, 60_000, 300_000, 1_800_000]

/** Quiet hours are over at some minute, and the clock may be set meanwhile. */
const lookEveryMs = 30_000

export function openAnnouncer(options: AnnouncerOptions): Announcer {
  const { channels, outbox, journal, now } = options
  const delaysMs = options.delaysMs ?? defaultDelaysMs
  const keys = channels.map(({ key }) => key)
  const news = openBell()
  const couriers = channels.map((channel) => ({ channel, bell: openBell() }))
  const ringAll = () => {
    for (const { bell } of couriers) bell.ring()
  }
  const stop = new AbortController()
  /** By the name of the notifier: what is to be said of it at the end. */
  const troubles = new Map<string, string>()
  let told = options.end
  let phase: 'open' | 'closing' | 'last round' = 'open'
  let deadline = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    await outbox.open(keys, options.end)
    const ended = await Promise.allSettled([collect(), ...couriers.map(deliver)])
    const first = ended.find((each) => each.status === 'rejected')
    if (first) throw first.reason
  }

  /** Turns new events into notices, until this is closed and then once more. */
  async function collect(): Promise<void> {
    try {
      for (;;) {
        const last = phase === 'closing'
        await fill()
        if (last) return
        ringAll()
        await news.wait(lookEveryMs)
      }
    } finally {
      phase = 'last round'
      ringAll()
    }
  }

  async function fill(): Promise<void> {
    const after = await outbox.seen(keys, told)
    const upTo = await journal.lastSeq()
    if (upTo <= after) return
    const events = (await journal.list({ after, types: [...toldTypes] })).filter(({ seq }) => seq <= upTo)
    const notices: { seq: number; notification: Notification }[] = []
    for (const event of events.filter(isTold)) {
      const notification = await render(event)
      if (notification) notices.push({ seq: event.seq, notification })
    }
    await outbox.put(keys, { after, upTo }, notices)
    told = upTo
  }

  async function render(event: ToldEvent): Promise<Notification | null> {
    if (await isPersonsOwn(event, journal)) return null
    const loops = await Promise.all(tasksOf(event).map((task) => options.archive.loop(task)))
    const tasks = loops.flatMap((loop) => (loop && !loop.standing.deleted ? [summarise(loop)] : []))
    return renderNotification(event, tasks, options.repository)
  }

  async function deliver({ channel, bell }: (typeof couriers)[number]): Promise<void> {
    const { key, notifier, quiet } = channel
    for (;;) {
      const isLast = phase === 'last round'
      const claimed = stop.signal.aborted ? null : await outbox.claim(key, quiet)
      if (claimed) {
        await attempt(claimed, notifier)
        continue
      }
      const held = quiet !== null && isQuiet(quiet, now())
      const due = held ? null : await outbox.nextDue(key)
      const waitMs = due === null ? lookEveryMs : Math.max(due - now().getTime(), 0)
      if (isLast && (due === null || performance.now() + waitMs > deadline)) return
      await bell.wait(Math.min(waitMs, lookEveryMs))
    }
  }

  async function attempt(claimed: Claimed, notifier: Notifier): Promise<void> {
    const [first, ...rest] = claimed.notifications
    const notification = rest.length === 0 ? first : renderDigest([first, ...rest])
    const delivery = await notifier.send(notification, stop.signal).catch(surprise)
    if (delivery.kind === 'delivered') {
      troubles.delete(notifier.name)
      return outbox.settle(claimed, { state: 'sent' })
    }
    const { why: error, again, afterMs = 0 } = delivery
    const delay = again === 'later' ? delaysMs[claimed.attempts - 1] : undefined
    const then = delay === undefined ? 'It is given up.' : 'The next umpire work tries again.'
    troubles.set(notifier.name, `A notification was not delivered (${notifier.name}): ${error}. ${then}`)
    if (delay === undefined) return outbox.settle(claimed, { state: 'failed', error })
    const due = now().getTime() + Math.max(delay, afterMs)
    return outbox.settle(claimed, { state: 'waiting', due, error })
  }

  function begin(): void {
    running ??= run().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      troubles.set('', `Notifications could not be sent: ${why} The next umpire work tries again.`)
    })
  }

  return {
    begin,
    observe(events) {
      begin()
      if (events.some(isTold)) news.ring()
    },
    async close(graceMs) {
      if (running) {
        deadline = performance.now() + graceMs
        if (phase === 'open') phase = 'closing'
        news.ring()
        ringAll()
        const timer = setTimeout(() => {
          stop.abort()
          ringAll()
        }, graceMs)
        await running
        clearTimeout(timer)
      }
      outbox.close()
      for (const trouble of troubles.values()) options.warn(trouble)
    },
  }
}

/** A verdict that a person set stops a task, too; but they know. Whatever a worker does begins with a claim. */
async function isPersonsOwn(event: ToldEvent, journal: Journal): Promise<boolean> {
  if (event.type === 'run.ended') return false
  const { stream, seq } = event
  const events = await journal.list({ stream, types: ['loop.claimed', 'person.decided'] })
  const before = events.findLast((earlier) => earlier.seq < seq)
  return before?.type === 'person.decided' && before.data.move === 'verdict'
}

/** A notifier that throws is a mistake of ours; its words may hold anything. */
function surprise(error: unknown): Delivery {
  return failed(`unexpected ${error instanceof Error ? error.name : 'error'}`, 'later')
}
