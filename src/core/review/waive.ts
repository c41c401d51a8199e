/** A person waives issues that don't matter. A waived issue stays waived, and waiving approves nothing. */
import type { Actor, EventData, NewEvent } from '../event.ts'
import { applyChange, type Change, type Loop } from '../loop.ts'
import { recoveryFrom } from '../person/recovery.ts'
import type { Feedback } from '../session/feedback.ts'
import { tallyWaived } from './churn.ts'
import { openBlocking } from './ledger.ts'
import type { LedgerIssue } from './review-record.ts'

type WaiveOutcome = { kind: 'allowed'; events: NewEvent[] } | { kind: 'refused'; why: string; fix: string }

/** Waives all of the issues or none. */
export function decideWaive(
  loop: Loop,
  { issues, why }: { issues: number[]; why: string },
  by: Actor,
): WaiveOutcome {
  const {
    id,
    standing: { status },
    review: { ledger, cycle },
  } = loop
  const refuse = (what: string, fix: string): WaiveOutcome => ({ kind: 'refused', why: what, fix })
  if (status === 'completed')
    return refuse(`Task ${id} is completed.`, 'Its issues no longer block anything.')
  if (status === 'cancelled') return refuse(`Task ${id} is cancelled.`, `umpire retry ${id} reopens it.`)
  if (why.trim() === '') return refuse('The reason is missing.', 'Say why it does not matter: --why "…".')
  const wanted = [...new Set(issues)]
  if (wanted.length === 0) return refuse('No issue is named.', 'Name it by its number: --issue N.')
  const events: NewEvent[] = []
  for (const number of wanted) {
    const issue = ledger.find((each) => each.number === number)
    const known = `umpire show ${id} lists them.`
    if (!issue)
      return refuse(`Task ${id} has no issue ${number}.`, ledger.length > 0 ? known : 'It has no issues.')
    if (issue.status === 'resolved')
      return refuse(
        `Issue ${number} of task ${id} is already resolved, since review ${issue.resolvedIn}.`,
        known,
      )
    if (issue.status === 'waived')
      return refuse(`Issue ${number} of task ${id} is already waived, by ${issue.waived?.by}.`, known)
    events.push({ type: 'issue.waived', data: { issue: number, by, why: why.trim(), cycle } })
  }
  const decided: NewEvent = {
    type: 'person.decided',
    data: { move: 'waive', by, why: why.trim(), verdict: null },
  }
  return { kind: 'allowed', events: [decided, ...events] }
}

/** What a waiver changes in the state. A stopped task stays stopped, but other commands may help it now. */
export function waived(loop: Loop, { issue: number, by, why }: EventData['issue.waived']): Change {
  const ledger = loop.review.ledger.map(
    (issue): LedgerIssue =>
      issue.number === number ? { ...issue, status: 'waived', waived: { by, why } } : issue,
  )
  const tally = tallyWaived(loop.review.tally, number)
  const { status, reason } = loop.standing
  if (status !== 'blocked' || reason === null) return { review: { ledger, tally } }
  return {
    review: { ledger, tally },
    standing: { recovery: recoveryFrom(reason, applyChange(loop, { review: { ledger } })) },
  }
}

/** Removes the issues that were waived since the feedback, so that the developer does not work on them. */
export function withoutWaived(said: Feedback, ledger: LedgerIssue[]): Feedback {
  if (said.from !== 'review') return said
  return { ...said, issues: said.issues.filter(({ issue }) => !isWaived(ledger, issue)) }
}

function isWaived(ledger: LedgerIssue[], number: number): boolean {
  return ledger.some((issue) => issue.number === number && issue.status === 'waived')
}

/**
 * Whether a person waived every issue that the reviewer sent the work back for, before a developer worked on it. The tree
 * must still be the one that was reviewed.
 */
export function isAllWaived({
  turn: { feedback },
  review: { ledger, last: review },
  work: { head },
}: Loop): boolean {
  if (feedback?.said.from !== 'review' || feedback.begun) return false
  if (!head || feedback.tree !== head.tree || review?.tree !== head.tree) return false
  // The reviewer was already asked again once. Asking it another time would not help.
  if (!review.sentBack) return false
  if (review.verdict !== 'CHANGES_REQUESTED' || openBlocking(ledger).length > 0) return false
  return feedback.said.issues.some(
    ({ issue, severity }) => severity === 'blocking' && isWaived(ledger, issue),
  )
}
