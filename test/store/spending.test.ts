import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '../../src/core/event.ts'
import { type Budget, calendarDay } from '../../src/core/schedule/budget.ts'
import type { SessionEnd, SessionStart } from '../../src/core/session/session.ts'
import { formatIdentity, identify } from '../../src/lib/process/process-identity.ts'
import type { ReservationRequest } from '../../src/store/spending.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { usualPolicy } from '../core/world.ts'
import { taskAdded } from '../support/history.ts'

let folder: string
let path: string
let store: Store
/** The time of the journal's clock. */
let now: Date
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-spending-'))
  path = join(folder, 'umpire.db')
  now = new Date(2026, 0, 10, 12)
  store = await openStore({ path, now: () => now })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

async function happen(task: number, ...events: NewEvent[]): Promise<void> {
  const version = (await store.journal.load(`task/${task}`)).length
  await store.journal.append(`task/${task}`, version, ...events)
}

/** A task that run 1 works on. */
async function taken(task: number, run = 1): Promise<void> {
  const claimed = { run, worker: `worker-${task}`, policy: usualPolicy }
  await happen(task, taskAdded(), { type: 'loop.claimed', data: claimed })
}

function started(session: string, reservedUsd?: number, more: Partial<SessionStart> = {}): NewEvent {
  const turn = { role: 'developer' as const, iteration: 1, cycle: 1, attempt: 1, reviewed: null }
  const given = { agent: 'mine', model: null, prompt: '', tokenHash: '', limitMs: 1 }
  const data = { session, ...turn, ...given, ...(reservedUsd !== undefined && { reservedUsd }), ...more }
  return { type: 'session.started', data }
}

function ended(session: string, costUsd: number | null, more: Partial<SessionEnd> = {}): NewEvent {
  const said = { claimed: false, messages: 0, agentSession: null, refused: [], exitCode: 0, tokens: null }
  return { type: 'session.ended', data: { session, outcome: { kind: 'done' }, ...said, costUsd, ...more } }
}

const none: Budget = { task: null, run: null, day: null }

function request(session: string, limits: Partial<Budget>): ReservationRequest {
  const task = Number(session.split('-')[0])
  return {
    ...{ session, task, run: 1, worker: `worker-${task}`, role: 'developer', agent: 'mine', model: null },
    ...{ limits: { ...none, ...limits }, day: calendarDay(now) },
  }
}

async function reserve(session: string, limits: Partial<Budget>, from = store) {
  return (await from.spending.reserve(request(session, limits))).grant
}

test('grants only as many concurrent requests of two processes as the budget has room for', async () => {
  const other = await openStore({ path, now: () => now })
  for (let task = 1; task <= 8; task += 1) await taken(task)
  const grants = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7, 8].map((task) => reserve(`${task}-1`, { run: 3 }, task % 2 === 0 ? other : store)),
  )
  await other.close()
  expect(grants.filter(({ kind }) => kind === 'granted')).toHaveLength(3)
})

test('a reservation is counted once: before the journal has its session, while it runs, and when it reports its cost', async () => {
  const limits = { task: 3, run: 3, day: 3 }
  await taken(1)
  const room = async () => {
    const { day, ...rest } = request('1-9', limits)
    const accounts = await store.spending.accounts(rest.limits, { task: 1, run: 1, day })
    return accounts.map(({ spent, reserved }) => [spent, reserved])
  }
  expect(await room()).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ])
  await reserve('1-1', limits)
  // Reserved again, as by a worker whose append came too late.
  await reserve('1-1', limits)
  expect(await room()).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ])
  await happen(1, started('1-1', 1))
  expect(await room()).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ])
  await happen(1, ended('1-1', 0.25))
  expect(await room()).toEqual([
    [0.25, 0],
    [0.25, 0],
    [0.25, 0],
  ])
})

test('a cost that is never reported counts as what was reserved, with one warning in a run', async () => {
  await taken(1)
  await happen(1, started('1-1', 2), ended('1-1', null))
  await happen(1, started('1-2', 2), { type: 'session.lost', data: { session: '1-2', detail: '' } })
  // From an older version, which reserved nothing.
  await happen(1, started('1-3'), ended('1-3', null))
  const { grant, warnings } = await store.spending.reserve(request('1-4', { run: 4.5 }))
  expect(grant).toMatchObject({ kind: 'refused', short: [{ budget: 'run', spent: 4, reserved: 0 }] })
  expect(warnings).toMatchObject([
    { kind: 'near', budget: 'run', of: '1' },
    { kind: 'unknown', of: '1', sessions: 2 },
  ])
  await happen(1, ...warnings.map((data): NewEvent => ({ type: 'budget.warned', data })))
  expect(await store.spending.reserve(request('1-4', { run: 4.5 }))).toMatchObject({ warnings: [] })
  // There was no warning about another budget yet.
  expect(await store.spending.reserve(request('1-4', { task: 4.5 }))).toMatchObject({
    warnings: [{ kind: 'near', budget: 'task', of: '1' }],
  })
})

test('the grant of a loop that was released, or whose worker is dead, is free again', async () => {
  await taken(1)
  await taken(2)
  await reserve('1-1', { run: 1 })
  expect((await reserve('2-1', { run: 1 })).kind).toBe('refused')
  await happen(1, { type: 'loop.released', data: { why: 'interrupted' } })
  expect((await reserve('2-1', { run: 1 })).kind).toBe('granted')

  await taken(3)
  expect((await reserve('3-1', { run: 1 })).kind).toBe('refused')
  const process = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
  const identity = identify(process.pid)
  const owner = identity && formatIdentity(identity)
  const database = await openDatabase({ path })
  await database.write('lazy', () => database.sql('UPDATE reservations SET owner = ?').run(owner))
  database.close()
  expect((await reserve('3-1', { run: 1 })).kind).toBe('refused')
  process.kill('SIGKILL')
  await once(process, 'exit')
  expect((await reserve('3-1', { run: 1 })).kind).toBe('granted')
})

test('each task, run and day has its own budget, and a session belongs to the day on which it ends', async () => {
  await taken(1)
  await taken(2, 2)
  await happen(1, started('1-1', 1))
  now = new Date(2026, 0, 11, 0, 0, 1)
  await happen(1, ended('1-1', 3))
  await happen(2, started('2-1', 2))
  const of = { task: 1, run: 1, day: calendarDay(now) }
  const limits = { task: 10, run: 10, day: 10 }
  const known = async (which: typeof of) =>
    (await store.spending.accounts(limits, which)).map(({ budget, of, spent, reserved }) => [
      budget,
      of,
      spent,
      reserved,
    ])
  expect(await known(of)).toEqual([
    ['task', '1', 3, 0],
    ['run', '1', 3, 0],
    ['day', '2026-01-11', 3, 2],
  ])
  now = new Date(2026, 0, 12)
  expect(await known({ task: 2, run: 2, day: calendarDay(now) })).toEqual([
    ['task', '2', 0, 2],
    ['run', '2', 0, 2],
    ['day', '2026-01-12', 0, 2],
  ])
  expect(await store.spending.notable()).toEqual({ run: 2, task: 1 })
})

test('estimates the cost of a session from successful ones, first those with the same agent and model', async () => {
  await taken(1)
  const failed = { outcome: { kind: 'failed' as const, class: 'auth' as const, detail: '', retryAt: null } }
  await happen(1, started('1-1', 1, { model: 'small' }), ended('1-1', 0.1))
  await happen(1, started('1-2', 1, { model: 'large' }), ended('1-2', 4))
  await happen(1, started('1-3', 1, { role: 'reviewer', model: 'large' }), ended('1-3', 9))
  await happen(1, started('1-4', 1, { model: 'large' }), ended('1-4', 0, failed))
  const expected = async (more: Partial<ReservationRequest>) =>
    (await store.spending.estimate({ ...request('1-9', {}), ...more })).grant.usd
  expect(await expected({ model: 'large' })).toBe(4)
  expect(await expected({ model: 'small' })).toBe(0.1)
  expect(await expected({ agent: 'another' })).toBe(4)
  expect(await expected({ role: 'reviewer' })).toBe(9)
  expect(await expected({ role: 'parser' })).toBe(0.05)
})

test('shows guessed costs separately, and counts a session without a cost or a reservation as nothing', async () => {
  await taken(1)
  await happen(1, started('1-1', 1.5), ended('1-1', null), started('1-2', 1), ended('1-2', 0.25))
  await happen(1, started('1-3'), ended('1-3', null))
  const limits = { task: 3, run: 3, day: 3 }
  const accounts = await store.spending.accounts(limits, { task: 1, run: 1, day: calendarDay(now) })
  const used = { spent: 1.75, reserved: 0, guessed: 1.5, uncounted: 1 }
  expect(accounts).toMatchObject([used, used, used])
})
