/**
 * The next step of a panel's review. All seats are asked at the same time. A seat that fails or gives no readable answer
 * is asked again, as a single reviewer would be. When its retries are used up, it counts as absent.
 */
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import { later, nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import { onSeat, panelVerdict, type Seat } from '../review/panel-verdict.ts'
import type { SeatRecord } from '../review/review-record.ts'
import { noTries } from '../session/session.ts'
import { block, fail, type SeatAsk, type Step } from '../step.ts'
import type { FailReason } from '../task.ts'
import type { Committed } from './ruling.ts'

type SeatStanding =
  | { kind: 'given' }
  | { kind: 'absent'; why: string; reason: FailReason | null }
  | { kind: 'asked'; ask: SeatAsk; notBefore: string | null }

export function decidePanel(loop: Committed, policy: Policy, cycle: number): Step {
  const running = new Set(
    loop.turn.beside.flatMap(({ beside }) => (beside?.kind === 'panel' ? [beside.seat] : [])),
  )
  const seats = seatsOf(policy).filter((seat) => !running.has(seat))
  const standings = seats.map((seat) => seatStanding(seat, loop, policy, cycle))
  const asked = standings
    .filter((standing) => standing.kind === 'asked')
    .toSorted((one, other) => (one.notBefore ?? '').localeCompare(other.notBefore ?? ''))
  const [first] = asked
  if (first) {
    const now = asked.filter(({ notBefore }) => (notBefore ?? '') <= (first.notBefore ?? ''))
    const attempt = Math.max(...now.map(({ ask }) => ask.attempt))
    const { ask, prompt } = first.ask
    return {
      do: 'review',
      cycle,
      attempt,
      notBefore: first.notBefore,
      ask,
      prompt,
      seats: now.map((each) => each.ask),
    }
  }
  if (running.size > 0) return { do: 'await' }
  const given = loop.review.panel.filter(({ seat, verdict }) => seat <= policy.seats && verdict !== null)
  const answers = given.flatMap(({ verdict, blocking }) => (verdict === null ? [] : [{ verdict, blocking }]))
  if (panelVerdict(answers, policy.seats, policy.approveBy) !== null)
    return { do: 'combine', seats: recordsOf(loop, policy, cycle) }
  return undecided(loop, policy, standings)
}

/** Asks every seat of the panel the same question. */
export function allSeats({ attempt, ask, prompt }: Omit<SeatAsk, 'seat'>, policy: Policy): SeatAsk[] {
  return seatsOf(policy).map((seat) => ({ seat, attempt, ask, prompt }))
}

function seatsOf({ seats }: Policy): number[] {
  return Array.from({ length: seats }, (_, index) => index + 1)
}

function seatStanding(number: number, loop: Committed, policy: Policy, cycle: number): SeatStanding {
  const seat = loop.review.panel.find((other) => other.seat === number)
  const { attempts } = loop.turn
  const { asks } = loop.review
  if (!seat || seat.tree !== loop.work.head.tree || seat.cycle !== cycle) {
    const attempt = (attempts.cycle === cycle ? attempts.reviewer : 0) + 1
    return { kind: 'asked', ask: { seat: number, attempt, ask: asks.why, prompt: 'whole' }, notBefore: null }
  }
  if (seat.verdict !== null) return { kind: 'given' }
  const next = nextTry(seat.tries, policy.agentRetries)
  if (next.kind === 'give-up') return { kind: 'absent', why: next.detail, reason: next.reason }
  if (seat.malformed > policy.reviewRetries)
    return { kind: 'absent', why: `no readable verdict: ${seat.why}`, reason: null }
  const ask = { seat: number, attempt: seat.attempt + 1, ask: seat.why ?? asks.why, prompt: next.prompt }
  return { kind: 'asked', ask, notBefore: next.notBefore ?? (seat.at && later(seat.at, 1_000)) }
}

function recordsOf(loop: Committed, policy: Policy, cycle: number): SeatRecord[] {
  return seatsOf(policy).flatMap((number) => {
    const seat: Seat | undefined = loop.review.panel.find((other) => other.seat === number)
    const standing = seatStanding(number, loop, policy, cycle)
    if (!seat) return []
    const { session, agent, verdict } = seat
    return [{ seat: number, session, agent, verdict, why: standing.kind === 'absent' ? standing.why : null }]
  })
}

/** The panel has no verdict: too few seats approve, none asks for changes, and the absent seats could decide either way. */
function undecided(loop: Loop, { approveBy }: Policy, standings: SeatStanding[]): Step {
  const absent = standings.flatMap((standing, index) =>
    standing.kind === 'absent' ? [{ ...standing, seat: index + 1 }] : [],
  )
  const whys = absent.map(({ seat, why }) => `seat ${seat}: ${why.replace(/\.$/, '')}`).join('; ')
  const detail = `Too few reviewers of the panel answered for approve_by ${wordFor(approveBy)}; ${whys}.`
  const broken = absent.find(({ reason }) => reason !== null)
  if (!broken?.reason) return block(loop, 'malformed_review', detail)
  return fail(loop, broken.reason, detail)
}

function wordFor(approveBy: Policy['approveBy']): string {
  return typeof approveBy === 'string' ? approveBy : `quorum ${approveBy.quorum}`
}

export function reviewGiven(loop: Loop, { session, seat, body }: EventData['review.given']): Change {
  const given = { tries: noTries, verdict: body.verdict, blocking: body.blocking }
  return { review: { panel: onSeat(loop.review.panel, seat, session, () => given) } }
}

/** A seat's answer could not be read. */
export function seatUnreadable(
  loop: Loop,
  { session, why }: EventData['review.failed'],
  seat: number,
  at: string,
): Change {
  return {
    review: {
      panel: onSeat(loop.review.panel, seat, session, ({ malformed }) => ({
        tries: noTries,
        malformed: malformed + 1,
        why,
        at,
      })),
    },
  }
}
