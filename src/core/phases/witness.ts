/**
 * When witnesses are run: after a review that requests changes, for each issue that it holds to be blocking, before its
 * verdict is acted upon; and before a review, for issues of earlier ones, so that its reviewer knows what they say of the
 * new tree. What was run on a tree is not run there again.
 */

import type { Policy } from '../policy/policy.ts'
import type { LedgerIssue } from '../review/ledger-issue.ts'
import { lastRun } from '../review/proof.ts'
import type { Step } from '../step.ts'
import type { LastReview } from './review-state.ts'
import type { Committed } from './ruling.ts'

/** Null when nothing is left to prove, and the loop can act on the verdict. */
export function decideWitness(
  { review: { ledger } }: Committed,
  { proof }: Policy,
  review: LastReview,
): Step | null {
  // The loop acts on any other verdict whatever its issues weigh.
  if (proof === 'off' || review.verdict !== 'CHANGES_REQUESTED' || review.blocking) return null
  const issues = ledger.filter(
    (issue) =>
      isClaimed(issue) &&
      issue.proof?.review !== review.id &&
      (issue.witness !== null || (proof === 'require' && issue.severity === 'blocking')),
  )
  return step(issues, review.tree, review.id)
}

/** Null when everything that is known is known of this tree. */
export function decideRepeatedWitness({ review, work }: Committed, { proof }: Policy): Step | null {
  if (proof === 'off') return null
  const { tree } = work.head
  const issues = review.ledger.filter(
    (issue) =>
      isClaimed(issue) && issue.witness !== null && issue.proof !== null && lastRun(issue)?.tree !== tree,
  )
  return step(issues, tree, null)
}

function isClaimed({ status, claimed }: LedgerIssue): boolean {
  return status === 'open' && claimed === 'blocking'
}

function step(issues: LedgerIssue[], tree: string, review: string | null): Step | null {
  if (issues.length === 0) return null
  return { do: 'witness', issues: issues.map(({ number }) => number), tree, review }
}
