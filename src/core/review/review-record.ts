/** What is kept of a reviewer's answer, and of having none. */
import type { SeatRecord } from './panel.ts'
import type { Review } from './review.ts'

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
