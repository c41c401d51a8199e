/** Asking a reviewer or a panel for a verdict on the tree, and what the answer changes in the state. */
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import { later, nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import type { Terms } from '../policy/terms.ts'
import { openBlocking } from '../review/ledger.ts'
import type { ReviewAnswer } from '../review/review-record.ts'
import { noTries } from '../session/session.ts'
import { block, fail, outOfCycles, recorded, type Step } from '../step.ts'
import { owesGate } from './check.ts'
import { decidePanel, seatUnreadable } from './panel.ts'
import { noAsks } from './review-state.ts'
import type { Committed, Ruling } from './ruling.ts'
import { decideRepeatedWitness } from './witness.ts'

export function decideReview(loop: Committed, terms: Terms): Ruling {
  const { review, turn } = loop
  if (!terms.wantsReview || owesGate(loop, terms)) return { go: 'check' }
  if (review.tampered) return block(loop, 'reviewer_tampered', `The review is void: ${review.tampered}`)
  if (review.unparsed) return decideParse(loop, terms, review.unparsed)
  const cycle = review.reviewing ?? review.cycle + 1
  // The cycle can exceed the limit if the loop could not act on the last verdict and a gate has failed since.
  const isBeyondCap = cycle > terms.maxCycles
  if (terms.seats > 1) return isBeyondCap ? outOfCycles(loop, terms) : decidePanel(loop, terms, cycle)
  const next = nextTry(turn.tries, terms.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The reviewer failed: ${next.detail}`)
  const { malformed, why, at } = review.asks
  if (malformed > terms.reviewRetries) {
    return block(loop, 'malformed_review', `No readable verdict after ${malformed} tries: ${why}.`)
  }
  if (isBeyondCap) return outOfCycles(loop, terms)
  const witness = decideRepeatedWitness(loop, terms)
  if (witness) return witness
  return {
    do: 'review',
    cycle,
    attempt: turn.attempts.cycle === cycle ? turn.attempts.reviewer + 1 : 1,
    notBefore: next.notBefore ?? (at && later(at, 1_000)),
    ask: why,
    prompt: next.prompt,
  }
}

export function reviewAsked(
  { turn: { attempts }, review: { asks, panel } }: Loop,
  { cycle, attempt, ask, seats }: EventData['loop.reviewing'],
): Change {
  // When a cycle is repeated, its attempt numbers continue, including the parser's.
  const parser = attempts.cycle === cycle ? attempts.parser : 0
  return {
    turn: { phase: 'review', attempts: { ...attempts, reviewer: attempt, cycle, parser } },
    review: {
      reviewing: cycle,
      unparsed: null,
      // A seat that is asked again is told its own reason, which is stored with the seat.
      asks: { ...asks, why: seats && panel.length > 0 ? asks.why : ask },
      panel: seats ? panel : [],
    },
    check: { failures: 0 },
  }
}

export function reviewCompleted(loop: Loop, completed: EventData['review.completed']): Change {
  const { review: id, cycle, attempt, tree, body, changes } = completed
  const { verdict, blocking, summary } = body
  const openBefore = openBlocking(loop.review.ledger).map((issue) => issue.number)
  const dissent = outvoted(completed)
  return {
    turn: { phase: 'judge', tries: noTries },
    review: {
      cycle,
      unparsed: null,
      panel: [],
      // A second review within one cycle means that the loop could not act on the verdict of the first.
      asks: { ...noAsks, baseless: loop.review.last?.cycle === cycle ? loop.review.asks.baseless + 1 : 0 },
      last: {
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
    },
    landing: {
      // This verdict replaces an earlier approval.
      approval: null,
    },
  }
}

/** How many reviewers of a panel did not approve although the panel as a whole did. */
function outvoted({ body, seats = [] }: EventData['review.completed']): number {
  if (body.verdict !== 'APPROVED') return 0
  return seats.filter(({ verdict }) => verdict !== null && verdict !== 'APPROVED').length
}

/** The issues that the work was sent back for are all waived, so the reviewer is asked again within the same cycle. */
export function reconsidered(
  { review: { last: review } }: Loop,
  { cycle, ask }: EventData['loop.reconsidered'],
): Change {
  return {
    turn: {
      phase: 'check',
      // The work was reviewed already, so the developer need not say again that it is done.
      saidDone: true,
    },
    review: {
      reviewing: cycle,
      asks: { ...noAsks, why: ask },
      last: review && { ...review, sentBack: false },
    },
  }
}

export function reviewFailed(loop: Loop, failed: EventData['review.failed'], at: string): Change {
  const { cause, why, seat, kind } = failed
  if (kind === 'checkpoint') return cause === 'tampered' ? { review: { tampered: why } } : {}
  if (seat !== undefined && cause === 'malformed') return seatUnreadable(loop, failed, seat, at)
  switch (cause) {
    // The failed session has been counted already.
    case 'agent':
      return {}
    case 'tampered':
      return { review: { tampered: why, unparsed: null } }
    case 'malformed':
      return {
        review: {
          unparsed: null,
          asks: { ...loop.review.asks, malformed: loop.review.asks.malformed + 1, why, at },
        },
        turn: { tries: noTries },
      }
  }
}

/**
 * The tree that was reviewed in the cycle before this one. If a person asks for another review of the same tree, there
 * was no revision in between, so it is compared with the same tree as before.
 */
export function treeBefore(loop: Loop, cycle: number): string | null {
  const { last: review } = loop.review
  const { head } = loop.work
  if (!review) return null
  return review.cycle < cycle && review.tree !== head?.tree ? review.tree : review.since
}

/**
 * A review in plain words goes to a parser agent. A parser that fails is retried like any agent, so that the reviewer
 * need not be paid twice. If no parser can read the review, it counts as unreadable: the reviewer is asked again and told
 * to keep to the form.
 */
function decideParse(loop: Loop, policy: Policy, answer: ReviewAnswer): Step {
  const next = nextTry(loop.turn.tries, policy.agentRetries)
  if (next.kind === 'give-up') {
    const { last } = loop.turn.tries
    // Asking the reviewer again would not help. Only a person can fix this.
    if (next.reason === 'auth' || last?.retry === 'never')
      return fail(loop, next.reason, `The parser failed: ${next.detail}`)
    return unreadable(answer, next.detail)
  }
  // The prompt is the reviewer's own text, which can't be shortened.
  if (next.prompt === 'short') return unreadable(answer, 'the review is too long for it')
  return { do: 'parse', answer, attempt: loop.turn.attempts.parser + 1, notBefore: next.notBefore }
}

function unreadable({ review, cycle, attempt, session, rawOutput }: ReviewAnswer, detail: string): Step {
  const why = `no verdict found, and the parser failed: ${detail.replace(/\.$/, '')}`
  return recorded({
    type: 'review.failed',
    data: { review, cycle, attempt, session, cause: 'malformed', why, rawOutput },
  })
}
