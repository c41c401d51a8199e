/** What the next developer session must be told. It stays until newer feedback takes its place. */
export type Feedback =
  | { from: 'review'; cycle: number; summary: string; issues: FeedbackIssue[]; note?: string }
  | { from: 'gate'; gates: FailedGate[]; note?: string }
  /** A person's own words, without a review. */
  | { from: 'person'; note: string }
  | { from: 'empty' }

export interface FailedGate {
  name: string
  command: string
  exitCode: number | null
  timedOut: boolean
  output: string
}

export interface FeedbackIssue {
  issue: number
  file: string | null
  line: number | null
  type: string
  severity: 'blocking' | 'advisory'
  description: string
  suggestion: string | null
}
