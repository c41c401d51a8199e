/**
 * When witnesses are run: after a review that requests changes, for each issue that it holds to be blocking, before its
 * verdict is acted upon; and before a review, for issues of earlier ones, so that its reviewer knows what they say of the
 * new tree. What was run on a tree is not run there again.
 */

import type { LastReview, Loop } from '../loop.ts'
import type { Policy } from '../policy/policy.ts'
import type { LedgerIssue } from '../review/ledger.ts'
import { lastRun } from '../review/proof.ts'
import type { Step } from '../step.ts'

/** Null when nothing is left to be proven, and the verdict can be acted upon. */
export function decideWitness({ ledger }: Loop, { proof }: Policy, review: LastReview): Step | null {
  // Any other verdict is acted upon whatever its issues weigh.
  if (proof === 'off' || review.verdict !== 'CHANGES_REQUESTED' || review.blocking) return null
  const issues = ledger.filter(
    (issue) =>
      isClaimed(issue) &&
      issue.proof?.review !== review.id &&
      (issue.witness !== null || (proof === 'require' && issue.severity === 'blocking')),
  )
  return step(issues, review.tree, review.id)
}

/** Null when what is known is known of this tree. */
export function decideForesight({ ledger }: Loop, { proof }: Policy, tree: string): Step | null {
  if (proof === 'off') return null
  const issues = ledger.filter(
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
