/** Parking: a loop stops because a budget is used up. Its message says which budget is short and how to continue. */
import type { NewEvent } from '../event.ts'
import type { Loop } from '../loop.ts'
import type { Role } from '../session/session.ts'
import { blockedEvent } from '../step.ts'
import {
  type Account,
  type Budget,
  type BudgetName,
  type BudgetRefusal,
  type BudgetWarning,
  budgetNames,
} from './budget.ts'

/** The session that could not start was never recorded, so it costs no attempt, iteration or cycle. */
export function parkedEvent(loop: Loop, refusal: BudgetRefusal, short: Account[]): NewEvent {
  const { role, usd } = refusal
  const detail = `${noMoney(role, usd, short)} ${raise(short)}; umpire work then continues where it stopped.`
  const blocked = blockedEvent(loop, 'budget', detail)
  if (blocked.type !== 'loop.blocked') return blocked
  return { ...blocked, data: { ...blocked.data, recovery: recovery(loop, usd, short), refusal } }
}

/** Why the budget does not allow a step that a person asked for. The person is told before the step begins. */
export function unaffordable(role: Role, usd: number, short: Account[]): { why: string; fix: string } {
  return { why: noMoney(role, usd, short), fix: `The task stays as it was. ${raise(short)}, then ask again.` }
}

function noMoney(role: Role, usd: number, short: Account[]): string {
  const figures = short.map(describeAccount).join('; ')
  return `The budget is too small for the ${role}, which is expected to cost ${dollars(usd)}: ${figures}.`
}

/** `budget.run of $5.00 (run 3): $4.20 spent ($1.50 of it estimated), $0.50 reserved`. */
export function describeAccount(account: Account): string {
  const { budget, of, limit, spent, reserved } = account
  const whose = budget === 'day' ? of : `${budget} ${of}`
  const used = `${dollars(spent)} spent${doubts(account)}, ${dollars(reserved)} reserved`
  return `budget.${budget} of ${dollars(limit)} (${whose}): ${used}`
}

/** The part of the spent money that is uncertain, because sessions did not report their cost. */
function doubts({ guessed = 0, uncounted = 0 }: Account): string {
  const sessions = uncounted === 1 ? '1 session' : `${uncounted} sessions`
  const said = [
    ...(guessed > 0 ? [`${dollars(guessed)} of it estimated`] : []),
    ...(uncounted > 0 ? [`not counting ${sessions} of unknown cost`] : []),
  ]
  return said.length > 0 ? ` (${said.join(', ')})` : ''
}

export function describeWarning(warning: BudgetWarning): string {
  if (warning.kind === 'near') return `Most of a budget is spent: ${describeAccount(warning)}`
  const count = `${warning.sessions} ${warning.sessions === 1 ? 'session' : 'sessions'}`
  return `The cost of ${count} is unknown. The amount reserved for ${warning.sessions === 1 ? 'it' : 'them'} counts as spent.`
}

/** A task that waits for a larger budget, and the budgets that are short. */
export interface ParkedTask {
  id: number
  short: BudgetName[]
}

/** `2 tasks wait for a larger budget (1, 2): budget.task is $0.60.`, and what to do about it. */
export function describeParked(parked: ParkedTask[], limits: Budget): string {
  const short = budgetNames.filter((name) => parked.some((task) => task.short.includes(name)))
  const figures = short.flatMap((name) => {
    const limit = limits[name]
    return limit === null ? [] : [`budget.${name} is ${dollars(limit)}`]
  })
  const ids = parked.map(({ id }) => id).join(', ')
  const who = parked.length === 1 ? `Task ${ids} waits` : `${parked.length} tasks wait`
  const which = parked.length === 1 ? '' : ` (${ids})`
  const inFile = short.filter((name) => name !== 'run').map((name) => `budget.${name}`)
  const ways = [
    ...(short.includes('run') ? ['umpire work --budget N gives the run more'] : []),
    ...(inFile.length > 0 ? [`raise ${inFile.join(' and ')} in umpire.yaml, then umpire work`] : []),
    ...(short.includes('day') ? ['wait for the next day'] : []),
  ]
  return `${who} for a larger budget${which}${figures.length > 0 ? `: ${figures.join(', ')}` : ''}. ${sentence(ways.join(', or '))}`
}

function sentence(text: string): string {
  // A command keeps its lower case, because a person types it like that.
  return `${text.startsWith('umpire') ? text : text.charAt(0).toUpperCase() + text.slice(1)}.`
}

function raise(short: Account[]): string {
  const keys = short.map(({ budget }) => `budget.${budget}`).join(' and ')
  const waits = short.every(({ budget }) => budget === 'day') ? ', or wait for the next day' : ''
  return `Raise ${keys} in umpire.yaml${waits}`
}

/** Only a run's budget can be raised by a flag. */
function recovery({ id }: Loop, usd: number, short: Account[]): string[] {
  const has = (name: BudgetName) => short.some(({ budget }) => budget === name)
  const [run] = short.filter(({ budget }) => budget === 'run')
  const work = run ? `umpire work --budget ${roomier(run, usd)}` : 'umpire work'
  return has('task') ? [`umpire show ${id}`, work] : [work, `umpire show ${id}`]
}

/** A new run begins with nothing spent, so twice the old budget is enough. */
function roomier({ limit }: Account, usd: number): number {
  return Math.ceil(2 * Math.max(limit, usd))
}

/** Rounded to the cent, and more exact for amounts of a few cents. */
function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}
