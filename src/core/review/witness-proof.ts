/**
 * What a witness proves. A witness is a command that must fail on the tree under review and pass once its issue is
 * resolved. If it fails, it proves the issue. If it passes, there is no such issue. If it could not run properly, it shows
 * nothing. The setting `review.proof` decides what follows for the issue.
 */
import type { EventData } from '../event.ts'
import type { Proof } from '../policy/policy.ts'
import type { Severity } from './review.ts'
import type { LedgerIssue, ProofOutcome, Proven } from './review-record.ts'

/** How many characters of the output the state keeps. The event has more. */
const keptOutput = 1_000

/** The outcome for a witness's exit code, which is null if the witness was killed. */
export function outcomeOf(exitCode: number | null): ProofOutcome {
  if (exitCode === 0) return 'unproven'
  // A shell's own exit codes: 126 for not executable, 127 for not found, and from 128 on for a signal.
  if (exitCode === null || exitCode === 126 || exitCode === 127 || exitCode >= 128) return 'unclear'
  return 'proven'
}

/** The severity of an issue that the reviewer calls blocking, after its witness was run or could not be run. */
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

/** Whether the reviewer calls the issue blocking, but it does not block for lack of a proof. */
export function isUnproven({ claimed, severity, late, proof }: LedgerIssue): boolean {
  return claimed === 'blocking' && severity === 'advisory' && !late && proof !== null
}

export function isSameWitness(one: string[] | null, other: string[] | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The outcome of the issue's witness when it was last run. */
export function lastRun({ proof, since }: Pick<LedgerIssue, 'proof' | 'since'>): Proven | null {
  return since ?? proof
}

/** The ledger after a witness was run. Its outcome at a review is kept next to its outcome on a later tree. */
export function withProof(ledger: LedgerIssue[], proven: EventData['issue.proven']): LedgerIssue[] {
  const { issue: number, outcome, exitCode, output, tree, review, cycle, severity } = proven
  return ledger.map((issue) => {
    if (issue.number !== number || issue.status === 'waived') return issue
    // The reviewer changed the witness while the old one was running.
    if (!isSameWitness(issue.witness, proven.witness)) return issue
    const run = { outcome, exitCode, output: output.slice(-keptOutput), tree, review, cycle }
    const weight = severity ?? issue.severity
    const known = review === null && issue.proof !== null ? { since: run } : { proof: run, since: null }
    return { ...issue, ...known, severity: weight, late: issue.late && weight === 'advisory' }
  })
}
