/**
 * A panel: several reviewers judge the same tree, each in its own seat, and their answers become one review. A seat that
 * gave no answer still counts as a seat, and never as an approval.
 */

import type { ApproveBy } from '../policy/policy.ts'
import type { Tries } from '../session/tries.ts'
import { mergeIssues } from './merge-issues.ts'
import type { ReportedIssue, Review, Verdict } from './review.ts'

/** The state of a seat in the present review. */
export interface Seat {
  seat: number
  cycle: number
  tree: string
  /** Its latest session, and the attempt number of that session within the cycle. */
  session: string
  attempt: number
  agent: string
  tries: Tries
  /** How often its answer could not be read, and what it is told about that. */
  malformed: number
  why: string | null
  at: string | null
  /** Its verdict, or null until it gives a readable answer. */
  verdict: Verdict | null
  blocking: boolean
}

export interface SeatAnswer {
  seat: number
  agent: string
  body: Review
}

export function approvalsNeeded(seats: number, approveBy: ApproveBy): number {
  if (approveBy === 'all') return seats
  return approveBy === 'any' ? 1 : approveBy.quorum
}

/**
 * The verdict of the panel, or null if too few seats approve and none asks for changes. A seat that rejects the work or
 * asks for a person can't be outvoted.
 */
export function panelVerdict(
  answers: Pick<Review, 'verdict' | 'blocking'>[],
  seats: number,
  approveBy: ApproveBy,
): Verdict | null {
  const has = (verdict: Verdict) => answers.some((answer) => answer.verdict === verdict)
  if (has('REJECTED')) return 'REJECTED'
  if (has('NEEDS_DISCUSSION')) return 'NEEDS_DISCUSSION'
  const approvals = answers.filter((answer) => answer.verdict === 'APPROVED').length
  const isEnough = approvals > 0 && approvals >= approvalsNeeded(seats, approveBy)
  if (isEnough && !answers.some(({ blocking }) => blocking)) return 'APPROVED'
  return has('CHANGES_REQUESTED') ? 'CHANGES_REQUESTED' : null
}

export function combinePanel(answers: SeatAnswer[], seats: number, approveBy: ApproveBy): Review | null {
  const verdict = panelVerdict(
    answers.map(({ body }) => body),
    seats,
    approveBy,
  )
  if (verdict === null) return null
  // Scores and the interpreted intent come from the seats that agree with the verdict.
  const agreeing = answers.filter(({ body }) => verdict !== 'APPROVED' || body.verdict === verdict)
  const satisfied = agreeing.map(({ body }) => body.intentSatisfied)
  return {
    verdict,
    // Seats that agree with the verdict come first, so that a screen with room for one line shows their reason.
    summary: [true, false]
      .flatMap((isFirst) => answers.filter(({ body }) => (body.verdict === verdict) === isFirst))
      .map(summaryOf)
      .join('\n\n'),
    interpretedIntent: agreeing.find(({ body }) => body.interpretedIntent)?.body.interpretedIntent ?? null,
    intentSatisfied: satisfied.includes(false) ? false : (satisfied.find((said) => said !== null) ?? null),
    scores: lowestScores(agreeing.map(({ body }) => body.scores)),
    blocking: answers.some(({ body }) => body.blocking),
    issues: mergeIssues(
      answers.map((answer) => ({
        who: `seat ${answer.seat}, ${answer.agent}`,
        issues: verdict === 'APPROVED' ? withoutWeight(answer) : answer.body.issues,
      })),
    ),
  }
}

function summaryOf({ seat, agent, body }: SeatAnswer): string {
  const words = body.summary.trim()
  return `Seat ${seat} (${agent}): ${body.verdict}${words ? `. ${words}` : ''}`
}

/** The blocking issues of an outvoted seat are kept and shown, but they no longer block. */
function withoutWeight({ body, seat, agent }: SeatAnswer): ReportedIssue[] {
  if (body.verdict === 'APPROVED') return body.issues
  return body.issues.map((issue) =>
    issue.severity === 'blocking' && issue.status !== 'resolved'
      ? { ...issue, severity: 'advisory', description: dissent(issue.description, seat, agent) }
      : issue,
  )
}

/** A mark on a known issue has no description of its own and keeps that issue's. */
function dissent(description: string, seat: number, agent: string): string {
  return description.trim() === '' ? description : `Dissent of seat ${seat} (${agent}): ${description}`
}

function lowestScores(all: Record<string, number>[]): Record<string, number> {
  const lowest = new Map<string, number>()
  for (const scores of all)
    for (const [name, score] of Object.entries(scores))
      lowest.set(name, Math.min(score, lowest.get(name) ?? score))
  return Object.fromEntries(lowest)
}

/** Changes the seat only if this session is still its latest one. A panel that was asked again ignores older sessions. */
export function onSeat(
  panel: Seat[],
  seat: number,
  session: string,
  change: (seat: Seat) => Partial<Seat>,
): Seat[] {
  return panel.map((other) =>
    other.seat === seat && other.session === session ? { ...other, ...change(other) } : other,
  )
}
