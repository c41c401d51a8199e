/** A person says of issues that they don't matter. What is waived stays waived, and nothing is approved by it. */

import type { Actor, EventData, NewEvent } from '../event.ts'
import { applyChange, type Change, type Loop } from '../loop.ts'
import { recoveryFrom } from '../person/recovery.ts'
import type { Feedback } from '../session/feedback.ts'
import { tallyWaived } from './churn.ts'
import { type LedgerIssue, openBlocking } from './ledger.ts'

type WaiveOutcome = { kind: 'allowed'; events: NewEvent[] } | { kind: 'refused'; why: string; fix: string }

/** All of them or none. */
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

/** What it changes in the state. A task that is stopped stays so, but perhaps something else helps it now. */
export function waived(loop: Loop, { issue: number, by, why }: EventData['issue.waived']): Change {
  const ledger = loop.review.ledger.map(
    (issue): LedgerIssue =>
      issue.number === number ? { ...issue, status: 'waived', waived: { by, why } } : issue,
  )
  const tally = tallyWaived(loop.review.tally, number)
  const {
    standing: { status, reason },
  } = loop
  if (status !== 'blocked' || reason === null) return { review: { ledger, tally } }
  return {
    review: { ledger, tally },
    standing: { recovery: recoveryFrom(reason, applyChange(loop, { review: { ledger } })) },
  }
}

/** The developer is not told of what was waived since. */
export function withoutWaived(said: Feedback, ledger: LedgerIssue[]): Feedback {
  if (said.from !== 'review') return said
  return { ...said, issues: said.issues.filter(({ issue }) => !isWaived(ledger, issue)) }
}

function isWaived(ledger: LedgerIssue[], number: number): boolean {
  return ledger.some((issue) => issue.number === number && issue.status === 'waived')
}

/**
 * Whether all that the reviewer sent the work back for was waived before anybody worked on it, and the work is still what the
 * reviewer spoke of.
 */
export function isAllWaived({
  turn: { feedback },
  review: { ledger, last: review },
  work: { head },
}: Loop): boolean {
  if (feedback?.said.from !== 'review' || feedback.begun) return false
  if (!head || feedback.tree !== head.tree || review?.tree !== head.tree) return false
  // Asked again once; whatever stands in the way of that is not gone by asking.
  if (!review.sentBack) return false
  if (review.verdict !== 'CHANGES_REQUESTED' || openBlocking(ledger).length > 0) return false
  return feedback.said.issues.some(
    ({ issue, severity }) => severity === 'blocking' && isWaived(ledger, issue),
  )
}
