/** The pause before an agent is tried again. */
import { later } from '../core/failure.ts'
import type { Loop } from '../core/loop.ts'
import type { Clock } from './ports.ts'

/**
 * Waits until that time. When the clock is behind what was recorded last, it was set back since; then only the span
 * between the record and that time counts, or a pause of seconds would last as long as the clock was set back.
 */
export async function waitBefore(
  notBefore: string,
  loop: Pick<Loop, 'tries' | 'asks'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const recorded = [loop.tries.last?.at ?? '', loop.asks.at ?? ''].sort().at(-1) ?? ''
  const now = clock.now().toISOString()
  const span = Date.parse(notBefore) - Date.parse(recorded)
  await clock.until(now < recorded ? later(now, span) : notBefore, signal)
}
