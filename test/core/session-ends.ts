/** The events that the harness appends when a session is over, for each thing that an agent can do. */
import type { NewEvent, ReviewFailure, SessionOutcome } from '../../src/core/event.ts'
import { type Changes, type LedgerIssue, reconcile } from '../../src/core/ledger.ts'
import type { RunningSession } from '../../src/core/loop.ts'
import type { Review } from '../../src/core/review.ts'
import type { DeveloperTurn, ReviewerTurn } from './turns.ts'

export function developerEnded(session: RunningSession, turn: DeveloperTurn): NewEvent[] {
  switch (turn.does) {
    case 'works':
      return [ended(session, { kind: 'done' }, turn.claimed ?? true)]
    case 'changes-nothing':
      return [ended(session, { kind: 'done' }, true)]
    case 'times-out': {
      const detail = 'The developer ran out of its 60 minutes.'
      return [ended(session, { kind: 'failed', class: 'timeout', detail, retryAt: null })]
    }
    default:
      return troubled(session, turn)
  }
}

export function reviewerEnded(
  session: RunningSession,
  turn: ReviewerTurn,
  ledger: LedgerIssue[],
  changes: Changes,
): NewEvent[] {
  const { cycle, attempt } = session
  const of = { review: `${session.session}-review`, cycle, attempt, session: session.session }
  const none = (cause: ReviewFailure['cause'], why: string): NewEvent => ({
    type: 'review.failed',
    data: { ...of, cause, why, rawOutput: '' },
  })
  switch (turn.does) {
    case 'is-unreadable':
      return [ended(session, { kind: 'done' }), none('malformed', turn.why ?? 'no verdict found')]
    case 'tampers':
      return [ended(session, { kind: 'done' }), none('tampered', 'the branch was moved')]
    case 'fails':
      return [...troubled(session, turn), none('agent', 'it broke down')]
    case 'vanishes':
    case 'is-interrupted':
      return troubled(session, turn)
    case 'approves':
    case 'judges': {
      const body: Review = { ...approval, ...(turn.does === 'judges' ? turn.review : {}) }
      const tree = (turn.does === 'judges' && turn.tree) || (session.reviewed?.tree ?? '')
      const by = {
        kind: 'task',
        channel: 'json',
        command: '/review-task',
        rawOutput: '',
        costUsd: null,
      } as const
      return [
        ended(session, { kind: 'done' }),
        { type: 'review.completed', data: { ...of, ...by, tree, body, changes } },
        ...reconcile(ledger, body, { review: of.review, cycle, changes }),
      ]
    }
  }
}

const approval: Review = {
  verdict: 'APPROVED',
  summary: 'Fine.',
  interpretedIntent: null,
  intentSatisfied: null,
  scores: {},
  blocking: false,
  issues: [],
}

type Trouble = (DeveloperTurn | ReviewerTurn) & { does: 'fails' | 'vanishes' | 'is-interrupted' }

function troubled(session: RunningSession, turn: Trouble): NewEvent[] {
  switch (turn.does) {
    case 'fails': {
      const { class: failureClass = 'crash', retryAt = null } = turn
      return [ended(session, { kind: 'failed', class: failureClass, detail: 'it broke down', retryAt })]
    }
    case 'vanishes':
      return [{ type: 'session.lost', data: { session: session.session, detail: 'the machine went down' } }]
    case 'is-interrupted':
      return [ended(session, { kind: 'interrupted' })]
  }
}

function ended({ session }: RunningSession, outcome: SessionOutcome, claimed = false): NewEvent {
  const exitCode = outcome.kind === 'done' ? 0 : null
  const report = {
    exitCode,
    agentSession: null,

    messages: 1,
    costUsd: 0.5,
    tokens: 100,
    refused: [],
  }
  return { type: 'session.ended', data: { session, outcome, claimed, ...report } }
}
