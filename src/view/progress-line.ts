/** What `work` says of an event, on one line where that has room, as in `#29 [2/3] Reviewing…`; null for what goes without saying. */
import type { StoredEvent } from '../core/event.ts'
import { wrap } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import { timeAhead } from './amounts.ts'
import { eventMessage, viewEvent } from './event-view.ts'

/** Where the running tasks are drawn in place, the beginning of each step is seen there. */
export type Telling = 'every step' | 'what is not live'

/** A pipe has no width, and what to do about a failure often stands at the end. */
const widest = 160

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
      // Of the others the gate or the review has told already.
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
      // Nothing has failed as long as the others of a panel go on.
      return event.data.beside ? paint.yellow : paint.red
    case 'loop.failed':
    case 'gate.completed':
      return paint.red
    default:
      return (text) => text
  }
}

/** An agent that named the time from which it works again is waited for. */
function pause(event: StoredEvent): string {
  const outcome = event.type === 'session.ended' ? event.data.outcome : null
  if (outcome?.kind !== 'failed' || !outcome.retryAt) return ''
  return `, waiting until ${timeAhead(outcome.retryAt, new Date(event.at))}`
}
