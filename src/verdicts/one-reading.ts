import type { Reading, Review } from '../core/review/review.ts'

/**
 * Several statements that came by one channel, as one. Different verdicts are malformed. An approval must be alone or
 * say the same thing again: beside something unreadable, or with other findings the second time, nobody knows which
 * of them was meant. Of rejections the last one counts.
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

/** All of a review that can speak against an approval; another summary is no other judgement. */
function judgementOf({ issues, scores, blocking, intentSatisfied }: Review): string {
  return JSON.stringify([issues, scores, blocking, intentSatisfied])
}
