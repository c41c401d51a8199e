/**
 * When a verdict may be believed. A review is read by several channels; here their readings become one, and an
 * approval is held against everything else that the same review says. Whatever is unclear is malformed: it never
 * approves, and its `why` is told to the reviewer when it is asked again, and to a person when that was no use.
 */
import type { Reading, ReportedIssue, Review } from './review.ts'

/** What came of all channels together. `why` goes into a sentence of its own, so it ends without a full stop. */
export type Judgement =
  | { kind: 'review'; channel: string; review: Review }
  | { kind: 'malformed'; why: string }

export interface ChannelReading {
  channel: string
  reading: Reading
}

/**
 * Joins what the channels read, given in the configured order. The details come from the first that spoke. A reading
 * that is malformed spoils every approval; a rejection stands beside one, but only if it came by a higher channel,
 * because the malformed one may hold the findings that the developer needs.
 */
export function combine(readings: ChannelReading[]): Judgement {
  const first = readings.find(({ reading }) => reading.kind !== 'silent')
  if (first === undefined || first.reading.kind === 'silent') return { kind: 'malformed', why: nothingFound }
  if (first.reading.kind === 'malformed') return malformed(first.channel, first.reading.why)

  const { review } = first.reading
  for (const { channel, reading } of readings) {
    if (reading.kind === 'review' && reading.review.verdict !== review.verdict) {
      const both = `${first.channel} says ${review.verdict}, ${channel} says ${reading.review.verdict}`
      return { kind: 'malformed', why: `two verdicts in one review: ${both}` }
    }
    if (reading.kind === 'malformed' && review.verdict === 'APPROVED') return malformed(channel, reading.why)
  }
  return { kind: 'review', channel: first.channel, review }
}

function malformed(channel: string, why: string): Judgement {
  return { kind: 'malformed', why: `${channel}: ${why}` }
}

/** Said to people; a reviewer that is asked again is told beside it how to mend that. */
export const nothingFound = 'no verdict found'

/** What an approval is held against besides itself: the least score, and what the ledger knows to be open. */
export interface Against {
  minScore: number
  isLeftOpen: (issue: ReportedIssue) => boolean
  /** A person said that it does not matter, so it speaks against nothing. */
  isWaived?: (issue: ReportedIssue) => boolean
}

/**
 * Why an approval can't be meant, or null. Only approvals can contradict themselves: a rejection that also praises is
 * still a rejection.
 */
export function contradiction(review: Review, against: Against): string | null {
  if (review.verdict !== 'APPROVED') return null
  const reasons = [
    ...review.issues.flatMap((issue) => complaint(issue, against)),
    ...Object.entries(review.scores)
      .filter(([, score]) => !(score >= against.minScore))
      .map(([name, score]) => `gives ${name} a score of ${score}, below the minimum of ${against.minScore}`),
  ]
  if (review.intentSatisfied === false) reasons.push('says that the intent is not satisfied')
  if (review.blocking) reasons.push('asks for a person (blocking is true)')
  if (reasons.length === 0) return null
  const shown = reasons.slice(0, 5)
  const rest = reasons.length - shown.length
  return `the review says APPROVED, but it ${shown.join('; it ')}${rest > 0 ? `; and ${rest} more` : ''}`
}

/** A resolved issue blocks nothing, whatever its severity was; an open one may only be a new, advisory remark. */
function complaint(issue: ReportedIssue, { isLeftOpen, isWaived }: Against): string[] {
  if (issue.status === 'resolved' || isWaived?.(issue)) return []
  const name = issue.id === null ? `"${issue.description.slice(0, 80)}"` : `issue ${issue.id}`
  if (issue.severity === 'blocking') return [`calls ${name} blocking`]
  return isLeftOpen(issue) ? [`marks ${name} as still open`] : []
}
