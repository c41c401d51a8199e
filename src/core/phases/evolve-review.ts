/** What a review changes in the state, from being asked for to its verdict, or to none. */
import type { EventData } from '../event.ts'
import { type Loop, noAsks, noTries } from '../loop.ts'
import { openBlocking } from '../review/ledger.ts'
import { seatUnreadable } from './evolve-beside.ts'

export function reviewAsked(
  { attempts, asks, panel }: Loop,
  { cycle, attempt, ask, seats }: EventData['loop.reviewing'],
): Partial<Loop> {
  // A cycle that is asked for again counts on, and the parser with it.
  const parser = attempts.cycle === cycle ? attempts.parser : 0
  return {
    phase: 'review',
    reviewing: cycle,
    attempts: { ...attempts, reviewer: attempt, cycle, parser },
    unparsed: null,
    gateFailures: 0,
    // A seat that is asked again is told its own reason, which is kept with it.
    asks: { ...asks, why: seats && panel.length > 0 ? asks.why : ask },
    panel: seats ? panel : [],
  }
}

export function reviewCompleted(loop: Loop, completed: EventData['review.completed']): Partial<Loop> {
  const { review: id, cycle, attempt, tree, body, changes } = completed
  const { verdict, blocking, summary } = body
  const openBefore = openBlocking(loop.ledger).map((issue) => issue.number)
  const dissent = outvoted(completed)
  return {
    phase: 'judge',
    cycle,
    // What was approved before is being judged anew, and it is this verdict that counts.
    approval: null,
    unparsed: null,
    panel: [],
    tries: noTries,
    // A second review within one cycle means that the verdict of the first one could not be acted upon.
    asks: { ...noAsks, baseless: loop.review?.cycle === cycle ? loop.asks.baseless + 1 : 0 },
    review: {
      id,
      cycle,
      attempt,
      verdict,
      blocking,
      summary,
      tree,
      since: treeBefore(loop, cycle),
      changes,
      sentBack: false,
      openBefore,
      ...(dissent > 0 && { dissent }),
    },
  }
}

/** Who of a panel wanted something else than the approval that came of it. */
function outvoted({ body, seats = [] }: EventData['review.completed']): number {
  if (body.verdict !== 'APPROVED') return 0
  return seats.filter(({ verdict }) => verdict !== null && verdict !== 'APPROVED').length
}

/** The work was sent back for what does not matter any more: the review of the same cycle is asked for again. */
export function reconsidered(
  { review }: Loop,
  { cycle, ask }: EventData['loop.reconsidered'],
): Partial<Loop> {
  return {
    phase: 'check',
    reviewing: cycle,
    asks: { ...noAsks, why: ask },
    // It was reviewed, so nobody has to say once more that it is done.
    claimed: true,
    review: review && { ...review, sentBack: false },
  }
}

export function reviewFailed(loop: Loop, failed: EventData['review.failed'], at: string): Partial<Loop> {
  const { cause, why, seat, kind } = failed
  if (kind === 'checkpoint') return cause === 'tampered' ? { tampered: why } : {}
  if (seat !== undefined && cause === 'malformed') return seatUnreadable(loop, failed, seat, at)
  switch (cause) {
    // Counted with the session that failed.
    case 'agent':
      return {}
    case 'tampered':
      return { tampered: why, unparsed: null }
    case 'malformed':
      return {
        unparsed: null,
        tries: noTries,
        asks: { ...loop.asks, malformed: loop.asks.malformed + 1, why, at },
      }
  }
}

/**
 * The tree that was judged in the cycle before this one. A tree that is judged again, because a person asked for it,
 * is compared with what it was compared with before: no revision lies between.
 */
export function treeBefore(loop: Loop, cycle: number): string | null {
  const { review, head } = loop
  if (!review) return null
  return review.cycle < cycle && review.tree !== head?.tree ? review.tree : review.since
}
