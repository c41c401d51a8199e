/** What reviewers said of the work, and what they are being asked. */

import type { CycleTally } from '../review/churn.ts'
import type { LedgerIssue } from '../review/ledger-issue.ts'
import type { Seat } from '../review/panel.ts'
import type { ReportedIssue, Verdict } from '../review/review.ts'
import type { ReviewAnswer } from '../review/review-record.ts'

export interface ReviewState {
  /** Reviews with a readable verdict so far. */
  cycle: number
  /** A person granted reviews up to this cycle, whatever the policy's limit. */
  cyclesGranted: number
  /** The cycle of the review that is being asked for, until the loop has acted on its verdict. */
  reviewing: number | null
  asks: Asks
  /** Where each seat of a panel stands in that review; empty in between, and where one reviewer is enough. */
  panel: Seat[]
  /** What the reviewer said in plain words, until a parser has turned it into a review. */
  unparsed: ReviewAnswer | null
  /** What the last reviewer changed that it must not change. */
  tampered: string | null
  last: LastReview | null
  ledger: LedgerIssue[]
  /** What each cycle did to the ledger; one that did nothing to it is left out. */
  tally: CycleTally[]
  /** By task: the iteration at which its loop reached an interval, and this one got a checkpoint for it. */
  checkpointed: Record<string, number>
  /** What the latest checkpoint found, until a developer session that was told of it has ended. */
  checkpoint: CheckpointFindings | null
  lastCheckpointAt: string | null
}

/** How often the reviewer was asked again within this cycle, and what it is told about it. */
export interface Asks {
  malformed: number
  /** Readable verdicts of this cycle that the loop could not act on, before the last one. */
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
  /** The tree that the cycle before judged, and what changed since, by file. */
  since: string | null
  changes: Record<string, [number, number][]> | null
  /** The work went back to the developer with it; the same tree again is then no revision. */
  sentBack: boolean
  /** Blocking issues that were open before this review. */
  openBefore: number[]
  /** How many reviewers of a panel were against what it approved. */
  dissent?: number
}

/** What is told to the next developer session. */
export interface CheckpointFindings {
  iteration: number
  verdict: Verdict
  summary: string
  issues: ReportedIssue[]
  /** A session was started with it; when that session's turn is over, the findings are done with. */
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
