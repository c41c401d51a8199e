import { ConflictError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import { evolve, foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import type { Ports } from './ports.ts'

/**
 * Appends facts that can't wait for the end of a step. Only as long as the loop is still its worker's; the worker's own
 * next append finds that the stream has moved on, and looks again. What depends on how the loop stands is asked for then.
 * Gives back the loop as it is with them; null when they were not appended.
 */
export async function appendBeside(
  loop: Loop,
  facts: NewEvent | ((now: Loop) => NewEvent | NewEvent[] | null),
  ports: Ports,
): Promise<Loop | null> {
  const stream = `task/${loop.id}` as const
  for (;;) {
    const now = foldLoop(await ports.journal.load(stream))
    if (!now || now.claim?.worker !== loop.claim?.worker) return null
    const found = typeof facts === 'function' ? facts(now) : facts
    const events = found === null ? [] : [found].flat()
    if (events.length === 0) return null
    try {
      const stored = await ports.journal.append(stream, now.version, ...events)
      ports.observe(stored)
      return stored.reduce((state: Loop, event) => evolve(state, event), now)
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}
