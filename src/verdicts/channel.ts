/**
 * PORT: a channel is a way by which a reviewer's verdict reaches Umpire. It owns both ends: the instruction for the
 * reviewer, and the reading of its answer. A channel that finds nothing is silent, and silence never approves.
 */
import type { Reading, Review } from '../core/review/review.ts'

export interface Channel<Name extends string = string> {
  readonly name: Name
  /**
   * What the reviewer is told in its prompt, or null if it has nothing to do. The instruction must not itself read as a
   * verdict: an agent that only echoes its prompt has not reviewed anything.
   */
  readonly instruction: string | null
  /** Replaces `instruction` if the words depend on the reviewer's tools and on what it is asked for. */
  instructionFor?(asked: ReviewerSetup): string
  read(evidence: Evidence): Reading
}

export interface ReviewerSetup {
  /** Whether the reviewer has the tools of its session. */
  tools: 'none' | 'mcp'
  /** Whether the witnesses of issues are run. */
  witnesses: 'run' | 'not run'
}

export const channelNames = ['tool', 'structured', 'json', 'verdict-line', 'marker', 'parser'] as const
export type ChannelName = (typeof channelNames)[number]

export interface Evidence {
  /** The reviewer's whole final answer. */
  answer: string
  /** Bodies handed in under the session's valid token, oldest first. */
  handedIn: string[]
  /** The answer of an agent that had to follow the review's JSON Schema, as JSON text. */
  structured?: string | null
}

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
