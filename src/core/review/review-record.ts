/** What is recorded of a reviewer's answer, or of the lack of one. */
import type { ReportedIssue, Review, Severity, Verdict } from './review.ts'

export interface ReviewFailure {
  review: string
  cycle: number
  attempt: number
  session: string
  /** `agent`: the session itself failed. `tampered`: the reviewer changed something it must not, so its answer is void. */
  cause: 'malformed' | 'agent' | 'tampered'
  why: string
  rawOutput: string
  /** The session of the parser that could not read the answer. */
  parsedBy?: string
  /** The seat of the panel that gave the answer. */
  seat?: number
  /** Left out for the review of a task. */
  kind?: 'checkpoint'
}

/** The review of one seat of a panel. */
export interface GivenReview extends ReviewAnswer {
  seat: number
  agent: string
  channel: string
  body: Review
}

/** A reviewer's answer in plain words, which a parser turns into a review. */
export interface ReviewAnswer {
  review: string
  cycle: number
  attempt: number
  session: string
  tree: string
  command: string
  rawOutput: string
  costUsd: number | null
}

export interface ReviewRecord {
  review: string
  kind: 'task'
  cycle: number
  attempt: number
  session: string
  tree: string
  channel: string
  command: string
  body: Review
  rawOutput: string
  costUsd: number | null
  /** The line ranges of the new side that changed since the review before, by file. Null at the first review. */
  changes: Record<string, [number, number][]> | null
  /** The session of the parser that read the answer of the reviewer's session above. */
  parsedBy?: string
  /** What each seat of the panel said. */
  seats?: SeatRecord[]
}

/** A review of unfinished work. */
export interface CheckpointRecord {
  review: string
  session: string
  /** The developer's turn that was reviewed, and the task whose loop had reached its interval. */
  iteration: number
  by: number
  /** The cycle of the next review. */
  cycle: number
  tree: string
  channel: string
  command: string
  verdict: Verdict
  body: Review
  rawOutput: string
  costUsd: number | null
}

/** What is recorded of a seat, in addition to the panel's combined review. */
export interface SeatRecord {
  seat: number
  session: string
  agent: string
  verdict: Verdict | null
  /** Why the seat gave no valid answer, or null if it did. */
  why: string | null
}

/**
 * `unclear`: the witness was not found, could not be started, or was ended by a signal or by its timeout. `not run`: Umpire
 * could not run it, for example without a sandbox. That must not change the issue's severity.
 */
export type ProofOutcome = 'proven' | 'unproven' | 'unclear' | 'not run'

export interface Proven {
  outcome: ProofOutcome
  exitCode: number | null
  /** The end of its output. */
  output: string
  tree: string
  /** The review for which the run counted. Null for a run before a review, which only informs the reviewer. */
  review: string | null
  /** The number of the latest review when the witness was run. */
  cycle: number
}

/** One line of the ledger: a finding that keeps its number over all reviews. */
export interface LedgerIssue extends Omit<ReportedIssue, 'id' | 'status'> {
  number: number
  /** The reviewer's own name for the issue. A later review may use it instead of the number. */
  alias: string | null
  /** `waived`: a person said that the issue does not matter. It stays waived. */
  status: 'open' | 'resolved' | 'waived'
  /** The severity that the reviewer gave. `severity` is the one that counts. */
  claimed: Severity
  /**
   * How the present witness ended when it was last run for a review. Null if it was not run, or if there is no witness.
   */
  proof: Proven | null
  /** How it ended on a later tree, before the next review. */
  since: Proven | null
  waived: { by: string; why: string } | null
  openedIn: number
  resolvedIn: number | null
  reopened: number
  /** Found in a later cycle on lines that had not changed: kept, but it does not block. */
  late: boolean
}
