import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '../../src/core/event.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { usualPolicy } from '../core/world.ts'
import { taskAdded } from '../support/history.ts'

let folder: string
let path: string
let store: Store
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-ports-'))
  path = join(folder, 'umpire.db')
  store = await openStore({ path })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Makes it look as if the processes that have ranges were killed. */
async function killOwners(): Promise<void> {
  const database = await openDatabase({ path })
  await database.write('lazy', () => database.sql(`UPDATE port_ranges SET owner = 'nobody'`).run())
  database.close()
}

const ranges = [20_000, 20_010, 20_020]
const first = async (task: number, count = 10, candidates = ranges) =>
  (await store.portRanges.take(task, count, candidates))?.first ?? null

test('no two loops have a port in common, even across processes and with ranges of different sizes', async () => {
  const other = await openStore({ path })
  const taken = await Promise.all([
    first(1),
    other.portRanges.take(2, 10, ranges).then((range) => range?.first),
  ])
  expect([...taken].sort()).toEqual([20_000, 20_010])
  // 20005 to 20014 overlaps both taken ranges, 20015 to 20024 one of them.
  expect(await first(3, 10, [20_005, 20_015, 20_020])).toBe(20_020)
  expect(await first(4)).toBe(null)
  await other.close()
})

test('a range that was released, or whose owner is dead, is free again', async () => {
  const range = await store.portRanges.take(1, 10, ranges)
  if (range) await store.portRanges.release(range)
  expect(await first(2)).toBe(20_000)
  await killOwners()
  expect(await first(3)).toBe(20_000)
})

test('an agent that outlives its worker keeps its ports for its loop, and the former worker can’t release them', async () => {
  const claimed = { run: 1, worker: 'w', policy: usualPolicy }
  const turn = { role: 'developer' as const, iteration: 1, cycle: 1, attempt: 1, reviewed: null }
  const given = { agent: 'mine', model: null, prompt: '', tokenHash: '', limitMs: 1 }
  const history: NewEvent[] = [
    taskAdded(),
    { type: 'loop.claimed', data: claimed },
    { type: 'session.started', data: { session: '1-1', ...turn, ...given } },
  ]
  await store.journal.append('task/1', 0, ...history)
  const former = await store.portRanges.take(1, 10, ranges)
  await killOwners()
  expect(await first(2)).toBe(20_010)
  const again = await store.portRanges.take(1, 5, [20_020])
  expect(again).toMatchObject({ first: 20_000, count: 10, kept: true })
  if (former) await store.portRanges.release(former)
  expect(await first(3)).toBe(20_020)
})
