/** What `work` says of an event on one line, as in `#29 [2/3] Reviewing…`; null for what goes without saying. */
import type { StoredEvent } from '../core/event.ts'
import { noPaint, type Paint } from '../lib/paint.ts'
import { oneLine } from '../lib/printable.ts'
import { timeOfDay } from './amounts.ts'
import { eventMessage, viewEvent } from './event-view.ts'

/** Where the running tasks are drawn in place, the beginning of each step is seen there. */
export type Telling = 'every step' | 'what is not live'

/** Remembers the limit of each task's cycles, which not every event repeats. */
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
    return `${paint.dim(`#${task}${place}`)} ${tone(event, paint)(oneLine(eventMessage(event), 160))}${pause(event)}`
  }
}

function worthOf(event: StoredEvent): 'nothing' | 'a step' | 'a line' {
  switch (event.type) {
    case 'loop.started':
    case 'loop.developing':
    case 'loop.checking':
    case 'loop.reviewing':
    case 'loop.landing':
      return 'a step'
    case 'loop.released':
    case 'loop.approved':
    case 'loop.awaiting_review':
    case 'loop.completed':
    case 'loop.landed':
    case 'loop.blocked':
    case 'loop.failed':
    case 'review.completed':
    case 'review.failed':
    case 'session.lost':
      return 'a line'
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
    case 'review.failed':
    case 'session.lost':
      return paint.yellow
    case 'loop.failed':
    case 'session.ended':
    case 'gate.completed':
      return paint.red
    default:
      return (text) => text
  }
}

/** An agent that named the time from which it works again is waited for. */
function pause(event: StoredEvent): string {
  const outcome = event.type === 'session.ended' ? event.data.outcome : null
  return outcome?.kind === 'failed' && outcome.retryAt ? `, waiting until ${timeOfDay(outcome.retryAt)}` : ''
}
