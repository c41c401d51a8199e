/** What reviewers said about the work, and what they are being asked. */
import type { CycleTally } from '../review/churn.ts'
import type { Seat } from '../review/panel-verdict.ts'
import type { ReportedIssue, Verdict } from '../review/review.ts'
import type { LedgerIssue, ReviewAnswer } from '../review/review-record.ts'

export interface ReviewState {
  /** Reviews with a readable verdict so far. */
  cycle: number
  /** A person granted reviews up to this cycle, whatever the policy's limit. */
  cyclesGranted: number
  /** The cycle of the review that is being asked for, until the loop has acted on its verdict. */
  reviewing: number | null
  asks: Asks
  /** The state of each seat of a panel in that review. Empty between reviews, and if there is only one reviewer. */
  panel: Seat[]
  /** What the reviewer said in plain words, until a parser has turned it into a review. */
  unparsed: ReviewAnswer | null
  /** What the last reviewer changed although it must not change anything. */
  tampered: string | null
  last: LastReview | null
  ledger: LedgerIssue[]
  /** What each cycle changed in the ledger. Cycles that changed nothing are left out. */
  tally: CycleTally[]
  /** By task: the iteration at which that task's loop reached an interval for which this loop got its checkpoint. */
  checkpointed: Record<string, number>
  /** The findings of the latest checkpoint, until a developer session that was told about them has ended. */
  checkpoint: CheckpointFindings | null
  lastCheckpointAt: string | null
}

/** How often the reviewer was asked again within this cycle, and what it is told about that. */
export interface Asks {
  malformed: number
  /** How many readable verdicts of this cycle, before the last one, the loop could not act on. */
  baseless: number
  why: string | null
  at: string | null
}

export interface LastReview {
  id: string
  cycle: number
  attempt: number
  verdict: Verdict
  blocking: boolean
  summary: string
  tree: string
  /** The tree that the cycle before reviewed, and what has changed since, by file. */
  since: string | null
  changes: Record<string, [number, number][]> | null
  /** The work went back to the developer with this review. If the tree stays the same, there was no revision. */
  sentBack: boolean
  /** Blocking issues that were open before this review. */
  openBefore: number[]
  /** How many reviewers of the panel voted against the approved work. */
  dissent?: number
}

/** What the next developer session is told about a checkpoint. */
export interface CheckpointFindings {
  iteration: number
  verdict: Verdict
  summary: string
  issues: ReportedIssue[]
  /** A session was started with these findings. They are dropped when that session's turn is over. */
  told: boolean
}

export const noAsks: Asks = { malformed: 0, baseless: 0, why: null, at: null }

export const noReview: ReviewState = {
  cycle: 0,
  cyclesGranted: 0,
  reviewing: null,
  asks: noAsks,
  panel: [],
  unparsed: null,
  tampered: null,
  last: null,
  ledger: [],
  tally: [],
  checkpointed: {},
  checkpoint: null,
  lastCheckpointAt: null,
}
