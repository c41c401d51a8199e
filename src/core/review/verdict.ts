/**
 * When a verdict may be trusted. Several channels read a review. Their readings are combined here, and an approval is
 * checked against everything else that the same review says. Anything unclear is malformed and never approves. Its `why`
 * is told to the reviewer when it is asked again, and to a person if that does not help.
 */

import { withRest } from '../listed.ts'
import type { Reading, ReportedIssue, Review } from './review.ts'
import type { LedgerIssue } from './review-record.ts'
import { isUnproven, lastRun } from './witness-proof.ts'

/** The combined result of all channels. `why` becomes part of a sentence, so it ends without a full stop. */
export type Judgement =
  | { kind: 'review'; channel: string; review: Review }
  | { kind: 'malformed'; why: string }

export interface ChannelReading {
  channel: string
  reading: Reading
}

/**
 * Combines the readings of the channels, given in the configured order. The details come from the first channel that
 * read anything. A malformed reading voids every approval. A verdict against the work survives one, but only if it came
 * by an earlier channel, because the malformed reading may contain the findings that the developer needs.
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

/** People see these words. A reviewer that is asked again is also told how to fix it. */
export const nothingFound = 'no verdict found'

/** What an approval is checked against besides itself: the minimum score, and the issues that are open in the ledger. */
export interface Against {
  minScore: number
  isLeftOpen: (issue: ReportedIssue) => boolean
  /** A person waived the issue, so it does not contradict an approval. */
  isWaived?: (issue: ReportedIssue) => boolean
}

/**
 * Why an approval contradicts itself, or null. Only approvals are checked: a rejection that also praises is still a
 * rejection.
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
  const said = reasons.map((reason) => `it ${reason}`)
  return `the review says APPROVED, but ${withRest(said, 5).join('; ')}`
}

/** A resolved issue does not contradict an approval, whatever its severity. An open issue may only be new and advisory. */
function complaint(issue: ReportedIssue, { isLeftOpen, isWaived }: Against): string[] {
  if (issue.status === 'resolved' || isWaived?.(issue)) return []
  const name = issue.id === null ? `"${issue.description.slice(0, 80)}"` : `issue ${issue.id}`
  if (issue.severity === 'blocking') return [`calls ${name} blocking`]
  return isLeftOpen(issue) ? [`marks ${name} as still open`] : []
}

/**
 * The message to a reviewer that requested changes although no issue blocks. That is not an approval either, so the
 * reviewer is asked once more, with the facts. Issues are named by number only, so that no agent's text gets into this
 * message.
 */
export function withoutGrounds(ledger: LedgerIssue[]): string {
  const open = ledger.filter(({ status }) => status === 'open')
  const facts = [
    fact(ledger, ({ status }) => status === 'waived', 'was waived by a person', 'were waived by a person'),
    fact(open, ({ late }) => late, ...found),
    fact(open, hasPassed, ...passed),
    fact(open, (issue) => isUnproven(issue) && !hasPassed(issue), ...lacking),
    fact(open, (issue) => !issue.late && !isUnproven(issue), 'is advisory', 'are advisory'),
  ].filter(Boolean)
  const why = facts.length > 0 ? `: ${facts.join('; ')}` : ''
  return (
    `Your review requested changes, but none of its issues is blocking${why}. Either name what blocks, with file and line, ` +
    'or approve.'
  )
}

const found = [
  'was found late, on lines that did not change since your last review',
  'were found late, on lines that did not change since your last review',
] as const

const passed = [
  'has a witness that passes on this tree, which shows no such issue',
  'have witnesses that pass on this tree, which show no such issues',
] as const

const lacking = ['has no witness that proves it', 'have no witness that proves them'] as const

function hasPassed(issue: LedgerIssue): boolean {
  return isUnproven(issue) && issue.witness !== null && lastRun(issue)?.outcome === 'unproven'
}

function fact(
  ledger: LedgerIssue[],
  isMeant: (issue: LedgerIssue) => boolean,
  one: string,
  many: string,
): string {
  const numbers = ledger.filter(isMeant).map(({ number }) => number)
  if (numbers.length === 0) return ''
  return numbers.length === 1 ? `issue ${numbers[0]} ${one}` : `issues ${numbers.join(', ')} ${many}`
}
