/** What sessions that run beside the loop's own change in its state: a panel's seats, and checkpoints. */

import type { EventData } from '../event.ts'
import { knownSum } from '../known-sum.ts'
import { type Loop, noTries, type RunningSession, type Voice } from '../loop.ts'
import { findingsOf } from '../review/checkpoint.ts'
import type { Seat } from '../review/panel.ts'
import { withFailure } from './evolve-outcome.ts'

export function findBeside(loop: Loop, session: string): RunningSession | undefined {
  return loop.beside.find((other) => other.session === session)
}

export function besideStarted(loop: Loop, started: EventData['session.started'], at: string): Partial<Loop> {
  const { prompt: _, ...session } = started
  const beside = [...loop.beside, { ...session, startedAt: at }]
  const { beside: place } = session
  if (place?.kind === 'checkpoint')
    return { beside, checkpointed: { ...loop.checkpointed, [place.by]: place.iteration } }
  return {
    beside,
    sessions: loop.sessions + 1,
    panel: place ? withSeat(loop.panel, seated(session, place.seat, loop.panel)) : loop.panel,
  }
}

/** A seat that is asked again keeps the count of what went wrong. */
function seated(session: Omit<RunningSession, 'startedAt'>, seat: number, panel: Seat[]): Seat {
  const known = panel.find((other) => other.seat === seat)
  const { cycle, attempt, agent, reviewed } = session
  return {
    ...(known ?? { tries: noTries, malformed: 0, why: null, at: null }),
    seat,
    cycle,
    tree: reviewed?.tree ?? '',
    session: session.session,
    attempt,
    agent,
    verdict: null,
    blocking: false,
  }
}

export function besideEnded(
  loop: Loop,
  session: RunningSession,
  { outcome, costUsd, tokens }: EventData['session.ended'],
  at: string,
): Partial<Loop> {
  const common = {
    beside: without(loop, session),
    costUsd: knownSum(loop.costUsd, costUsd),
    tokens: knownSum(loop.tokens, tokens),
  }
  if (outcome.kind !== 'failed') return common
  const { class: failureClass, detail, retryAt, retry = null } = outcome
  const last = { class: failureClass, detail, at, retryAt, retry, agent: session.agent }
  return { ...common, panel: onSeat(loop, session, ({ tries }) => ({ tries: withFailure(tries, last) })) }
}

export function besideLost(loop: Loop, session: RunningSession): Partial<Loop> {
  return {
    beside: without(loop, session),
    panel: onSeat(loop, session, ({ tries }) => ({ tries: { ...tries, losses: tries.losses + 1 } })),
  }
}

/** A reviewer of a panel is known again by its seat; who looks at unfinished work is never gone on with. */
export function voiceOf({ role, beside }: Pick<RunningSession, 'role' | 'beside'>): Voice | null {
  if (beside?.kind === 'checkpoint') return null
  return beside && beside.seat > 1 ? `reviewer ${beside.seat}` : role
}

export function identified(
  loop: Loop,
  { session: id, agentSession }: EventData['session.identified'],
): Partial<Loop> {
  const session = loop.session?.session === id ? loop.session : findBeside(loop, id)
  const voice = session && voiceOf(session)
  if (!session || !voice) return {}
  return { conversations: { ...loop.conversations, [voice]: { agent: session.agent, id: agentSession } } }
}

export function reviewGiven(loop: Loop, { session, seat, body }: EventData['review.given']): Partial<Loop> {
  const given = { tries: noTries, verdict: body.verdict, blocking: body.blocking }
  return { panel: changed(loop.panel, seat, session, () => given) }
}

/** A seat's answer could not be read. */
export function seatUnreadable(
  loop: Loop,
  { session, why }: EventData['review.failed'],
  seat: number,
  at: string,
): Partial<Loop> {
  return {
    panel: changed(loop.panel, seat, session, ({ malformed }) => ({
      tries: noTries,
      malformed: malformed + 1,
      why,
      at,
    })),
  }
}

export function checkpointed(loop: Loop, record: EventData['loop.checkpoint'], at: string): Partial<Loop> {
  return { checkpoint: findingsOf(record) ?? loop.checkpoint, lastCheckpointAt: at }
}

function without({ beside }: Loop, { session }: RunningSession): RunningSession[] {
  return beside.filter((other) => other.session !== session)
}

function onSeat(
  loop: Loop,
  { session, beside }: RunningSession,
  change: (seat: Seat) => Partial<Seat>,
): Seat[] {
  return beside?.kind === 'panel' ? changed(loop.panel, beside.seat, session, change) : loop.panel
}

/** Only as long as the seat is still asked by this session: a panel that was asked anew forgets the one before. */
function changed(
  panel: Seat[],
  seat: number,
  session: string,
  change: (seat: Seat) => Partial<Seat>,
): Seat[] {
  return panel.map((other) =>
    other.seat === seat && other.session === session ? { ...other, ...change(other) } : other,
  )
}

function withSeat(panel: Seat[], seat: Seat): Seat[] {
  return [...panel.filter((other) => other.seat !== seat.seat), seat].sort(
    (one, other) => one.seat - other.seat,
  )
}
