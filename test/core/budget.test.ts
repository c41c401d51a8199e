import { expect, test } from 'vitest'
import {
  type Account,
  type Budget,
  budgetNames,
  calendarDay,
  decideReservation,
  decideTogether,
  expectedCost,
  isWorthAsking,
  refusalOf,
  warningsOf,
} from '../../src/core/schedule/budget.ts'
import { describeAccount, describeParked, parkedEvent } from '../../src/core/schedule/out-of-budget.ts'
import type { Role } from '../../src/core/session/session.ts'
import { fc } from '../support/random.ts'
import { World } from './world.ts'

const account = (more: Partial<Account> = {}): Account => ({
  ...{ budget: 'run', of: '3', limit: 10, spent: 0, reserved: 0 },
  ...more,
})

test('granted and spent money never exceed a budget, as long as no session costs more than expected', () => {
  const someMoney = fc.double({ min: 0.001, max: 20, noNaN: true })
  const limits = fc.record({
    task: fc.option(someMoney),
    run: fc.option(someMoney),
    day: fc.option(someMoney),
  })
  const asked = fc.record({
    task: fc.integer({ min: 1, max: 3 }),
    role: fc.constantFrom<Role>('developer', 'reviewer', 'parser', 'resolver'),
    /** The share of its reservation that it costs in the end, or null if the cost is unknown. */
    share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    /** How many sessions end before this one asks. */
    end: fc.integer({ min: 0, max: 3 }),
  })
  fc.assert(
    fc.property(limits, fc.array(asked, { maxLength: 40 }), (budget: Budget, asks) => {
      const running: { task: number; role: Role; usd: number; share: number | null }[] = []
      const ended: { task: number; role: Role; usd: number; known: boolean }[] = []
      const sum = (all: { task: number; usd: number }[], task: number | null) =>
        all.reduce((total, each) => total + (task === null || each.task === task ? each.usd : 0), 0)
      const standing = (task: number) =>
        budgetNames.flatMap((name): Account[] => {
          const [limit, of] = [budget[name], name === 'task' ? task : null]
          if (limit === null) return []
          return [account({ budget: name, limit, spent: sum(ended, of), reserved: sum(running, of) })]
        })
      for (const { task, role, share, end } of asks) {
        for (const { usd, share: costs, ...session } of running.splice(0, end))
          ended.push({ ...session, usd: usd * (costs ?? 1), known: costs !== null })
        const known = ended.filter((session) => session.known && session.role === role)
        const expected = expectedCost(role, { alike: known.map(({ usd }) => usd).slice(-20), role: [] })
        const grant = decideReservation(expected, standing(task))
        if (grant.kind === 'granted') running.push({ task, role, usd: grant.usd, share })
        for (const { limit, spent, reserved } of standing(task))
          expect(spent + reserved).toBeLessThanOrEqual(limit + 1e-6)
      }
    }),
  )
})

test('estimates a session from the dearer half of recent ones: of the same agent and model, otherwise of the same role', () => {
  const costs = { alike: [1, 5, 3, 0], role: [100] }
  expect(expectedCost('developer', costs)).toEqual({ usd: 4, basis: 'history' })
  expect(expectedCost('developer', { ...costs, alike: [] })).toEqual({ usd: 100, basis: 'history' })
  expect(expectedCost('developer', { alike: [], role: [] }).basis).toBe('guess')
})

test('grants a session that just fits, and names each budget that is short in a refusal', () => {
  const known = { usd: 4, basis: 'history' } as const
  expect(decideReservation(known, [account({ spent: 3.9, reserved: 2.1 })]).kind).toBe('granted')
  // Ten times 0.1 is not exactly 1 in floating point, and counts as 1 here.
  const tenths = Array.from({ length: 9 }, () => 0.1).reduce((all, each) => all + each, 0)
  expect(decideReservation({ ...known, usd: 0.1 }, [account({ limit: 1, spent: tenths })]).kind).toBe(
    'granted',
  )
  const [task, run] = [account({ budget: 'task', spent: 7 }), account({ reserved: 6.1 })]
  expect(decideReservation(known, [task, account(), run])).toMatchObject({
    kind: 'refused',
    short: [task, run],
  })
  // A known cost above the whole budget is never granted. A guess is cut to an untouched budget.
  expect(decideReservation({ usd: 11, basis: 'history' }, [account()]).kind).toBe('refused')
  expect(decideReservation({ usd: 11, basis: 'guess' }, [account()])).toEqual({ kind: 'granted', usd: 10 })
  expect(decideReservation({ usd: 11, basis: 'guess' }, [account({ spent: 1 })]).kind).toBe('refused')
})

test('warns when four fifths of a budget are spent, and about unknown costs if there is a budget', () => {
  const none = { of: '3', sessions: 0 }
  // A reservation may turn out far too high, so it causes no warning.
  expect(warningsOf([account({ spent: 7.9, reserved: 1 })], { kind: 'granted', usd: 1.1 }, none)).toEqual([])
  expect(warningsOf([account({ spent: 8, reserved: 0.5 })], { kind: 'granted', usd: 1 }, none)).toEqual([
    { kind: 'near', ...account({ spent: 8, reserved: 1.5 }) },
  ])
  const two = { of: '3', sessions: 2 }
  expect(warningsOf([account()], { kind: 'granted', usd: 1 }, two)).toEqual([{ kind: 'unknown', ...two }])
  expect(warningsOf([], { kind: 'granted', usd: 1 }, two)).toEqual([])
})

test('a day is a local calendar day, and ends where the next one begins', () => {
  const { name, since, until } = calendarDay(new Date(2026, 1, 28, 23, 59, 59, 999))
  expect(name).toBe('2026-02-28')
  expect(new Date(since)).toEqual(new Date(2026, 1, 28))
  expect(calendarDay(new Date(until))).toMatchObject({ name: '2026-03-01', since: until })
})

test('a parked loop says which budget is short and which command helps', () => {
  const { loop } = new World()
  const parked = (...short: Account[]) =>
    parkedEvent(loop, refusalOf('reviewer', 0.5, short, short), short).data
  expect(parked(account({ spent: 9, reserved: 0.75 }))).toMatchObject({
    reason: 'budget',
    detail:
      'The budget is too small for the reviewer, which is expected to cost $0.50: budget.run of $10.00 (run 3): $9.00 spent, $0.75 reserved. ' +
      'Raise budget.run in umpire.yaml; umpire work then continues where it stopped.',
    recovery: ['umpire work --budget 20', `umpire show ${loop.id}`],
  })
  const task = parked(account({ budget: 'task', of: '1', limit: 0.05, spent: 0.05 }))
  expect(task).toMatchObject({ recovery: [`umpire show ${loop.id}`, 'umpire work'] })
  expect(task).toMatchObject({ detail: expect.stringContaining('budget.task of $0.0500 (task 1)') })
  expect(parked(account({ budget: 'day', of: '2026-02-28' }))).toMatchObject({
    detail: expect.stringContaining('in umpire.yaml, or wait for the next day;'),
  })
})

test('tries a parked loop again only if it became cheaper or the budget has more room', () => {
  const own = account({ spent: 8, reserved: 1 })
  // Half of the reserved dollar was for another session of the same loop, which does not start either.
  const refusal = refusalOf('reviewer', 1.2, [own], [account({ spent: 8, reserved: 0.5 })])
  const granted = (usd: number) => ({ kind: 'granted', usd }) as const
  const asks = (usd: number, now: Partial<Account>) => isWorthAsking(refusal, granted(usd), [account(now)])
  expect(asks(1.2, { spent: 8.5 })).toBe(false)
  expect(asks(1.2, { spent: 8 })).toBe(true)
  expect(asks(1.1, { spent: 8.5 })).toBe(true)
  expect(asks(1.2, { spent: 9, limit: 12 })).toBe(true)
  expect(asks(1.2, { spent: 8.5, of: '4' })).toBe(true)
  expect(isWorthAsking(refusal, granted(1.2), [])).toBe(true)
  expect(isWorthAsking(refusal, { kind: 'refused', usd: 1.2, short: [own] }, [account()])).toBe(false)
})

test('lists tasks that wait for a larger budget together: how many, which budgets are short, and what to do', () => {
  const limits = { task: 0.6, run: 5, day: 10 }
  expect(describeParked([{ id: 4, short: ['task'] }], limits)).toBe(
    'Task 4 waits for a larger budget: budget.task is $0.60. Raise budget.task in umpire.yaml, then umpire work.',
  )
  const two = [
    { id: 1, short: ['run' as const] },
    { id: 3, short: ['task' as const, 'run' as const] },
  ]
  expect(describeParked(two, limits)).toBe(
    '2 tasks wait for a larger budget (1, 3): budget.task is $0.60, budget.run is $5.00. ' +
      'umpire work --budget N gives the run more, or raise budget.task in umpire.yaml, then umpire work.',
  )
  expect(describeParked([{ id: 1, short: ['day'] }], limits)).toContain('or wait for the next day.')
})

test('shows how much of the sum is estimated because agents did not report it', () => {
  const words = (more: Partial<Account>) => describeAccount(account({ spent: 2, ...more }))
  expect(words({})).toContain(': $2.00 spent, $0.00 reserved')
  expect(words({ guessed: 1.5 })).toContain(': $2.00 spent ($1.50 of it estimated), $0.00')
  expect(words({ guessed: 2, uncounted: 1 })).toContain(
    '($2.00 of it estimated, not counting 1 session of unknown cost)',
  )
  expect(words({ uncounted: 3 })).toContain('spent (not counting 3 sessions of unknown cost),')
})

test('sessions that start together must fit into the budget together', () => {
  const asks = (...costs: number[]) =>
    decideTogether(
      costs.map((usd) => ({ grant: { kind: 'granted', usd } as const, accounts: [account({ spent: 7 })] })),
    )
  expect(asks(1, 2)).toBeNull()
  expect(asks(1, 1, 1.5)).toMatchObject({ kind: 'refused', usd: 1.5, short: [{ spent: 7, reserved: 2 }] })
})
