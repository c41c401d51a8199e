/** How the parallel sessions of a played loop end: the seats of a panel, and checkpoints. */

import type { NewEvent, StoredEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import { type Changes, reconcile } from '../../src/core/review/ledger.ts'
import { combinePanel } from '../../src/core/review/panel-verdict.ts'
import type { RunningSession, SessionStart } from '../../src/core/session/session.ts'
import type { Step } from '../../src/core/step.ts'
import { reviewerEnded } from './session-ends.ts'
import type { ReviewerTurn } from './turns.ts'

const given = { agent: 'scripted', model: null, prompt: 'Please.', tokenHash: 'h', limitMs: 60_000 }

export function seatsStarted(
  { cycle, attempt, ask, seats = [] }: Step & { do: 'review' },
  { turn: { sessions, iteration }, work: { head }, policy }: Loop,
): NewEvent[] {
  const tree = head?.tree ?? ''
  const reviewed = { tree, fingerprint: 'f', clone: 'c' }
  const asked = seats.map(({ seat }) => seat)
  const maxCycles = policy?.maxCycles ?? 0
  return [
    { type: 'loop.reviewing', data: { cycle, attempt, maxCycles, tree, ask, seats: asked } },
    ...seats.flatMap((one): NewEvent[] => {
      const session = `7-${sessions + 1}p${one.seat}`
      const beside = { kind: 'panel', seat: one.seat } as const
      const start: SessionStart = {
        ...given,
        session,
        role: 'reviewer',
        beside,
        iteration,
        cycle,
        attempt: one.attempt,
        reviewed,
      }
      const review = { review: `${session}-review`, cycle, attempt: one.attempt, session, tree }
      return [
        { type: 'review.started', data: review },
        { type: 'session.started', data: start },
      ]
    }),
  ]
}

export function checkpointTaken({ iteration, own }: Step & { do: 'checkpoint' }, loop: Loop): NewEvent[] {
  const reached: NewEvent = { type: 'loop.interval', data: { iteration, cycle: loop.review.cycle + 1 } }
  return own ? [reached, checkpointStarted(loop, loop.id, iteration)] : [reached]
}

/** `by` is the task whose loop reached its interval: this one or another. */
export function checkpointStarted(loop: Loop, by: number, iteration: number): NewEvent {
  const session = `7-c${by}.${iteration}`
  const reviewed = { tree: loop.work.head?.tree ?? 'snapshot', fingerprint: 'f', clone: 'c' }
  const beside = { kind: 'checkpoint', by, iteration } as const
  const at = { iteration: loop.turn.iteration, cycle: loop.review.cycle + 1, attempt: 1 }
  return { type: 'session.started', data: { ...given, session, role: 'reviewer', beside, ...at, reviewed } }
}

export function besideEnded(session: RunningSession, turn: ReviewerTurn, loop: Loop): NewEvent[] {
  // The seats of a panel have no parser.
  const readable: ReviewerTurn = turn.does === 'speaks-freely' ? { does: 'is-unreadable' } : turn
  const events = reviewerEnded(session, readable, loop.review.ledger, null)
  const { beside } = session
  return events.flatMap((event): NewEvent[] => {
    if (beside?.kind === 'panel') return ofSeat(event, session, beside.seat)
    return beside ? ofCheckpoint(event, session, beside.by) : [event]
  })
}

function ofSeat(event: NewEvent, { agent }: RunningSession, seat: number): NewEvent[] {
  if (event.type === 'review.failed') return [{ ...event, data: { ...event.data, seat } }]
  if (event.type === 'review.completed') {
    const { kind: _, changes: __, ...said } = event.data
    return [{ type: 'review.given', data: { ...said, seat, agent } }]
  }
  return event.type.startsWith('issue.') ? [] : [event]
}

function ofCheckpoint(event: NewEvent, { session, iteration }: RunningSession, by: number): NewEvent[] {
  if (event.type === 'review.failed' && event.data.cause === 'tampered')
    return [{ ...event, data: { ...event.data, kind: 'checkpoint' } }]
  if (event.type === 'review.failed')
    return [{ type: 'session.noted', data: { session, about: 'checkpoint', text: event.data.why } }]
  if (event.type === 'review.completed') {
    const { kind: _, changes: __, attempt: ___, ...said } = event.data
    return [{ type: 'loop.checkpoint', data: { ...said, iteration, by, verdict: said.body.verdict } }]
  }
  return event.type.startsWith('issue.') ? [] : [event]
}

export function combined(
  { seats }: Step & { do: 'combine' },
  loop: Loop,
  events: StoredEvent[],
  changes: Changes,
): NewEvent[] {
  const sessions = seats.flatMap(({ session, verdict }) => (verdict === null ? [] : [session]))
  const answers = events.flatMap((event) =>
    event.type === 'review.given' && sessions.includes(event.data.session) ? [event.data] : [],
  )
  const { policy } = loop
  const body = policy && combinePanel(answers, policy.seats, policy.approveBy)
  const [first] = answers
  if (!body || !first) throw new Error('the panel has not decided')
  const { review, cycle, attempt, session, tree, command } = first
  const record = { review, kind: 'task', cycle, attempt, session, tree, command } as const
  const rest = { channel: 'panel', body, rawOutput: '', costUsd: null, changes, seats }
  return [
    { type: 'review.completed', data: { ...record, ...rest } },
    ...reconcile(loop.review.ledger, body, { review, cycle, changes }),
  ]
}
