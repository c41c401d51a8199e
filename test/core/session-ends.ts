/** The events that the harness appends when a session ends, for everything that an agent can do. */

import type { NewEvent } from '../../src/core/event.ts'
import { type Changes, reconcile } from '../../src/core/review/ledger.ts'
import type { Review } from '../../src/core/review/review.ts'
import type { LedgerIssue, ReviewAnswer, ReviewFailure } from '../../src/core/review/review-record.ts'
import type { RunningSession, SessionOutcome } from '../../src/core/session/session.ts'
import type { DeveloperTurn, ParserTurn, ReviewerTurn } from './turns.ts'

export function developerEnded(session: RunningSession, turn: DeveloperTurn): NewEvent[] {
  switch (turn.does) {
    case 'works':
      return [ended(session, { kind: 'done' }, turn.claimed ?? true), ...strayed(session, turn.strays)]
    case 'changes-nothing':
      return [ended(session, { kind: 'done' }, true)]
    case 'gives-up':
      return [gaveUp(session), ...strayed(session, turn.strays)]
    case 'times-out': {
      const detail = 'The developer reached its time limit of 60 minutes.'
      const outcome = { kind: 'failed', class: 'timeout', detail, retryAt: null } as const
      return [ended(session, outcome), ...strayed(session, turn.strays)]
    }
    default:
      return troubled(session, turn)
  }
}

function gaveUp(session: RunningSession): NewEvent {
  const event = ended(session, { kind: 'done' })
  if (event.type !== 'session.ended') throw new Error('no end of a session')
  return { ...event, data: { ...event.data, gaveUp: 'There is no\nkey.' } }
}

function strayed(
  { session, cycle }: RunningSession,
  how: 'harmlessly' | 'into hooks' | undefined,
): NewEvent[] {
  if (how === undefined) return []
  const stops = how === 'into hooks'
  const area = stops ? 'hooks' : 'home'
  const changes = [{ area, name: 'evil', how: 'added' } as const]
  return [{ type: 'session.strayed', data: { session, cycle, changes, more: 0, stops } }]
}

export function reviewerEnded(
  session: RunningSession,
  turn: ReviewerTurn,
  ledger: LedgerIssue[],
  changes: Changes,
): NewEvent[] {
  const { cycle, attempt } = session
  const of = { review: `${session.session}-review`, cycle, attempt, session: session.session }
  const tree = session.reviewed?.tree ?? ''
  if (turn.does !== 'speaks-freely') return judged(session, { ...of, tree }, turn, ledger, changes)
  const answer = { ...of, tree, command: '/review-task', rawOutput: freeWords, costUsd: null }
  return [ended(session, { kind: 'done' }), { type: 'review.answered', data: answer }]
}

const freeWords = 'Well.'

export function parserEnded(
  session: RunningSession,
  { review, cycle, attempt, session: reviewer, tree }: ReviewAnswer,
  turn: ParserTurn,
  ledger: LedgerIssue[],
  changes: Changes,
): NewEvent[] {
  // The parser is started again, so the review is not over.
  if (turn.does === 'fails') return troubled(session, turn)
  return judged(session, { review, cycle, attempt, session: reviewer, tree }, turn, ledger, changes)
}

/** The events of the session's review: its own, or the reviewer's that it parses. */
function judged(
  session: RunningSession,
  { tree: reviewed, ...of }: Pick<ReviewAnswer, 'review' | 'cycle' | 'attempt' | 'session' | 'tree'>,
  turn: ParserTurn,
  ledger: LedgerIssue[],
  changes: Changes,
): NewEvent[] {
  const { cycle } = of
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
      const tree = (turn.does === 'judges' && turn.tree) || reviewed
      const by = {
        kind: 'task',
        channel: session.role === 'parser' ? 'parser' : 'json',
        command: '/review-task',
        rawOutput: session.role === 'parser' ? freeWords : '',
        costUsd: null,
        ...(session.role === 'parser' ? { parsedBy: session.session } : {}),
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
      const { class: failureClass = 'crash', retryAt = null, retry } = turn
      const failed = { kind: 'failed', class: failureClass, detail: 'it broke down', retryAt } as const
      return [ended(session, retry ? { ...failed, retry } : failed)]
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
