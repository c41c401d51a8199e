/** What `work` prints for an event, such as `#29 [2/3] Reviewing…`. Null for events that are not worth a line. */
import type { StoredEvent } from '../core/event.ts'
import { wrap } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import { timeAhead } from './amounts.ts'
import { eventMessage, viewEvent } from './event-view.ts'

/** The live view already shows the beginning of each step, so next to it only the other events are printed. */
export type Telling = 'every step' | 'what is not live'

/** A pipe has no width. The limit is generous, because the end of a line often says what to do about a failure. */
const widest = 160

/** Remembers each task's cycle limit, because not every event repeats it. */
export function createProgress(
  telling: Telling,
  paint: Paint = noPaint,
): (event: StoredEvent) => string | null {
  const limits = new Map<string, { cycle: number; of: number }>()
  return (event) => {
    if (event.type === 'loop.claimed') limits.set(event.stream, { cycle: 1, of: event.data.policy.maxCycles })
    const limit = limits.get(event.stream)
    const { task, cycle } = viewEvent(event)
    if (limit && cycle !== null && cycle > 0) limit.cycle = Math.min(cycle, limit.of)
    const worth = task === null ? 'nothing' : worthOf(event)
    if (worth === 'nothing' || (worth === 'a step' && telling === 'what is not live')) return null
    const place = limit ? ` [${limit.cycle}/${limit.of}]` : ''
    const [first = '', ...rest] = wrap(`${oneLine(eventMessage(event), 600)}${pause(event)}`, widest, 4)
    const coloured = tone(event, paint)
    return [
      `${paint.dim(`#${task}${place}`)} ${coloured(first)}`,
      ...rest.map((line) => `    ${coloured(line)}`),
    ].join('\n')
  }
}

function worthOf(event: StoredEvent): 'nothing' | 'a step' | 'a line' {
  switch (event.type) {
    case 'loop.started':
    case 'loop.developing':
    case 'loop.checking':
    case 'loop.reviewing':
    case 'loop.landing':
    case 'loop.merging':
    case 'review.answered':
    case 'session.waiting':
      return 'a step'
    case 'loop.released':
    case 'loop.freed':
    case 'task.overlaps':
    case 'loop.approved':
    case 'loop.awaiting_review':
    case 'loop.completed':
    case 'loop.landed':
    case 'loop.resolving':
    case 'loop.unresolved':
    case 'loop.abandoned':
    case 'loop.blocked':
    case 'loop.failed':
    case 'loop.checkpoint':
    case 'review.given':
    case 'review.completed':
    case 'review.failed':
    case 'session.strayed':
    case 'session.lost':
    case 'budget.warned':
      return 'a line'
    case 'loop.feedback':
      // For other feedback, the gate or the review has already printed its line.
      return event.data.feedback.from === 'gate' && event.data.feedback.merged !== undefined
        ? 'a line'
        : 'nothing'
    case 'session.noted':
      return event.data.about === 'tools' ? 'a line' : 'a step'
    case 'gate.completed':
    case 'gate.baseline':
      return event.data.passed ? 'nothing' : 'a line'
    case 'session.ended':
      return event.data.outcome.kind === 'failed' ? 'a line' : 'nothing'
    default:
      return 'nothing'
  }
}

function tone(event: StoredEvent, paint: Paint): (text: string) => string {
  switch (event.type) {
    case 'loop.approved':
    case 'loop.completed':
    case 'loop.landed':
      return paint.green
    case 'loop.blocked':
    case 'loop.awaiting_review':
    case 'loop.resolving':
    case 'loop.unresolved':
    case 'loop.abandoned':
    case 'loop.feedback':
    case 'review.failed':
    case 'budget.warned':
    case 'session.strayed':
    case 'session.lost':
    case 'session.waiting':
      return paint.yellow
    case 'session.ended':
      // One failed session of a panel is not a failure while the other seats continue.
      return event.data.beside ? paint.yellow : paint.red
    case 'loop.failed':
    case 'gate.completed':
      return paint.red
    default:
      return (text) => text
  }
}

/** If the agent named a time at which it works again, Umpire waits until then. */
function pause(event: StoredEvent): string {
  const outcome = event.type === 'session.ended' ? event.data.outcome : null
  if (outcome?.kind !== 'failed' || !outcome.retryAt) return ''
  return `, waiting until ${timeAhead(outcome.retryAt, new Date(event.at))}`
}
