/** What a person may do to a task, when, and what follows from it. Pure, like `decide`; the answer is events or a refusal. */
import type { Actor, NewEvent } from './event.ts'
import { openForDeveloper, withOpened } from './ledger.ts'
import type { Loop } from './loop.ts'
import { recoveryFrom } from './recovery.ts'
import type { ReportedIssue, Verdict } from './review.ts'
import type { BlockReason, Task, TaskStatus } from './task.ts'

export type Move =
  | { kind: 'change'; changes: Partial<Task> }
  | { kind: 'delete' }
  | { kind: 'verdict'; verdict: Verdict; why: string | null }
  | { kind: 'retry'; why: string | null }
  | { kind: 'cancel'; why: string | null }

export type MoveOutcome =
  | { kind: 'allowed'; events: NewEvent[] }
  | { kind: 'refused'; why: string; fix: string }

export function decideMove(loop: Loop, move: Move, by: Actor): MoveOutcome {
  const refuse = (why: string, fix: string): MoveOutcome => ({
    kind: 'refused',
    why: `Task ${loop.id} ${why}.`,
    fix,
  })
  const allow = (...events: NewEvent[]): MoveOutcome => ({ kind: 'allowed', events })
  const is = (...statuses: TaskStatus[]) => statuses.includes(loop.status)
  const decided = (why: string | null, verdict: Verdict | null = null): NewEvent => ({
    type: 'person.decided',
    data: { move: move.kind as 'verdict' | 'retry' | 'cancel', by, why, verdict },
  })

  switch (move.kind) {
    case 'change':
      if (is('cancelled')) return refuse('is cancelled', `umpire retry ${loop.id} takes it up again.`)
      if (is('completed')) return refuse('is completed', 'File a new one with umpire add.')
      return allow({ type: 'task.changed', data: { changes: move.changes, by } })
    case 'delete':
      if (is('in_progress')) return refuse('is being worked on', `umpire cancel ${loop.id} ends it first.`)
      return allow({ type: 'task.deleted', data: { by } })
    case 'verdict':
      if (is('in_progress')) return refuse('is being worked on', 'Set the verdict when it has stopped.')
      if (is('cancelled')) return refuse('is cancelled', `umpire retry ${loop.id} takes it up again.`)
      if (move.verdict === 'APPROVED' && loop.uncommitted) {
        return refuse(
          'has work that no commit holds yet',
          `umpire retry ${loop.id} and umpire work commit it.`,
        )
      }
      return allow(
        decided(move.why, move.verdict),
        ...wordsFor(loop, move),
        verdictEvent(loop, move.verdict, by),
      )
    case 'retry':
      if (is('pending', 'in_progress'))
        return refuse(`is ${loop.status} already`, 'umpire work goes on with it.')
      if (is('completed')) return refuse('is completed', 'File a new one with umpire add.')
      return allow(decided(move.why))
    case 'cancel':
      if (is('completed', 'cancelled')) return refuse(`is ${loop.status} already`, 'There is nothing to end.')
      return allow(decided(move.why))
  }
}

/** Why a person wants changes goes into the ledger, and to the developer when the task goes on. */
function wordsFor(loop: Loop, { verdict, why }: Move & { kind: 'verdict' }): NewEvent[] {
  if (verdict !== 'CHANGES_REQUESTED') return []
  const { cycle } = loop
  const description = why ?? 'A person looked at the work and wants changes.'
  const reported: ReportedIssue = { ...noPlace, type: 'other', severity: 'blocking', description }
  const issue = loop.ledger.length + 1
  const opened = { issue, reported, cycle, review: 'person', late: false, reopened: false }
  const issues = openForDeveloper(withOpened(loop.ledger, opened))
  return [
    { type: 'issue.opened', data: opened },
    {
      type: 'loop.feedback',
      data: { feedback: { from: 'review', cycle, summary: description, issues }, cycle },
    },
  ]
}

const noPlace = {
  id: null,
  file: null,
  line: null,
  section: null,
  suggestion: null,
  witness: null,
  status: null,
}

/** A person's verdict does at once what a review with that verdict would have led to. */
function verdictEvent(loop: Loop, verdict: Verdict, by: Actor): NewEvent {
  const { cycle } = loop
  if (verdict === 'APPROVED') {
    return {
      type: 'loop.approved',
      data: { by: 'person', review: null, tree: loop.head?.tree ?? null, cycle },
    }
  }
  const reason: BlockReason =
    verdict === 'REJECTED'
      ? 'rejected'
      : verdict === 'NEEDS_DISCUSSION'
        ? 'needs_discussion'
        : 'changes_requested'
  return {
    type: 'loop.blocked',
    data: {
      reason,
      detail: `${by} set the verdict.`,
      recovery: recoveryFrom(reason, loop),
      verdict,
      cycle,
    },
  }
}
