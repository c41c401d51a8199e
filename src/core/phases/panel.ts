/**
 * What a panel's review needs next. All seats are asked at the same time; one that breaks down or can't be read is asked
 * again like a single reviewer would be, and after that it is absent.
 */

import type { Loop } from '../loop.ts'
import { later, nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import { panelVerdict, type Seat, type SeatRecord } from '../review/panel.ts'
import { block, fail, type SeatAsk, type Step } from '../step.ts'
import type { FailReason } from '../task.ts'

type Standing =
  | { kind: 'given' }
  | { kind: 'absent'; why: string; reason: FailReason | null }
  | { kind: 'asked'; ask: SeatAsk; notBefore: string | null }

export function decidePanel(loop: Loop, policy: Policy, cycle: number): Step {
  const running = new Set(
    loop.beside.flatMap(({ beside }) => (beside?.kind === 'panel' ? [beside.seat] : [])),
  )
  const seats = seatsOf(policy).filter((seat) => !running.has(seat))
  const standings = seats.map((seat) => standingOf(seat, loop, policy, cycle))
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
  const given = loop.panel.filter(({ seat, verdict }) => seat <= policy.seats && verdict !== null)
  const answers = given.flatMap(({ verdict, blocking }) => (verdict === null ? [] : [{ verdict, blocking }]))
  if (panelVerdict(answers, policy.seats, policy.approveBy) !== null)
    return { do: 'combine', seats: recordsOf(loop, policy, cycle) }
  return undecided(loop, policy, standings)
}

/** The same question to the whole panel. */
export function allSeats({ attempt, ask, prompt }: Omit<SeatAsk, 'seat'>, policy: Policy): SeatAsk[] {
  return seatsOf(policy).map((seat) => ({ seat, attempt, ask, prompt }))
}

function seatsOf({ seats }: Policy): number[] {
  return Array.from({ length: seats }, (_, index) => index + 1)
}

function standingOf(number: number, loop: Loop, policy: Policy, cycle: number): Standing {
  const seat = loop.panel.find((other) => other.seat === number)
  const { attempts, asks } = loop
  if (!seat || seat.tree !== loop.head?.tree || seat.cycle !== cycle) {
    const attempt = (attempts.cycle === cycle ? attempts.reviewer : 0) + 1
    return { kind: 'asked', ask: { seat: number, attempt, ask: asks.why, prompt: 'whole' }, notBefore: null }
  }
  if (seat.verdict !== null) return { kind: 'given' }
  const next = nextTry(seat, policy.agentRetries)
  if (next.kind === 'give-up') return { kind: 'absent', why: next.detail, reason: next.reason }
  if (seat.malformed > policy.reviewRetries)
    return { kind: 'absent', why: `no readable verdict: ${seat.why}`, reason: null }
  const ask = { seat: number, attempt: seat.attempt + 1, ask: seat.why ?? asks.why, prompt: next.prompt }
  return { kind: 'asked', ask, notBefore: next.notBefore ?? (seat.at && later(seat.at, 1_000)) }
}

function recordsOf(loop: Loop, policy: Policy, cycle: number): SeatRecord[] {
  return seatsOf(policy).flatMap((number) => {
    const seat: Seat | undefined = loop.panel.find((other) => other.seat === number)
    const standing = standingOf(number, loop, policy, cycle)
    if (!seat) return []
    const { session, agent, verdict } = seat
    return [{ seat: number, session, agent, verdict, why: standing.kind === 'absent' ? standing.why : null }]
  })
}

/** Too few approve, nobody asks for changes, and those who are absent could have said either. */
function undecided(loop: Loop, { approveBy }: Policy, standings: Standing[]): Step {
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
