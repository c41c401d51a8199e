/**
 * How long to wait for a running agent that prints nothing. There are two limits:
 *
 *   said nothing, and nothing it works on changed, for `quiet.afterMs` ──► quiet   it is done and only does not exit
 *   said nothing for `idleMs` ──► idle                                             it hangs
 *
 * The agent's files are checked twice, once when it has just fallen silent and once when the time is up, because a
 * check is expensive. An agent that changed something in between is working, and both times start again.
 */
import { stat } from 'node:fs/promises'
import { writeAtomically } from '../lib/file/write-atomically.ts'
import type { Watch } from './attempt.ts'
import { type AttemptFolder, isMissing, type Result } from './folder.ts'

/** An agent that prints again within this fraction of the time only paused. */
const breath = 1 / 8

export interface Patience {
  /** Call this whenever the agent printed something. */
  heard(): void
  /** What to do now: stop it for one of these reasons, or ask again after this many milliseconds. */
  ask(): Promise<'quiet' | 'idle' | number>
}

export function openPatience({ idleMs, quiet }: Pick<Watch, 'idleMs' | 'quiet'>): Patience {
  let lastWord = performance.now()
  let lastSign = lastWord
  /** What the last check saw, and since when. Null before the first check of this silence. */
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
      // Now the idle limit applies again.
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
      // While the checks succeed they decide, because they know more about a silent agent than the idle limit does.
      const idleIn =
        idleMs === null || seen ? Number.POSITIVE_INFINITY : lastSign + idleMs - performance.now()
      return idleIn <= 0 ? 'idle' : Math.min(quietIn, idleIn)
    },
  }
}

/**
 * Stopping even a stubborn tree takes no longer. An agent that is alive after this time was never told to stop, and may
 * have gone back to work. The mark then says nothing about it.
 */
const validMs = 15_000

/** When the mark was written, in milliseconds. */
type QuietMark = number

/**
 * The mark in an attempt's folder, written right before Umpire stops the attempt for being quiet. If that Umpire dies
 * before it has recorded the reason, the result says only that the agent was killed. The mark tells the next one why.
 */
export async function markQuiet(folder: AttemptFolder): Promise<void> {
  await writeAtomically(folder.quiet, '')
}

export async function readQuietMark(folder: AttemptFolder): Promise<QuietMark | null> {
  try {
    return Math.floor((await stat(folder.quiet)).mtimeMs)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Whether the attempt must still be stopped because of this mark. */
export function isInForce(mark: QuietMark | null): boolean {
  return mark !== null && Date.now() - mark < validMs
}

/** Whether the attempt ended because of this mark, and not by itself before or after. */
export function explains(mark: QuietMark | null, result: Result): boolean {
  if (mark === null || result.overdue || precedes(result, mark)) return false
  return Date.parse(result.endedAt) - mark < validMs
}

export function precedes({ endedAt }: Result, mark: QuietMark | null): boolean {
  return mark !== null && Date.parse(endedAt) < mark
}
