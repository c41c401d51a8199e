/**
 * Notifies people without ever slowing the loop. Each channel has its own courier, so a hanging webhook does not delay
 * the bell. The announcer reads the journal from where the last run stopped, so the next run sends what was appended
 * just before a crash.
 */
import type { StoredEvent } from '../core/event.ts'
import { isQuiet, type QuietHours } from '../core/policy/quiet-hours.ts'
import { summarise } from '../core/summary.ts'
import { openBell } from '../lib/concurrency.ts'
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
import { decideRetry } from './retry-delivery.ts'

export interface NotifyChannel {
  /** The outbox identifies the channel by this key, in this run and in later ones. */
  key: string
  notifier: Notifier
  quiet: QuietHours | null
}

export interface AnnouncerOptions {
  channels: NotifyChannel[]
  outbox: Outbox
  journal: Journal
  archive: Archive
  /** The name of the repository as notifications show it. */
  repository: string
  /** The latest event when the announcer was opened. A new channel starts here. */
  end: number
  now: () => Date
  /** Called at the end with what could not be delivered, in words for a person. */
  warn: (text: string) => void
  /** Instead of the usual delays between attempts. */
  delaysMs?: readonly number[]
}

export interface Announcer {
  /** Starts sending what earlier runs left behind. */
  begin(): void
  /** Takes newly appended events. Returns at once. */
  observe(events: StoredEvent[]): void
  /** Delivers what it can within that time and leaves the rest to the next run. Never throws. */
  close(graceMs: number): Promise<void>
}

/** Look again this often, because quiet hours may end at any minute and the clock may be changed. */
const lookEveryMs = 30_000

export function openAnnouncer(options: AnnouncerOptions): Announcer {
  const { channels, outbox, journal, now } = options
  const keys = channels.map(({ key }) => key)
  const news = openBell()
  const couriers = channels.map((channel) => ({ channel, bell: openBell() }))
  const ringAll = () => {
    for (const { bell } of couriers) bell.ring()
  }
  const stop = new AbortController()
  /** Warnings to print at the end, by the name of the notifier. */
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

  /** Turns new events into notices until the announcer is closed, and then one last time. */
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
      return outbox.finish(claimed, { state: 'sent' })
    }
    const { why: error } = delivery
    const retryMs = decideRetry(delivery, claimed.attempts, options.delaysMs)
    const then = retryMs === null ? 'Umpire does not try again.' : 'The next umpire work tries again.'
    troubles.set(notifier.name, `A notification could not be delivered (${notifier.name}): ${error}. ${then}`)
    if (retryMs === null) return outbox.finish(claimed, { state: 'failed', error })
    return outbox.finish(claimed, { state: 'waiting', due: now().getTime() + retryMs, error })
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

/** A verdict that a person set also stops a task, but that person knows. Everything a worker does begins with a claim. */
async function isPersonsOwn(event: ToldEvent, journal: Journal): Promise<boolean> {
  if (event.type === 'run.ended') return false
  const { stream, seq } = event
  const events = await journal.list({ stream, types: ['loop.claimed', 'person.decided'] })
  const before = events.findLast((earlier) => earlier.seq < seq)
  return before?.type === 'person.decided' && before.data.move === 'verdict'
}

/** A notifier that throws is a bug. Its message may contain anything, so only the error's name is shown. */
function surprise(error: unknown): Delivery {
  return failed(`unexpected ${error instanceof Error ? error.name : 'error'}`, 'later')
}
