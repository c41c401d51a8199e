/** What follows from a readable review. */

import type { LastReview, Loop } from '../loop.ts'
import type { Policy } from '../policy/policy.ts'
import { isChurning } from '../review/churn.ts'
import { openBlocking, openForDeveloper, plainPath } from '../review/ledger.ts'
import { withoutGrounds } from '../review/without-grounds.ts'
import { block, blockedEvent, feedbackEvent, record, type Step, sentence } from '../step.ts'
import { isToLand } from './land.ts'

export function decideVerdict(
  loop: Loop,
  policy: Policy,
  review: LastReview,
  head: NonNullable<Loop['head']>,
): Step {
  if (review.verdict === 'REJECTED')
    return block(loop, 'rejected', sentence('The reviewer rejected the work', review))
  if (review.verdict === 'NEEDS_DISCUSSION' || review.blocking) {
    return block(loop, 'needs_discussion', sentence('The reviewer wants a person', review))
  }
  if (review.verdict === 'APPROVED') {
    const doubt = doubtApproval(loop, review, head.tree)
    if (doubt) return askOnceMore(loop, review, doubt, block(loop, 'malformed_review', doubt))
    const { id, tree, cycle } = review
    const lands = isToLand(loop, policy)
    return record({ type: 'loop.approved', data: { by: 'review', review: id, tree, cycle, lands } })
  }

  const blocking = openBlocking(loop.ledger)
  if (blocking.length === 0) {
    const detail = sentence('Changes are requested, but no blocking issue stands', review)
    return askOnceMore(loop, review, withoutGrounds(loop.ledger), block(loop, 'needs_discussion', detail))
  }
  const { cycle, summary } = review
  const feedback = feedbackEvent(loop, {
    from: 'review',
    cycle,
    summary,
    issues: openForDeveloper(loop.ledger),
  })
  if (loop.hand === 'review') {
    const detail = sentence('The reviewer requests changes', review)
    return record(feedback, blockedEvent(loop, 'changes_requested', detail))
  }
  if (loop.cycle >= policy.maxCycles) {
    const detail = `${loop.cycle} of ${policy.maxCycles} reviews done, and changes are still requested.`
    return block(loop, 'max_cycles', detail)
  }
  if (isStalled(loop, review)) {
    const detail = `The same blocking issues are open after another revision, and the files they name did not change.`
    return record(feedback, blockedEvent(loop, 'stalled', detail))
  }
  if (isChurning(loop.tally, loop.cycle)) {
    const detail = 'Each of the last two reviews opened more blocking issues than it resolved.'
    return record(feedback, blockedEvent(loop, 'churning', detail))
  }
  return record(feedback)
}

/** What an approval must be, looked at once more: neither can happen, but this is not the place to believe that. */
function doubtApproval(loop: Loop, review: LastReview, tree: string): string | null {
  if (review.tree !== tree) return 'The approval speaks of a tree that is not the one there now.'
  if (openBlocking(loop.ledger).length > 0) return 'The approval leaves blocking issues open.'
  return null
}

/** A verdict that can't be acted upon: the reviewer is told why, once and within the same cycle. */
function askOnceMore(loop: Loop, { cycle }: LastReview, ask: string, otherwise: Step): Step {
  if (loop.asks.baseless > 0) return otherwise
  return { do: 'review', cycle, attempt: loop.attempts.reviewer + 1, notBefore: null, ask, prompt: 'whole' }
}

/** The same blocking issues twice in a row while every file they name is unchanged; without a file nothing is proven. */
function isStalled(loop: Loop, review: LastReview): boolean {
  const open = openBlocking(loop.ledger)
  const { changes, openBefore } = review
  if (changes === null || open.length !== openBefore.length) return false
  if (!open.every((issue) => openBefore.includes(issue.number))) return false
  const files = open.flatMap((issue) => (issue.file === null ? [] : [plainPath(issue.file)]))
  return files.length > 0 && files.every((file) => !Object.hasOwn(changes, file))
}
