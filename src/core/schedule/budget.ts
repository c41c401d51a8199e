/**
 * How much may still be spent. Before a session starts, its expected cost is reserved. The money spent so far, the
 * reservations of running sessions and the new reservation must together fit into every budget. The real cost of a session
 * then replaces its reservation. It may be higher, so the estimate is a high one.
 */
import type { Role } from '../session/session.ts'

/** How much may be spent, in dollars; null for no limit. */
export interface Budget {
  task: number | null
  run: number | null
  day: number | null
}

export type BudgetName = keyof Budget

export const budgetNames = ['task', 'run', 'day'] as const satisfies readonly BudgetName[]

/** One budget of one task, run or day, and how much of it is used so far. */
export interface Account {
  budget: BudgetName
  /** The number of the task or the run, or the date. */
  of: string
  limit: number
  spent: number
  /** Reserved for sessions that have not ended. */
  reserved: number
  /** The part of `spent` that is only an estimate, from sessions that ended without reporting their cost. */
  guessed?: number
  /** How many sessions count as free, because neither their cost nor a reservation is known. */
  uncounted?: number
}

/** `guess`: no session of this role has reported its cost yet. */
export interface Expected {
  usd: number
  basis: 'history' | 'guess'
}

export type Grant =
  | { kind: 'granted'; usd: number }
  /** `short`: the budgets that do not have enough left for the session. */
  | { kind: 'refused'; usd: number; short: [Account, ...Account[]] }

/**
 * `near`: four fifths of the budget are spent. Reservations don't count here, because the real cost may be far lower.
 * `unknown`: this many sessions of run `of` ended without reporting their cost. Each warning is given once per task, run
 * or day.
 */
export type BudgetWarning = ({ kind: 'near' } & Account) | { kind: 'unknown'; of: string; sessions: number }

/** The expected cost of a session as long as no real cost is known. */
const guesses: Record<Role, number> = { developer: 1, reviewer: 0.5, parser: 0.05, resolver: 1 }

/** Sums of floating-point numbers are slightly off. Differences below this are ignored. */
const hair = 1e-9

/**
 * The expected cost, from the known costs of the role's latest sessions; those with the same agent and model are
 * preferred. It is the mean of the more expensive half, because a session that costs more than was reserved can exceed a
 * budget.
 */
export function expectedCost(role: Role, history: { alike: number[]; role: number[] }): Expected {
  const known = history.alike.length > 0 ? history.alike : history.role
  if (known.length === 0) return { usd: guesses[role], basis: 'guess' }
  const dearer = [...known].sort((one, other) => other - one).slice(0, Math.ceil(known.length / 2))
  return { usd: dearer.reduce((all, each) => all + each, 0) / dearer.length, basis: 'history' }
}

/** Whether a session may start, and how much is reserved for it. */
export function decideReservation({ usd, basis }: Expected, accounts: Account[]): Grant {
  // A guess must not make a small budget unusable. If the guess is larger, the whole budget is reserved instead.
  const wanted = basis === 'guess' ? Math.min(usd, ...accounts.map(({ limit }) => limit)) : usd
  const [first, ...others] = accounts.filter((account) => inUse(account) + wanted > account.limit + hair)
  if (first) return { kind: 'refused', usd: wanted, short: [first, ...others] }
  return { kind: 'granted', usd: wanted }
}

/** Whether several sessions may start together. Each has to fit in addition to the expected cost of those before it. */
export function decideTogether(asked: { grant: Grant; accounts: Account[] }[]): Grant | null {
  let before = 0
  for (const { grant, accounts } of asked) {
    const standing = accounts.map((account) => ({ ...account, reserved: account.reserved + before }))
    const together = decideReservation({ usd: grant.usd, basis: 'history' }, standing)
    if (together.kind === 'refused') return together
    before += grant.usd
  }
  return null
}

/** The session that a parked loop was refused: its role, its expected cost, and how much each short budget had left. */
export interface BudgetRefusal {
  role: Role
  usd: number
  /** `usd` is what was left of `limit`. */
  left: { budget: BudgetName; of: string; usd: number; limit?: number }[]
}

/** Leaves out what was granted to the loop's other sessions of the same step, which did not start either. */
export function refusalOf(role: Role, usd: number, short: Account[], withoutOwn: Account[]): BudgetRefusal {
  const left = short.flatMap(({ budget }) => withoutOwn.filter((account) => account.budget === budget))
  return {
    role,
    usd,
    left: left.map((account) => ({
      budget: account.budget,
      of: account.of,
      usd: leftOf(account),
      limit: account.limit,
    })),
  }
}

/**
 * Whether it is worth asking for the session again: its expected cost is lower by now, or every budget that was short
 * has more left. Each of these needs some other change first, so a refused loop does not ask endlessly.
 */
export function isWorthAsking(refusal: BudgetRefusal, grant: Grant, accounts: Account[]): boolean {
  if (grant.kind === 'refused') return false
  if (grant.usd < refusal.usd - hair) return true
  return refusal.left.every(({ budget, of, usd }) => {
    const now = accounts.find((account) => account.budget === budget)
    return !now || now.of !== of || leftOf(now) > usd + hair
  })
}

function leftOf(account: Account): number {
  return account.limit - inUse(account)
}

/** From this share on a person is told that a budget is nearly used up. */
const nearShare = 0.8

/** The warnings for a person after a session was granted or refused. The caller leaves out those already given. */
export function warningsOf(accounts: Account[], grant: Grant, unknown: { of: string; sessions: number }) {
  const near = accounts.filter(({ spent, limit }) => spent >= nearShare * limit - hair)
  const warnings: BudgetWarning[] = near.map((account) => ({
    kind: 'near',
    ...account,
    reserved: account.reserved + (grant.kind === 'granted' ? grant.usd : 0),
  }))
  if (accounts.length > 0 && unknown.sessions > 0) warnings.push({ kind: 'unknown', ...unknown })
  return warnings
}

/** Two warnings with the same name are the same warning. */
export function warningName(warning: BudgetWarning): string {
  return warning.kind === 'near' ? `${warning.budget} ${warning.of}` : `unknown ${warning.of}`
}

function inUse({ spent, reserved }: Account): number {
  return spent + reserved
}

/** The calendar day in the person's time zone: its name, when it began, and when it ends. */
export function calendarDay(now: Date): { name: string; since: string; until: string } {
  const midnight = (after: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + after)
  const two = (number: number) => String(number).padStart(2, '0')
  return {
    name: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    since: midnight(0).toISOString(),
    until: midnight(1).toISOString(),
  }
}
