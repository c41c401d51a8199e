/**
 * The ledger of issues: what reviewers found, under numbers that never change. It makes a loop converge: a finding is
 * recognised in the next cycle, and a new finding in a late cycle only blocks under strict conditions.
 */
import type { EventData, NewEvent } from '../event.ts'
import type { FeedbackIssue } from '../session/feedback.ts'
import type { IssueType, ReportedIssue, Review, Severity } from './review.ts'
import type { LedgerIssue, ReviewRecord } from './review-record.ts'
import type { Against } from './verdict.ts'
import { isSameWitness, lastRun } from './witness-proof.ts'

/** Changed line ranges since the review before, by file; null at the first review. */
export type Changes = Record<string, [number, number][]> | null

export function openBlocking(ledger: LedgerIssue[]): LedgerIssue[] {
  return ledger.filter((issue) => issue.status === 'open' && issue.severity === 'blocking')
}

/** The known issue that a reviewer means: the one that it describes, or else the one that it names. */
export function findKnown(ledger: LedgerIssue[], reported: ReportedIssue): LedgerIssue | undefined {
  return ledger.find((issue) => sameFinding(issue, reported)) ?? findByName(ledger, reported)
}

/** Whether a reviewer marks an issue as open that no approval may leave open. A late finding is only a note. */
export function isLeftOpen(ledger: LedgerIssue[], reported: ReportedIssue): boolean {
  const known = reported.status === 'open' ? findKnown(ledger, reported) : undefined
  if (known === undefined || known.late || known.status === 'waived') return false
  return known.status === 'open' || known.severity === 'blocking'
}

/** The part of the ledger that an approval is checked against. */
export function knownIn(ledger: LedgerIssue[]): Pick<Against, 'isLeftOpen' | 'isWaived'> {
  return {
    isLeftOpen: (reported) => isLeftOpen(ledger, reported),
    isWaived: (reported) => findKnown(ledger, reported)?.status === 'waived',
  }
}

/** The open issues in the form in which a developer is told about them. */
export function openForDeveloper(ledger: LedgerIssue[]): FeedbackIssue[] {
  return ledger
    .filter((issue) => issue.status === 'open')
    .map(({ number, file, line, type, severity, description, suggestion, witness, proof, since }) => ({
      issue: number,
      file,
      line,
      type,
      severity,
      description,
      suggestion,
      ...(witness && lastRun({ proof, since })?.outcome === 'proven' ? { witness } : {}),
    }))
}

/** A readable review of a task, and what it changes in the ledger. */
export function completedReview(ledger: LedgerIssue[], record: ReviewRecord): NewEvent[] {
  return [{ type: 'review.completed', data: record }, ...reconcile(ledger, record.body, record)]
}

/** What a readable review changes in the ledger, as events. */
export function reconcile(
  ledger: LedgerIssue[],
  review: Review,
  at: { review: string; cycle: number; changes: Changes },
): NewEvent[] {
  const events: NewEvent[] = []
  const spokenOf = new Set<number>()
  const fresh: ReportedIssue[] = []
  let next = ledger.length + 1

  const open = (
    number: number,
    reported: ReportedIssue,
    { late, reopened, claimed }: { late: boolean; reopened: boolean; claimed: Severity },
  ) => {
    const { cycle, review: id } = at
    const data = { issue: number, reported, cycle, review: id, late, reopened }
    const lighter = claimed === reported.severity ? data : { ...data, claimed }
    events.push({ type: 'issue.opened', data: lighter })
  }
  const resolve = (number: number) =>
    events.push({ type: 'issue.resolved', data: { issue: number, cycle: at.cycle, review: at.review } })

  // Descriptions count more than names: a reviewer may number its findings from 1 again in each review.
  const meant = (reported: ReportedIssue) => ledger.find((issue) => sameFinding(issue, reported))
  const described = new Set(review.issues.map((reported) => meant(reported)?.number))
  const named = (reported: ReportedIssue) =>
    findByName(
      ledger.filter((issue) => !described.has(issue.number) && !spokenOf.has(issue.number)),
      reported,
    )

  for (const reported of review.issues) {
    const known = meant(reported) ?? named(reported)
    if (known) {
      if (spokenOf.has(known.number)) continue
      spokenOf.add(known.number)
      // A person has decided, so the reviewer's words about it change nothing.
      if (known.status === 'waived') continue
      if (reported.status === 'resolved') {
        if (known.status === 'open') resolve(known.number)
        continue
      }
      const restated = restate(known, reported)
      // A late finding stays late, unless it now meets the conditions under which a new finding may block.
      const late = known.late && (restated.severity === 'advisory' || isLate(restated, at.changes))
      const now: ReportedIssue = late ? { ...restated, severity: 'advisory' } : restated
      const claimed = isBareMark(reported) ? known.claimed : restated.severity
      const reopened = known.status === 'resolved'
      if (reopened || saysMore(known, now)) open(known.number, now, { late, reopened, claimed })
      continue
    }
    // A mark on an unknown issue has no meaning.
    if (reported.status === 'resolved' || isBareMark(reported)) continue
    if (fresh.some((other) => sameFinding(other, reported))) continue
    fresh.push(reported)
    const late = isLate(reported, at.changes)
    const now: ReportedIssue = late ? { ...reported, severity: 'advisory' } : reported
    open(next, now, { late, reopened: false, claimed: reported.severity })
    next += 1
  }

  // The reviewer saw the full diff, so an issue that it no longer mentions is resolved. A late finding stays as a note.
  for (const issue of ledger) {
    if (issue.status === 'open' && !spokenOf.has(issue.number) && !issue.late) resolve(issue.number)
  }
  return events
}

/**
 * A new issue in a later cycle blocks only if it is on lines that changed since the last review, or if it is a bug or a
 * security hole with file and line. An issue without a file can't be judged by its place and keeps its severity.
 */
function isLate(issue: ReportedIssue, changes: Changes): boolean {
  if (changes === null || issue.severity !== 'blocking' || issue.file === null) return false
  if ((issue.type === 'bug' || issue.type === 'security') && issue.line !== null) return false
  const file = plainPath(issue.file)
  const ranges = Object.hasOwn(changes, file) ? changes[file] : undefined
  if (!ranges) return true
  const { line } = issue
  return line !== null && !ranges.some(([first, last]) => first <= line && line <= last)
}

/** The ledger's own number is tried before a name that a reviewer once gave. */
function findByName(ledger: LedgerIssue[], { id }: ReportedIssue): LedgerIssue | undefined {
  if (id === null) return undefined
  const name = id.replace(/^#/, '')
  return (
    ledger.find((issue) => name === String(issue.number)) ??
    ledger.find((issue) => issue.alias === id || issue.alias === name)
  )
}

/** `{"id":"3","status":"open"}`: the entry names an issue without describing it. */
function isBareMark(reported: ReportedIssue): boolean {
  return reported.description.trim() === ''
}

/** The developer is told what the ledger contains, so new words, a new place or a new severity must be recorded in it. */
function saysMore(known: LedgerIssue, now: ReportedIssue): boolean {
  return (
    known.severity !== now.severity ||
    known.line !== now.line ||
    known.suggestion !== now.suggestion ||
    !isSameWitness(known.witness, now.witness) ||
    !sameFinding(known, now)
  )
}

type Finding = { file: string | null; type: IssueType; description: string }

function sameFinding(one: Finding, other: Finding): boolean {
  return (
    one.type === other.type &&
    plainPath(one.file ?? '') === plainPath(other.file ?? '') &&
    plainWords(one.description) === plainWords(other.description)
  )
}

/**
 * The known issue in the reviewer's newest words. A bare mark keeps the old words. It can't raise the severity, because
 * its own severity is only a default.
 */
function restate(known: LedgerIssue, reported: ReportedIssue): ReportedIssue {
  return {
    ...reported,
    id: known.alias,
    file: reported.file ?? known.file,
    line: reported.line ?? known.line,
    section: reported.section ?? known.section,
    type: reported.type === 'other' ? known.type : reported.type,
    severity: isBareMark(reported) && known.severity === 'advisory' ? 'advisory' : reported.severity,
    description: isBareMark(reported) ? known.description : reported.description,
    suggestion: reported.suggestion ?? known.suggestion,
    witness: reported.witness ?? known.witness,
  }
}

/** The ledger after an issue was opened, reopened or restated. */
export function withOpened(ledger: LedgerIssue[], opened: EventData['issue.opened']): LedgerIssue[] {
  const { id, status: _, ...finding } = opened.reported
  const known = ledger.find((issue) => issue.number === opened.issue)
  // A person waived the issue while a reviewer was finding it again.
  if (known?.status === 'waived') return ledger
  const issue: LedgerIssue = {
    number: opened.issue,
    alias: id,
    ...finding,
    status: 'open',
    claimed: opened.claimed ?? finding.severity,
    ...(known && isSameWitness(known.witness, finding.witness)
      ? { proof: known.proof, since: known.since }
      : { proof: null, since: null }),
    waived: null,
    openedIn: known?.openedIn ?? opened.cycle,
    resolvedIn: null,
    reopened: (known?.reopened ?? 0) + (opened.reopened ? 1 : 0),
    late: opened.late,
  }
  return known ? ledger.map((other) => (other.number === opened.issue ? issue : other)) : [...ledger, issue]
}

export function withResolved(ledger: LedgerIssue[], resolved: EventData['issue.resolved']): LedgerIssue[] {
  return ledger.map((issue) =>
    issue.number === resolved.issue && issue.status !== 'waived'
      ? { ...issue, status: 'resolved', resolvedIn: resolved.cycle }
      : issue,
  )
}

export function plainPath(path: string): string {
  return path.replace(/^(\.\/)+/, '')
}

function plainWords(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase()
}
