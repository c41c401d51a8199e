/** What follows from a readable review. */
import type { Loop } from '../loop.ts'
import type { Terms } from '../policy/terms.ts'
import { isChurning } from '../review/churn.ts'
import { openBlocking, openForDeveloper, plainPath } from '../review/ledger.ts'
import { withoutGrounds } from '../review/verdict.ts'
import { block, blockedEvent, feedbackEvent, recorded, type Step, sentence } from '../step.ts'
import { owesGate } from './check.ts'
import { isToLand } from './land.ts'
import { allSeats } from './panel.ts'
import type { LastReview } from './review-state.ts'
import type { Committed, Ruling } from './ruling.ts'
import { decideWitness } from './witness.ts'

export function decideJudgement(loop: Committed, terms: Terms): Ruling {
  const { last } = loop.review
  if (!last) return { go: 'review' }
  if (last.verdict === 'APPROVED' && !last.blocking && owesGate(loop, terms)) return { go: 'check' }
  const witness = decideWitness(loop, terms, last)
  if (witness) return witness
  const step = decideVerdict(loop, terms, last)
  if (step.do !== 'review') return step
  // The policy may have changed since the review. The reviewer is asked again only if the policy still wants a review.
  if (owesGate(loop, terms) || !terms.wantsReview) return { go: 'check' }
  return terms.seats > 1 ? { ...step, seats: allSeats(step, terms) } : step
}

function decideVerdict(loop: Committed, terms: Terms, review: LastReview): Step {
  if (review.verdict === 'REJECTED')
    return block(loop, 'rejected', sentence('The reviewer rejected the work', review))
  if (review.verdict === 'NEEDS_DISCUSSION' || review.blocking) {
    return block(loop, 'needs_discussion', sentence('The reviewer wants a person', review))
  }
  if (review.verdict === 'APPROVED') {
    const doubt = doubtApproval(loop, review)
    if (doubt) return askOnceMore(loop, review, doubt, block(loop, 'malformed_review', doubt))
    const { id, tree, cycle } = review
    const lands = isToLand(loop, terms)
    return recorded({ type: 'loop.approved', data: { by: 'review', review: id, tree, cycle, lands } })
  }

  const blocking = openBlocking(loop.review.ledger)
  if (blocking.length === 0) {
    const detail = sentence('The reviewer asked for changes but listed no blocking issue', review)
    return askOnceMore(
      loop,
      review,
      withoutGrounds(loop.review.ledger),
      block(loop, 'needs_discussion', detail),
    )
  }
  const { cycle, summary } = review
  const feedback = feedbackEvent(loop, {
    from: 'review',
    cycle,
    summary,
    issues: openForDeveloper(loop.review.ledger),
  })
  if (terms.stopsAfter === 'review') {
    const detail = sentence('The reviewer requests changes', review)
    return recorded(feedback, blockedEvent(loop, 'changes_requested', detail))
  }
  if (loop.review.cycle >= terms.maxCycles) {
    const detail = `${loop.review.cycle} of ${terms.maxCycles} reviews are done, and the reviewer still requests changes.`
    return block(loop, 'max_cycles', detail)
  }
  if (isStalled(loop, review)) {
    const detail = `The same blocking issues are open after another revision, and the files they name did not change.`
    return recorded(feedback, blockedEvent(loop, 'stalled', detail))
  }
  if (isChurning(loop.review.tally, loop.review.cycle)) {
    const detail = 'Each of the last two reviews opened more blocking issues than it resolved.'
    return recorded(feedback, blockedEvent(loop, 'churning', detail))
  }
  return recorded(feedback)
}

/** A last check of an approval. Neither case should be possible, but a wrong approval is too costly to rely on that. */
function doubtApproval(loop: Committed, review: LastReview): string | null {
  if (review.tree !== loop.work.head.tree) return 'The approval is for a different tree than the present one.'
  if (openBlocking(loop.review.ledger).length > 0) return 'The approval leaves blocking issues open.'
  return null
}

/** The loop can't act on this verdict, so the reviewer is told why and asked again, once and within the same cycle. */
function askOnceMore(loop: Loop, { cycle }: LastReview, ask: string, otherwise: Step): Step {
  if (loop.review.asks.baseless > 0) return otherwise
  return {
    do: 'review',
    cycle,
    attempt: loop.turn.attempts.reviewer + 1,
    notBefore: null,
    ask,
    prompt: 'whole',
  }
}

/** The same issues block twice in a row, and every file they name is unchanged. If they name no file, nothing is proven. */
function isStalled(loop: Loop, review: LastReview): boolean {
  const open = openBlocking(loop.review.ledger)
  const { changes, openBefore } = review
  if (changes === null || open.length !== openBefore.length) return false
  if (!open.every((issue) => openBefore.includes(issue.number))) return false
  const files = open.flatMap((issue) => (issue.file === null ? [] : [plainPath(issue.file)]))
  return files.length > 0 && files.every((file) => !Object.hasOwn(changes, file))
}
