import * as fc from 'fast-check'
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
    /** Which share of its reservation it costs when it ends; null when nobody knows. */
    share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    /** How many sessions end before it asks. */
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

test('a session’s expected cost is that of the dearer half of the latest ones, of the same agent and model first, then of its role', () => {
  const costs = { alike: [1, 5, 3, 0], role: [100] }
  expect(expectedCost('developer', costs)).toEqual({ usd: 4, basis: 'history' })
  expect(expectedCost('developer', { ...costs, alike: [] })).toEqual({ usd: 100, basis: 'history' })
  expect(expectedCost('developer', { alike: [], role: [] }).basis).toBe('guess')
})

test('a session that just fits is granted, and a refusal names each budget that is short', () => {
  const known = { usd: 4, basis: 'history' } as const
  expect(decideReservation(known, [account({ spent: 3.9, reserved: 2.1 })]).kind).toBe('granted')
  // Ten times a tenth is not quite one, and is taken for it.
  const tenths = Array.from({ length: 9 }, () => 0.1).reduce((all, each) => all + each, 0)
  expect(decideReservation({ ...known, usd: 0.1 }, [account({ limit: 1, spent: tenths })]).kind).toBe(
    'granted',
  )
  const [task, run] = [account({ budget: 'task', spent: 7 }), account({ reserved: 6.1 })]
  expect(decideReservation(known, [task, account(), run])).toMatchObject({
    kind: 'refused',
    short: [task, run],
  })
  // More than the whole budget is never granted where it is known, and a guess takes what there is.
  expect(decideReservation({ usd: 11, basis: 'history' }, [account()]).kind).toBe('refused')
  expect(decideReservation({ usd: 11, basis: 'guess' }, [account()])).toEqual({ kind: 'granted', usd: 10 })
  expect(decideReservation({ usd: 11, basis: 'guess' }, [account({ spent: 1 })]).kind).toBe('refused')
})

test('four fifths spent of a budget are warned of, and unknown costs where there is a budget at all', () => {
  const none = { of: '3', sessions: 0 }
  // What is only reserved may turn out to be far less, and nothing is said of it.
  expect(warningsOf([account({ spent: 7.9, reserved: 1 })], { kind: 'granted', usd: 1.1 }, none)).toEqual([])
  expect(warningsOf([account({ spent: 8, reserved: 0.5 })], { kind: 'granted', usd: 1 }, none)).toEqual([
    { kind: 'near', ...account({ spent: 8, reserved: 1.5 }) },
  ])
  const two = { of: '3', sessions: 2 }
  expect(warningsOf([account()], { kind: 'granted', usd: 1 }, two)).toEqual([{ kind: 'unknown', ...two }])
  expect(warningsOf([], { kind: 'granted', usd: 1 }, two)).toEqual([])
})

test('a day is the person’s own, and its end is the next one’s beginning', () => {
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
      'The budget does not allow the reviewer, which is expected to cost $0.50: budget.run of $10.00 (run 3): $9.00 spent, $0.75 reserved. ' +
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

test('a parked loop is asked again when it is cheaper by now or there is more room, and not for nothing', () => {
  const own = account({ spent: 8, reserved: 1 })
  // Of the dollar that was reserved a half was for another session of the same loop, which does not start either.
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

test('tasks that wait for a larger budget are listed together: how many, which budgets are short, and what to do', () => {
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

test('the part of the sum that agents did not report is shown next to it', () => {
  const words = (more: Partial<Account>) => describeAccount(account({ spent: 2, ...more }))
  expect(words({})).toContain(': $2.00 spent, $0.00 reserved')
  expect(words({ guessed: 1.5 })).toContain(': $2.00 spent ($1.50 of it estimated), $0.00')
  expect(words({ guessed: 2, uncounted: 1 })).toContain(
    '($2.00 of it estimated, without 1 session of unknown cost)',
  )
  expect(words({ uncounted: 3 })).toContain('spent (without 3 sessions of unknown cost),')
})

test('several that start together must fit into a budget together', () => {
  const asks = (...costs: number[]) =>
    decideTogether(
      costs.map((usd) => ({ grant: { kind: 'granted', usd } as const, accounts: [account({ spent: 7 })] })),
    )
  expect(asks(1, 2)).toBeNull()
  expect(asks(1, 1, 1.5)).toMatchObject({ kind: 'refused', usd: 1.5, short: [{ spent: 7, reserved: 2 }] })
})
