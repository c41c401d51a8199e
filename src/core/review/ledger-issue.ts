import type { ReportedIssue, Severity } from './review.ts'
import type { Proven } from './review-record.ts'

/** One line of the ledger: a finding that keeps its number over all reviews. */

export interface LedgerIssue extends Omit<ReportedIssue, 'id' | 'status'> {
  number: number
  /** The reviewer's own name for it, by which it may speak of it again. */
  alias: string | null
  /** `waived`: a person said that it does not matter, and so it stays. */
  status: 'open' | 'resolved' | 'waived'
  /** What the reviewer holds it to be; `severity` is what it weighs. */
  claimed: Severity
  /** What its witness said at the latest review after which it was run; null for another witness than that, or none. */
  proof: Proven | null
  /** What it says of a tree since then. */
  since: Proven | null
  waived: { by: string; why: string } | null
  openedIn: number
  resolvedIn: number | null
  reopened: number
  /** Found in a later cycle on lines that had not changed: kept, but it does not block. */
  late: boolean
}
