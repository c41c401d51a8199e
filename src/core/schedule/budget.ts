/**
 * What may still be spent. Before a session starts, what it is expected to cost is reserved; so what is spent, what is
 * reserved for sessions that run, and what the new one is expected to cost must fit into every budget together. What a
 * session then really costs takes the place of its reservation, and may be more: that is why the estimate is a high one.
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

/** One budget of one task, run or day, and what it was used for so far. */
export interface Account {
  budget: BudgetName
  /** Whose it is: the number of the task or the run, or the date. */
  of: string
  limit: number
  spent: number
  /** For sessions that have not ended. */
  reserved: number
  /** How much of what is spent was only reserved, for sessions that ended without telling their cost. */
  guessed?: number
  /** So many sessions are counted as nothing, because neither their cost nor a reservation is known. */
  uncounted?: number
}

/** `guess`: no session of this role has told its cost yet. */
export interface Expected {
  usd: number
  basis: 'history' | 'guess'
}

export type Grant =
  | { kind: 'granted'; usd: number }
  /** `short` are the budgets that have no room for it. */
  | { kind: 'refused'; usd: number; short: [Account, ...Account[]] }

/**
 * `near`: four fifths of the budget are spent; what is reserved may yet turn out to be far less. `unknown`: so many sessions of run `of` ended without
 * telling their cost. Each is said once: of a task, a run, a day.
 */
export type BudgetWarning = ({ kind: 'near' } & Account) | { kind: 'unknown'; of: string; sessions: number }

/** What a session is taken to cost as long as nothing is known. */
const guesses: Record<Role, number> = { developer: 1, reviewer: 0.5, parser: 0.05, resolver: 1 }

/** Sums of fractions are a hair off; that much is no dollar. */
const hair = 1e-9

/**
 * From the known costs of the role's latest sessions, those with the same agent and model before all others: the mean of
 * the dearer half, because one that costs more than was reserved is what breaks a budget.
 */
export function expectedCost(role: Role, history: { alike: number[]; role: number[] }): Expected {
  const known = history.alike.length > 0 ? history.alike : history.role
  if (known.length === 0) return { usd: guesses[role], basis: 'guess' }
  const dearer = [...known].sort((one, other) => other - one).slice(0, Math.ceil(known.length / 2))
  return { usd: dearer.reduce((all, each) => all + each, 0) / dearer.length, basis: 'history' }
}

/** Whether a session may start, and what is reserved for it then. */
export function decideReservation({ usd, basis }: Expected, accounts: Account[]): Grant {
  // A guess keeps nobody from using a small budget at all: then the whole of it is what the session may cost.
  const wanted = basis === 'guess' ? Math.min(usd, ...accounts.map(({ limit }) => limit)) : usd
  const [first, ...others] = accounts.filter((account) => inUse(account) + wanted > account.limit + hair)
  if (first) return { kind: 'refused', usd: wanted, short: [first, ...others] }
  return { kind: 'granted', usd: wanted }
}

/** Whether all of several that start together may: each has to fit beside what those before it are expected to cost. */
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

/** What a parked loop was refused: a session of this role at this price, and how much each short budget had left. */
export interface BudgetRefusal {
  role: Role
  usd: number
  /** `limit`: of which that much is left. */
  left: { budget: BudgetName; of: string; usd: number; limit?: number }[]
}

/** Without what was granted to others of the loop's own sessions, which did not start either. */
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
 * Whether it is worth asking once more: the session is expected to cost less by now, or whatever was short has more room.
 * Nobody who is refused again and again is asked without end, because for each of these something else must have happened.
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

/** From here on a person is told that a budget comes to its end. */
const nearShare = 0.8

/** What a person should know now that this was granted or refused; what was said before is left out by the caller. */
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

/** Two warnings with the same name are the same one. */
export function warningName(warning: BudgetWarning): string {
  return warning.kind === 'near' ? `${warning.budget} ${warning.of}` : `unknown ${warning.of}`
}

function inUse({ spent, reserved }: Account): number {
  return spent + reserved
}

/** The person's calendar day: its name, when it began, and when it is over. */
export function calendarDay(now: Date): { name: string; since: string; until: string } {
  const midnight = (after: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + after)
  const two = (number: number) => String(number).padStart(2, '0')
  return {
    name: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    since: midnight(0).toISOString(),
    until: midnight(1).toISOString(),
  }
}
