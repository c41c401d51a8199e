/** What a review changes in the state, from being asked for to its verdict, or to none. */
import type { EventData } from './event.ts'
import { openBlocking } from './ledger.ts'
import { type Loop, noAsks, noTries } from './loop.ts'

export function reviewAsked(
  { attempts, asks }: Loop,
  { cycle, attempt, ask }: EventData['loop.reviewing'],
): Partial<Loop> {
  // A cycle that is asked for again counts on, and the parser with it.
  const parser = attempts.cycle === cycle ? attempts.parser : 0
  return {
    phase: 'review',
    reviewing: cycle,
    attempts: { ...attempts, reviewer: attempt, cycle, parser },
    unparsed: null,
    gateFailures: 0,
    asks: { ...asks, why: ask },
  }
}

export function reviewCompleted(loop: Loop, completed: EventData['review.completed']): Partial<Loop> {
  const { review: id, cycle, attempt, tree, body, changes } = completed
  const { verdict, blocking, summary } = body
  const openBefore = openBlocking(loop.ledger).map((issue) => issue.number)
  return {
    phase: 'judge',
    cycle,
    // What was approved before is being judged anew, and it is this verdict that counts.
    approval: null,
    unparsed: null,
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
    },
  }
}

export function reviewFailed(
  loop: Loop,
  { cause, why }: EventData['review.failed'],
  at: string,
): Partial<Loop> {
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
