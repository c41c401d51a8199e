/**
 * How long a running agent that says nothing is waited for. There are two ends:
 *
 *   said nothing, and nothing it works on changed, for `quiet.afterMs` ──► quiet   it is done and only does not exit
 *   said nothing for `idleMs` ──► idle                                             it hangs
 *
 * What it works on is looked at twice, once when it has just fallen silent and once when the time is over, because
 * looking has its price. An agent that changes something meanwhile is at work, and both times begin anew.
 */
import type { Watch } from './attempt.ts'

/** An agent that speaks again within this part of the time was only drawing breath. */
const breath = 1 / 8

export interface Patience {
  /** To be told whenever the agent has said something. */
  heard(): void
  /** What is to be done now: end it for one of these reasons, or ask again after so many milliseconds. */
  ask(): Promise<'quiet' | 'idle' | number>
}

export function openPatience({ idleMs, quiet }: Pick<Watch, 'idleMs' | 'quiet'>): Patience {
  let lastWord = performance.now()
  let lastSign = lastWord
  /** What there was to see since when; null before the first look of this silence. */
  let seen: { what: string; since: number } | null = null
  let nextLook = 0
  const breathMs = (quiet?.afterMs ?? 0) * breath

  async function quietLeft({ afterMs, look }: NonNullable<Watch['quiet']>): Promise<number> {
    const due = seen ? seen.since + afterMs : lastWord + breathMs
    const left = Math.max(due, nextLook) - performance.now()
    if (left > 0) return left
    const what = await look()
    const now = performance.now()
    if (what === null) {
      // Now the idle limit holds again.
      seen = null
      nextLook = now + breathMs
      return breathMs
    }
    if (what === seen?.what) return 0
    if (seen) lastSign = now
    seen = { what, since: now }
    return afterMs
  }

  return {
    heard() {
      lastWord = lastSign = performance.now()
      seen = null
    },
    async ask() {
      const quietIn = quiet ? await quietLeft(quiet) : Number.POSITIVE_INFINITY
      if (quietIn <= 0) return 'quiet'
      // As long as the looks succeed they decide: of one that is silent they know more than the idle limit does.
      const idleIn =
        idleMs === null || seen ? Number.POSITIVE_INFINITY : lastSign + idleMs - performance.now()
      return idleIn <= 0 ? 'idle' : Math.min(quietIn, idleIn)
    },
  }
}
