/** What the next developer session must be told. It stays until newer feedback replaces it. */
export type Feedback =
  | { from: 'review'; cycle: number; summary: string; issues: FeedbackIssue[]; note?: string }
  /** `merged`: the gates passed on the work alone, and fail now that this branch is merged into it. */
  | { from: 'gate'; gates: FailedGate[]; note?: string; merged?: string }
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
  /** A command that fails as long as the issue is there. Umpire has run it and seen it fail. */
  witness?: string[]
}
