/** When a failed agent run is tried again, and when that is no use. */
import type { Loop } from './loop.ts'
import type { FailureClass } from './task.ts'

/** Keepers that vanish this often in a row are no accident. */
const lossesThatAreACrash = 10

const longestWaitMs = 5 * 60_000

/** 2 s, 8 s, 32 s, … */
export function backoffMs(failures: number): number {
  return Math.min(2_000 * 4 ** (failures - 1), longestWaitMs)
}

export type NextTry =
  | { kind: 'try'; notBefore: string | null }
  | { kind: 'give-up'; reason: FailureClass; detail: string }

export function nextTry(loop: Loop, agentRetries: number): NextTry {
  const { failures, losses, last } = loop.tries
  if (losses >= lossesThatAreACrash) {
    return {
      kind: 'give-up',
      reason: 'crash',
      detail: `the agent vanished ${losses} times in a row without a result`,
    }
  }
  if (!last) return { kind: 'try', notBefore: null }
  // Nobody is logged in: trying again can only fail again.
  if (last.class === 'auth' || failures > agentRetries) {
    return { kind: 'give-up', reason: last.class, detail: last.detail }
  }
  return { kind: 'try', notBefore: last.retryAt ?? later(last.at, backoffMs(failures)) }
}

export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}
