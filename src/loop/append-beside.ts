import { ConflictError } from '../core/errors.ts'
import type { NewEvent } from '../core/event.ts'
import { foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import type { Ports } from './ports.ts'

/**
 * Appends a fact that can't wait for the end of a step. Only as long as the loop is still its worker's; the worker's own
 * next append finds that the stream has moved on, and looks again. What depends on how the loop stands is asked for then.
 */
export async function appendBeside(
  loop: Loop,
  fact: NewEvent | ((now: Loop) => NewEvent | null),
  ports: Ports,
): Promise<void> {
  const stream = `task/${loop.id}` as const
  for (;;) {
    const now = foldLoop(await ports.journal.load(stream))
    if (!now || now.claim?.worker !== loop.claim?.worker) return
    const event = typeof fact === 'function' ? fact(now) : fact
    if (event === null) return
    try {
      ports.observe(await ports.journal.append(stream, now.version, event))
      return
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
}
