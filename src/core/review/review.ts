/** What a review says. Its verdict counts only after `verdict.ts` has found no contradiction in the review. */
export interface Review {
  verdict: Verdict
  summary: string
  interpretedIntent: string | null
  intentSatisfied: boolean | null
  scores: Record<string, number>
  /** The reviewer asks for a person, whatever the verdict. */
  blocking: boolean
  issues: ReportedIssue[]
}

export const verdicts = ['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'REJECTED'] as const
export type Verdict = (typeof verdicts)[number]

/** The verdict of a whole task: the verdict of a review, or that the limit of reviews was reached. */
export type FinalVerdict = Verdict | 'MAX_CYCLES_REACHED'

/** A finding as the reviewer wrote it, with defaults filled in. The ledger gives it a number. */
export interface ReportedIssue {
  /** The reviewer's own name for it, or the ledger's number if it means a known issue. */
  id: string | null
  file: string | null
  line: number | null
  section: string | null
  type: IssueType
  severity: Severity
  description: string
  suggestion: string | null
  /** A command, as an argument list, that fails as long as the issue is there. */
  witness: string[] | null
  /** What the reviewer says about an issue that was open before. */
  status: 'resolved' | 'open' | null
}

export type Severity = 'blocking' | 'advisory'

export const issueTypes = [
  'over-engineering',
  'missing-error-handling',
  'pattern-violation',
  'dead-code',
  'spec-intent-mismatch',
  'bug',
  'security',
  'test-gap',
  'other',
] as const
export type IssueType = (typeof issueTypes)[number]

/** The result of reading one text or hand-in: no mention of a verdict, a review, or something unreadable. */
export type Reading =
  | { kind: 'silent' }
  | { kind: 'review'; review: Review }
  | { kind: 'malformed'; why: string }
