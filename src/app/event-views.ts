/**
 * Events as programs see them, each with the cycle it falls into. Not every event says it of itself; then it is that of
 * the event before it in the same history, which a reader who starts in the middle has not seen.
 */
import type { StoredEvent } from '../core/event.ts'
import type { Journal } from '../store/journal.ts'
import { type EventView, ownCycle, viewEvent } from '../view/event-view.ts'

/** Gives events in their order, gets views. */
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
