/** What is kept of a reviewer's answer, and of having none. */
import type { Review, Verdict } from './review.ts'

export interface ReviewFailure {
  review: string
  cycle: number
  attempt: number
  session: string
  /** `agent`: the session itself failed. `tampered`: the reviewer changed what it must not; nothing it said counts. */
  cause: 'malformed' | 'agent' | 'tampered'
  why: string
  rawOutput: string
  /** The session of the parser that could not make a review of it. */
  parsedBy?: string
  /** Of a panel: whose answer it was. */
  seat?: number
  /** Left out for the review of a task. */
  kind?: 'checkpoint'
}

/** What one seat of a panel said. */
export interface GivenReview extends ReviewAnswer {
  seat: number
  agent: string
  channel: string
  body: Review
}

/** What a parser is given, and what its reading will be the review of. */
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
  /** What changed since the review before, by file: changed line ranges of the new side. Null at the first review. */
  changes: Record<string, [number, number][]> | null
  /** The session of the parser that read what the reviewer, whose session is above, had said. */
  parsedBy?: string
  /** Of a panel: what each of its seats said. */
  seats?: SeatRecord[]
}

/** A review of work that its developer has not called finished. */
export interface CheckpointRecord {
  review: string
  session: string
  /** The developer's turn that was looked at, and the task whose loop had reached its interval. */
  iteration: number
  by: number
  /** Of the review to come. */
  cycle: number
  tree: string
  channel: string
  command: string
  verdict: Verdict
  body: Review
  rawOutput: string
  costUsd: number | null
}

/** What is told of a seat beside the review that came of all. */
export interface SeatRecord {
  seat: number
  session: string
  agent: string
  verdict: Verdict | null
  /** Why it said nothing that counts; null where it did. */
  why: string | null
}

/**
 * `unclear`: it was not found, or could not be started, or was ended by a signal or by its time limit. `not run`: for a
 * reason that is ours, as that there is no sandbox; nobody is to suffer for that.
 */
export type ProofOutcome = 'proven' | 'unproven' | 'unclear' | 'not run'

export interface Proven {
  outcome: ProofOutcome
  exitCode: number | null
  /** The end of what it printed. */
  output: string
  tree: string
  /** The review after which it counted; null for a run before a review, which is only told to the reviewer. */
  review: string | null
  /** How manieth review the task had last when it was run. */
  cycle: number
}
