/** When a notification that could not be delivered is sent again, whatever its channel: bell, command, desktop or webhook. */
import type { Delivery } from './notifier.ts'

/** Seven attempts in half an hour. */
const usualDelaysMs = [500, 2_000, 10_000, 60_000, 300_000, 1_800_000]

/**
 * How long to wait before the next attempt. Null after the last attempt, and for a channel that can't work here. A server
 * that asks for a longer pause (`Retry-After`) gets it.
 */
export function decideRetry(
  { again, afterMs = 0 }: Extract<Delivery, { kind: 'failed' }>,
  attempts: number,
  delaysMs: readonly number[] = usualDelaysMs,
): number | null {
  const delayMs = again === 'later' ? delaysMs[attempts - 1] : undefined
  return delayMs === undefined ? null : Math.max(delayMs, afterMs)
}
