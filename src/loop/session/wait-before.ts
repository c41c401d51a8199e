/** Waits before an agent is tried again. */
import type { Loop } from '../../core/loop.ts'
import { later, limitWaitedFor } from '../../core/policy/failure.ts'
import type { Role } from '../../core/session/session.ts'
import type { Ports } from '../ports.ts'

/** A shorter wait is not worth lending the place to another task. */
export const worthLendingMs = 60_000

/** How often the wait checks whether a person has ended it. */
const lookEveryMs = 1_000

/** The ports that a wait needs. */
export interface WaitPorts extends Pick<Ports, 'clock' | 'rest'> {
  archive: Pick<Ports['archive'], 'loop'>
  settings: Pick<Ports['settings'], 'cast'>
}

/**
 * Waits until that time. If the clock is behind the last recorded time, it was set back. Then only the span between the
 * record and that time counts. Otherwise a pause of seconds would last as long as the clock was set back.
 *
 * Returns `changed` if a person edited or retried the task meanwhile, so that the earlier decision no longer applies.
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
  // Another agent has the role now, with its own limit.
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
  // The place may have been returned only because the run was interrupted meanwhile.
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
