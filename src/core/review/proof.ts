/**
 * What a witness proves. It is a command that must fail on the tree under review and pass once its issue is resolved: one
 * that fails proves the issue, one that passes shows that there is no such thing, and one that could not do its work shows
 * nothing. What follows for the issue is said by `review.proof`.
 */

import type { EventData } from '../event.ts'
import type { Proof } from '../policy/policy.ts'
import type { LedgerIssue } from './ledger-issue.ts'
import type { Severity } from './review.ts'
import type { ProofOutcome, Proven } from './review-record.ts'

/** What is kept in the state; the event has more. */
const keptOutput = 1_000

/** By the code that a witness ended with; null when it was ended. */
export function outcomeOf(exitCode: number | null): ProofOutcome {
  if (exitCode === 0) return 'unproven'
  // A shell's own codes: not to be executed, not found, and from 128 on by a signal.
  if (exitCode === null || exitCode === 126 || exitCode === 127 || exitCode >= 128) return 'unclear'
  return 'proven'
}

/** What an issue that the reviewer holds to be blocking weighs after its witness was run, or was not. */
export function weigh(issue: LedgerIssue, outcome: ProofOutcome, proof: Proof): Severity {
  switch (outcome) {
    case 'proven':
      return 'blocking'
    case 'unproven':
      return 'advisory'
    case 'unclear':
      return proof === 'require' ? 'advisory' : issue.severity
    case 'not run':
      return issue.severity
  }
}

/** The reviewer holds it to be blocking, and it lost the right to it for want of a proof. */
export function isUnproven({ claimed, severity, late, proof }: LedgerIssue): boolean {
  return claimed === 'blocking' && severity === 'advisory' && !late && proof !== null
}

export function isSameWitness(one: string[] | null, other: string[] | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** What the witness of an issue said when it was last run. */
export function lastRun({ proof, since }: Pick<LedgerIssue, 'proof' | 'since'>): Proven | null {
  return since ?? proof
}

/** The ledger after a witness spoke. What it said at a review stays beside what it says of a later tree. */
export function withProof(ledger: LedgerIssue[], proven: EventData['issue.proven']): LedgerIssue[] {
  const { issue: number, outcome, exitCode, output, tree, review, cycle, severity } = proven
  return ledger.map((issue) => {
    if (issue.number !== number || issue.status === 'waived') return issue
    // The reviewer changed the witness in the moment in which this one was run.
    if (!isSameWitness(issue.witness, proven.witness)) return issue
    const run = { outcome, exitCode, output: output.slice(-keptOutput), tree, review, cycle }
    const weight = severity ?? issue.severity
    const known = review === null && issue.proof !== null ? { since: run } : { proof: run, since: null }
    return { ...issue, ...known, severity: weight, late: issue.late && weight === 'advisory' }
  })
}
