import type { ReportedIssue, Review, Verdict } from '../../core/review/review.ts'

/** A review that came as plain text: the text is its summary, and if it does not approve, its one blocking issue. */
export function plainReview(verdict: Verdict, text: string): Review {
  return {
    verdict,
    summary: text,
    interpretedIntent: null,
    intentSatisfied: null,
    scores: {},
    blocking: false,
    issues: verdict === 'APPROVED' ? [] : [blockingIssue(text)],
  }
}

export function blockingIssue(description: string): ReportedIssue {
  return {
    id: null,
    file: null,
    line: null,
    section: null,
    type: 'other',
    severity: 'blocking',
    description,
    suggestion: null,
    witness: null,
    status: null,
  }
}
