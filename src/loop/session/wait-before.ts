/** The pause before an agent is tried again. */

import type { Loop } from '../../core/loop.ts'
import { later, limitWaitedFor } from '../../core/policy/failure.ts'
import type { Role } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'

/** Shorter than this nobody else could do anything. */
export const worthLendingMs = 60_000

/** How often it is looked meanwhile whether the person has had enough of the wait. */
const lookEveryMs = 1_000

/** What of the ports is needed to wait. */
export interface WaitPorts extends Pick<Ports, 'clock' | 'rest'> {
  archive: Pick<Ports['archive'], 'loop'>
  settings: Pick<Ports['settings'], 'cast'>
}

/**
 * Waits until that time. When the clock is behind what was recorded last, it was set back since; then only the span
 * between the record and that time counts, or a pause of seconds would last as long as the clock was set back.
 *
 * `changed` when the task is another meanwhile, because a person edited it or tries it at once: what was decided no
 * longer counts.
 */
export async function waitBefore(
  notBefore: string,
  role: Role,
  loop: Pick<Loop, 'id' | 'version' | 'task' | 'turn' | 'standing' | 'review'>,
  ports: WaitPorts,
  signal: AbortSignal,
): Promise<'over' | 'changed'> {
  const { clock } = ports
  const limit = limitWaitedFor(loop)
  // Another agent has the role by now, and a limit of its own.
  if (limit && limit.agent !== ports.settings.cast(role, loop.task).agent.name) return 'over'
  const recorded = [loop.turn.tries.last?.at ?? '', loop.review.asks.at ?? ''].sort().at(-1) ?? ''
  const now = clock.now().toISOString()
  const span = Date.parse(notBefore) - Date.parse(recorded)
  const end = now < recorded ? later(now, span) : notBefore
  if (!limit || Date.parse(end) - Date.parse(now) <= worthLendingMs) {
    await clock.until(end, signal)
    return 'over'
  }
  let outcome: 'over' | 'changed' = 'over'
  await ports.rest(limit.agent, async () => {
    outcome = await untilChanged(end, loop, ports, signal)
  })
  // Its place may have been given back only because all was called off meanwhile.
  signal.throwIfAborted()
  return outcome
}

async function untilChanged(
  end: string,
  { id, version }: Pick<Loop, 'id' | 'version'>,
  { archive, clock }: WaitPorts,
  signal: AbortSignal,
): Promise<'over' | 'changed'> {
  for (;;) {
    const look = later(clock.now().toISOString(), lookEveryMs)
    await clock.until(look < end ? look : end, signal)
    if (look >= end) return 'over'
    if ((await archive.loop(id))?.version !== version) return 'changed'
  }
}
