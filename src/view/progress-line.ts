/** What `work` says of an event on one plain line, as in `#29 [2/3] Reviewing…`; null for what goes without saying. */
import type { StoredEvent } from '../core/event.ts'
import { oneLine } from '../lib/printable.ts'
import { eventMessage, viewEvent } from './event-view.ts'

/** Remembers the limit of each task's cycles, which not every event repeats. */
export function createProgress(): (event: StoredEvent) => string | null {
  const limits = new Map<string, { cycle: number; of: number }>()
  return (event) => {
    if (event.type === 'loop.claimed') limits.set(event.stream, { cycle: 1, of: event.data.policy.maxCycles })
    const limit = limits.get(event.stream)
    const { task, cycle } = viewEvent(event)
    if (limit && cycle !== null && cycle > 0) limit.cycle = Math.min(cycle, limit.of)
    if (task === null || !isWorthALine(event)) return null
    const place = limit ? ` [${limit.cycle}/${limit.of}]` : ''
    return `#${task}${place} ${oneLine(eventMessage(event), 160)}`
  }
}

function isWorthALine(event: StoredEvent): boolean {
  switch (event.type) {
    case 'loop.started':
    case 'loop.developing':
    case 'loop.checking':
    case 'loop.reviewing':
    case 'loop.released':
    case 'loop.approved':
    case 'loop.completed':
    case 'loop.blocked':
    case 'loop.failed':
    case 'review.completed':
    case 'review.failed':
    case 'session.lost':
      return true
    case 'gate.completed':
    case 'gate.baseline':
      return !event.data.passed
    case 'session.ended':
      return event.data.outcome.kind === 'failed'
    default:
      return false
  }
}
