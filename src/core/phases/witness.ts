/**
 * When witnesses are run. After a review that requests changes, the witness of each issue that it calls blocking is run
 * before the loop acts on the verdict. Before a review, the witnesses of earlier issues are run on the new tree, so that
 * the reviewer knows their outcome. No witness runs twice on the same tree.
 */
import type { Policy } from '../policy/policy.ts'
import type { LedgerIssue } from '../review/review-record.ts'
import { lastRun } from '../review/witness-proof.ts'
import type { Step } from '../step.ts'
import type { LastReview } from './review-state.ts'
import type { Committed } from './ruling.ts'

/** Null if nothing is left to prove, so that the loop can act on the verdict. */
export function decideWitness(
  { review: { ledger } }: Committed,
  { proof }: Policy,
  review: LastReview,
): Step | null {
  // The severity of issues does not matter for any other verdict.
  if (proof === 'off' || review.verdict !== 'CHANGES_REQUESTED' || review.blocking) return null
  const issues = ledger.filter(
    (issue) =>
      isClaimed(issue) &&
      issue.proof?.review !== review.id &&
      (issue.witness !== null || (proof === 'require' && issue.severity === 'blocking')),
  )
  return step(issues, review.tree, review.id)
}

/** Null if every witness of an earlier issue has run on this tree. */
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
