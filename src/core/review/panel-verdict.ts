/**
 * A panel: several reviewers judge the same tree, each in its own seat, and their answers become one review. A seat that
 * gave no answer still counts as a seat, and never as an approval.
 */
import type { ApproveBy } from '../policy/policy.ts'
import type { Tries } from '../session/session.ts'
import { plainPath } from './ledger.ts'
import type { IssueType, ReportedIssue, Review, Verdict } from './review.ts'

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

interface Findings {
  /** The reviewer's name, shown where its words appear together with another reviewer's. */
  who: string
  issues: ReportedIssue[]
}

interface Merged {
  issue: ReportedIssue
  said: { who: string; issue: ReportedIssue }[]
}

/** How many lines apart two findings can be and still mean the same place. */
const nearLines = 3

/** Merges the findings of several reviewers, with one entry for each finding that they share. No reviewer's words are lost. */
function mergeIssues(all: Findings[]): ReportedIssue[] {
  const merged: Merged[] = []
  for (const { who, issues } of all) {
    // Two findings of the same reviewer are never merged, because the reviewer listed them separately.
    const open = [...merged]
    for (const issue of issues) {
      const at = open.findIndex((other) => other.said.some((said) => isSame(said.issue, issue)))
      const known = open[at]
      if (known) {
        open.splice(at, 1)
        known.issue = together(known.issue, issue)
        known.said.push({ who, issue })
      } else {
        merged.push({ issue: withOwnName(issue, merged), said: [{ who, issue }] })
      }
    }
  }
  return merged.map(({ issue, said }) => ({ ...issue, description: wordsOf(said) }))
}

function isSame(one: ReportedIssue, other: ReportedIssue): boolean {
  // Both name an issue that was open before, by its number.
  if (one.status !== null && other.status !== null && one.id !== null && other.id !== null)
    return plainName(one.id) === plainName(other.id)
  if (!isSameFamily(one.type, other.type)) return false
  const alike = likeness(one.description, other.description)
  if (one.file === null || other.file === null) return one.file === other.file && alike >= 0.8
  if (plainPath(one.file) !== plainPath(other.file)) return false
  if (one.line === null || other.line === null) return alike >= 0.5
  const apart = Math.abs(one.line - other.line)
  return apart === 0 || (apart <= nearLines && alike >= 0.25)
}

/** Reviewers often give the same finding different types, so types of one family count as the same. */
const families: IssueType[][] = [
  ['bug', 'missing-error-handling'],
  ['over-engineering', 'dead-code', 'pattern-violation'],
  ['security', 'bug'],
]

function isSameFamily(one: IssueType, other: IssueType): boolean {
  // `other` is the default if the reviewer gave no type.
  if (one === other || one === 'other' || other === 'other') return true
  return families.some((family) => family.includes(one) && family.includes(other))
}

/** The share of words that both texts have in common. */
function likeness(one: string, other: string): number {
  const [words, others] = [wordsIn(one), wordsIn(other)]
  const shared = [...words].filter((word) => others.has(word)).length
  const all = new Set([...words, ...others]).size
  return all === 0 ? 1 : shared / all
}

function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}

const weight: IssueType[] = ['security', 'bug', 'missing-error-handling', 'spec-intent-mismatch', 'test-gap']

function graver(one: IssueType, other: IssueType): IssueType {
  if (one === 'other') return other
  const rank = (type: IssueType) => (weight.includes(type) ? weight.indexOf(type) : weight.length)
  return rank(other) < rank(one) && other !== 'other' ? other : one
}

function together(one: ReportedIssue, other: ReportedIssue): ReportedIssue {
  const suggestions = [one.suggestion, other.suggestion].filter((text) => text !== null)
  return {
    id: one.id ?? (other.status === null ? null : other.id),
    file: one.file ?? other.file,
    line: one.line ?? other.line,
    section: one.section ?? other.section,
    type: graver(one.type, other.type),
    severity: isWeighty(one) || isWeighty(other) ? 'blocking' : 'advisory',
    description: one.description,
    suggestion: suggestions.length > 0 ? [...new Set(suggestions)].join('\n\n') : null,
    witness: one.witness ?? other.witness,
    status: strongerMark(one.status, other.status),
  }
}

/** A resolved issue does not block, whatever its severity was. */
function isWeighty({ severity, status }: ReportedIssue): boolean {
  return severity === 'blocking' && status !== 'resolved'
}

/** The issue is open as long as one reviewer calls it open. */
function strongerMark(one: ReportedIssue['status'], other: ReportedIssue['status']): ReportedIssue['status'] {
  if (one === 'open' || other === 'open') return 'open'
  // One calls it resolved, but the other describes it, so it is still there.
  if (one === null || other === null) return one === other ? null : 'open'
  return 'resolved'
}

/** Two reviewers may use the same name for different findings. The first one keeps the name. */
function withOwnName(issue: ReportedIssue, merged: Merged[]): ReportedIssue {
  const taken = merged.some((other) => other.issue.id !== null && other.issue.id === issue.id)
  return taken ? { ...issue, id: null } : issue
}

function plainName(id: string): string {
  return id.replace(/^#/, '')
}

function wordsOf(said: Merged['said']): string {
  const spoken = said.filter(({ issue }) => issue.description.trim() !== '')
  const different = new Set(spoken.map(({ issue }) => issue.description.trim()))
  if (different.size <= 1) return spoken[0]?.issue.description ?? ''
  return spoken.map(({ who, issue }) => `${issue.description.trim()} (${who})`).join('\n\n')
}
