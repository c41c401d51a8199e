import type { Reading, Review } from '../core/review/review.ts'

/**
 * Combines several statements from one channel into one. Different verdicts are malformed. An approval must be the only
 * statement, or be repeated with the same findings. Next to something unreadable, or with other findings the second time,
 * it is not clear which statement was meant. Of several verdicts against the work the last one counts.
 */
export function oneReading(readings: Reading[]): Reading {
  const reviews = readings.flatMap((reading) => (reading.kind === 'review' ? [reading.review] : []))
  const unreadable = readings.find((reading) => reading.kind === 'malformed')
  const last = reviews.at(-1)
  if (last === undefined) return unreadable ?? { kind: 'silent' }

  const other = reviews.find((review) => review.verdict !== last.verdict)
  if (other) return { kind: 'malformed', why: `two different verdicts: ${other.verdict} and ${last.verdict}` }
  if (last.verdict === 'APPROVED') {
    if (unreadable) return unreadable
    if (reviews.some((review) => judgementOf(review) !== judgementOf(last))) {
      return { kind: 'malformed', why: 'there are two approvals with different findings; give one review' }
    }
  }
  return { kind: 'review', review: last }
}

/** The parts of a review that can contradict an approval. A different summary is not a different judgement. */
function judgementOf({ issues, scores, blocking, intentSatisfied }: Review): string {
  return JSON.stringify([issues, scores, blocking, intentSatisfied])
}
