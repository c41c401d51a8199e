/**
 * Events as programs see them, each with its cycle. An event without a cycle has the cycle of the event before it in the
 * same history, which is looked up, because a reader who starts in the middle has not seen it.
 */
import type { StoredEvent } from '../core/event.ts'
import type { Journal } from '../store/journal.ts'
import { type EventView, ownCycle, viewEvent } from '../view/event-view.ts'

/** Must be called with the events in order. */
export function createEventViews(journal: Journal): (event: StoredEvent) => Promise<EventView> {
  const cycles = new Map<string, number>()
  return async (event) => {
    const { stream } = event
    // A run has no cycles.
    if (!stream.startsWith('task/')) return viewEvent(event)
    const cycle = ownCycle(event) ?? cycles.get(stream) ?? (await cycleBefore(event, journal))
    cycles.set(stream, cycle)
    return { ...viewEvent(event), cycle }
  }
}

async function cycleBefore({ stream, version }: StoredEvent, journal: Journal): Promise<number> {
  if (version === 1) return 0
  const earlier = await journal.list({ stream })
  const cycles = earlier.filter((event) => event.version < version).map(ownCycle)
  return cycles.findLast((cycle) => cycle !== null) ?? 0
}
