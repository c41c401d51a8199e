/** What the start and the end of a session change in the state, for the loop's own session and for parallel ones. */
import type { EventData } from '../event.ts'
import { type Change, changes, type Loop } from '../loop.ts'
import { developerEnded } from '../phases/develop.ts'
import { resolverEnded } from '../phases/resolve.ts'
import { isNamedLimit } from '../policy/failure.ts'
import { onSeat, type Seat } from '../review/panel-verdict.ts'
import { type LastFailure, noTries, type Tries } from '../session/session.ts'
import type { RunningSession, Voice } from './session.ts'
import { describeChanges, whyLook } from './surroundings.ts'

export function sessionStarted(loop: Loop, started: EventData['session.started'], at: string): Change {
  const { prompt: _, ...session } = started
  const running = { ...session, startedAt: at }
  if (session.beside) return startedBeside(loop, running, session.beside)
  const { role, iteration, cycle, attempt } = session
  const { turn, landing } = loop
  return {
    turn: {
      session: running,
      sessions: turn.sessions + 1,
      developer: role === 'developer' ? session.session : turn.developer,
      attempts: role === 'parser' ? { ...turn.attempts, parser: attempt } : turn.attempts,
    },
    landing: { resolver: role === 'resolver' ? { iteration, cycle, attempt } : landing.resolver },
  }
}

function startedBeside(
  { turn, review }: Loop,
  running: RunningSession,
  place: NonNullable<RunningSession['beside']>,
): Change {
  const beside = [...turn.beside, running]
  if (place.kind === 'checkpoint') {
    const checkpointed = { ...review.checkpointed, [place.by]: place.iteration }
    return { turn: { beside }, review: { checkpointed } }
  }
  const panel = withSeat(review.panel, seated(running, place.seat, review.panel))
  return { turn: { beside, sessions: turn.sessions + 1 }, review: { panel } }
}

/** A seat that is asked again keeps its counts of failures. */
function seated(session: RunningSession, seat: number, panel: Seat[]): Seat {
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

function withSeat(panel: Seat[], seat: Seat): Seat[] {
  return [...panel.filter((other) => other.seat !== seat.seat), seat].sort(
    (one, other) => one.seat - other.seat,
  )
}

export function sessionEnded(loop: Loop, end: EventData['session.ended'], at: string): Change {
  const { standing } = loop
  const paid: Change = {
    standing: {
      costUsd: knownSum(standing.costUsd, end.costUsd),
      tokens: knownSum(standing.tokens, end.tokens),
    },
  }
  const beside = findBeside(loop, end.session)
  return changes(paid, beside ? endedBeside(loop, beside, end, at) : ownEnded(loop, end, at))
}

function endedBeside(
  loop: Loop,
  session: RunningSession,
  { outcome }: EventData['session.ended'],
  at: string,
): Change {
  const over: Change = { turn: { beside: without(loop, session) } }
  if (outcome.kind !== 'failed') return over
  const { class: failureClass, detail, retryAt, retry = null } = outcome
  const last = { class: failureClass, detail, at, retryAt, retry, agent: session.agent }
  const panel = seatOf(loop, session, ({ tries }) => ({ tries: withFailure(tries, last) }))
  return changes(over, { review: { panel } })
}

function ownEnded(loop: Loop, end: EventData['session.ended'], at: string): Change {
  const { outcome } = end
  const { session, tries } = loop.turn
  const over: Change = { turn: { session: null } }
  const resolved =
    session?.role === 'resolver' ? resolverEnded(loop, end.session, outcome, end.gaveUp ?? null) : null
  if (resolved) return changes(over, resolved)
  const developer = session?.role === 'developer'
  switch (outcome.kind) {
    case 'interrupted':
      return over
    case 'done': {
      // A reviewer's turn ends only with the event of the review, which says whether the review could be read.
      if (!developer) return over
      const how = { saidDone: end.claimed, gaveUp: end.gaveUp ?? null }
      return changes(over, developerEnded(loop, end.session, how))
    }
    case 'failed': {
      const { class: failureClass, detail, retryAt, retry = null } = outcome
      if (developer && failureClass === 'timeout')
        return changes(over, developerEnded(loop, end.session, { overdue: detail }))
      const agent = session?.agent ?? ''
      const last = { class: failureClass, detail, at, retryAt, retry, agent }
      return changes(over, { turn: { tries: withFailure(tries, last) } })
    }
  }
}

export function sessionLost(loop: Loop, { session }: EventData['session.lost']): Change {
  const beside = findBeside(loop, session)
  const lost = ({ tries }: { tries: Tries }) => ({ tries: { ...tries, losses: tries.losses + 1 } })
  if (!beside) return { turn: { session: null, ...lost(loop.turn) } }
  return { turn: { beside: without(loop, beside) }, review: { panel: seatOf(loop, beside, lost) } }
}

/** Each kind of failure is counted separately, because each has its own limit. */
function withFailure(tries: Tries, last: LastFailure): Tries {
  const next = { ...tries, losses: 0, last }
  if (last.retry === 'shorter') return { ...next, tooLong: tries.tooLong + 1 }
  if (isNamedLimit(last))
    return { ...next, waits: tries.waits + 1, waitingSince: tries.waitingSince ?? last.at }
  return { ...next, failures: tries.failures + 1 }
}

/** The sum of amounts that not every agent reports, such as a cost. Null only if neither is known. */
export function knownSum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : one + other
}

export function identified(
  loop: Loop,
  { session: id, agentSession }: EventData['session.identified'],
): Change {
  const session = loop.turn.session?.session === id ? loop.turn.session : findBeside(loop, id)
  const voice = session && voiceOf(session)
  if (!session || !voice) return {}
  return {
    turn: {
      conversations: { ...loop.turn.conversations, [voice]: { agent: session.agent, id: agentSession } },
    },
  }
}

/** A reviewer of a panel continues the session of its seat. The session of a checkpoint is never continued. */
export function voiceOf({ role, beside }: Pick<RunningSession, 'role' | 'beside'>): Voice | null {
  if (beside?.kind === 'checkpoint') return null
  return beside && beside.seat > 1 ? `reviewer ${beside.seat}` : role
}

export function noted(loop: Loop, { session: id, about, text, request }: EventData['session.noted']): Change {
  const { session } = loop.turn
  const beside = loop.turn.beside.find((other) => other.session === id)
  if (about === 'progress' && request !== undefined && beside) {
    const progress = { text, request }
    return {
      turn: { beside: loop.turn.beside.map((other) => (other === beside ? { ...other, progress } : other)) },
    }
  }
  if (about !== 'progress' || request === undefined || session?.session !== id) return {}
  return { turn: { session: { ...session, progress: { text, request } } } }
}

/** How many changes outside the worktree the state keeps for the screens. The journal has them all. */
const mostStrays = 20

export function strayed(loop: Loop, { session, changes, stops }: EventData['session.strayed']): Change {
  const text = describeChanges(changes)
  return {
    work: {
      strays: [...loop.work.strays, { session, text }].slice(-mostStrays),
      strayed: stops
        ? `While session ${session} ran, this was changed: ${text}. ${whyLook(changes)}`.trimEnd()
        : loop.work.strayed,
    },
  }
}

function findBeside(loop: Loop, session: string): RunningSession | undefined {
  return loop.turn.beside.find((other) => other.session === session)
}

function without({ turn: { beside } }: Loop, { session }: RunningSession): RunningSession[] {
  return beside.filter((other) => other.session !== session)
}

/** The seats of the panel, with a change to the seat of this session. */
function seatOf(
  { review: { panel } }: Loop,
  { session, beside }: RunningSession,
  change: (seat: Seat) => Partial<Seat>,
): Seat[] {
  return beside?.kind === 'panel' ? onSeat(panel, beside.seat, session, change) : panel
}
