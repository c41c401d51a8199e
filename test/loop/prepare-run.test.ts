/**
 * A run does its preparation once, and lists all tasks only if another process may have changed them since. With many
 * tasks each listing takes a while, so these tests limit their number, with a real store and real git.
 */

import { PassThrough } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../src/app/engine.ts'
import { openOrCreateStore, openRepository, type Repository } from '../../src/app/repository.ts'
import type { Invocation } from '../../src/cli/invocation.ts'
import type { Screen } from '../../src/cli/screen/screen.ts'
import { workWith } from '../../src/cli/work/work.ts'
import type { StoredEvent } from '../../src/core/event.ts'
import { newTask } from '../../src/core/task.ts'
import { applySchedule } from '../../src/loop/run/apply-schedule.ts'
import { fileTask } from '../../src/moves/make-move.ts'
import { stepByHand } from '../../src/moves/step-by-hand.ts'
import type { Archive } from '../../src/store/archive.ts'
import type { Store } from '../../src/store/store.ts'
import { type BenchOptions, openBench } from '../support/umpire.ts'

const never = new AbortController().signal

interface Desk {
  engine: Engine
  store: Store
  repository: Repository
  told: StoredEvent[]
  /** How often all tasks were listed since the last call of this function. */
  listings(): { tasks: number; standings: number }
  close(): Promise<void>
}

const desks: Desk[] = []
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close()
})

async function openDesk(options: BenchOptions = {}): Promise<Desk> {
  const bench = openBench(options)
  const repository = await openRepository(bench.root, bench.env)
  const real = await openOrCreateStore(repository)
  const counts = { tasks: 0, standings: 0 }
  const counted = <K extends 'tasks' | 'standings'>(name: K): Archive[K] =>
    ((...args: Parameters<Archive[K]>) => {
      counts[name] += 1
      return (real.archive[name] as (...given: unknown[]) => unknown)(...args)
    }) as Archive[K]
  const archive = { ...real.archive, tasks: counted('tasks'), standings: counted('standings') }
  const store = { ...real, archive }
  const told: StoredEvent[] = []
  const observe = (events: StoredEvent[]) => void told.push(...events)
  const engine = await openEngine(repository, store, { effort: null, observe })
  const desk: Desk = {
    ...{ engine, store, repository, told },
    listings() {
      const { tasks, standings } = counts
      counts.tasks = 0
      counts.standings = 0
      return { tasks, standings }
    },
    async close() {
      await engine.close()
      await real.close()
    },
  }
  desks.push(desk)
  return desk
}

async function file({ store, repository, listings }: Desk, title: string): Promise<number> {
  const id = await fileTask(newTask(title), store, repository)
  listings()
  return id
}

function expectAtMost(bound: { tasks: number; standings: number }, { listings }: Desk): void {
  const { tasks, standings } = listings()
  expect({ tasks: Math.max(tasks, bound.tasks), standings: Math.max(standings, bound.standings) }).toEqual(
    bound,
  )
}

const all = { only: null, parallel: 1, watch: false, effort: null }
const screen: Screen = { observe() {}, say() {}, conclude() {}, close: async () => {} }
const invocation: Invocation = {
  args: [],
  cwd: '/nonexistent',
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  listenForSignals: () => interruption,
}
const interruption = { signal: never, code: () => null, stop() {} }

test('umpire work lists the tasks at most six times for one task', async () => {
  const desk = await openDesk()
  await file(desk, 'One')
  expect(await workWith({ ...desk, screen, interruption, invocation }, [], { json: true })).toBe(0)
  // Standings: the start, the claim and the rest of the task. Tasks: the start, the reviewer's prompt and the end.
  expectAtMost({ standings: 3, tasks: 3 }, desk)
})

test('umpire work 1 checks once more at its end whether the task still waits', async () => {
  const desk = await openDesk()
  const id = await file(desk, 'One')
  expect(await workWith({ ...desk, screen, interruption, invocation }, [id], { json: true })).toBe(0)
  expectAtMost({ standings: 4, tasks: 3 }, desk)
})

test('a landing checks three times which work it would carry, the last time after the gates', async () => {
  const desk = await openDesk({ config: { land: 'base' } })
  await file(desk, 'One')
  expect((await desk.engine.work(all, never)).worked).toMatchObject([{ standing: { status: 'completed' } }])
  expectAtMost({ standings: 3, tasks: 5 }, desk)
})

test('a step by hand lists what the move changes for others, and its run lists the same as any run', async () => {
  const desk = await openDesk()
  const id = await file(desk, 'One')
  await desk.engine.work(all, never)
  desk.listings()
  await stepByHand(id, { kind: 'review', why: null }, desk, never)
  expectAtMost({ standings: 5, tasks: 2 }, desk)
})

test('prepares a run once, and a second time changes nothing', async () => {
  const desk = await openDesk({
    scenario: { reviewer: [{ task: 1, do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] }] },
  })
  await file(desk, 'Is rejected')
  await desk.engine.work({ ...all, only: [1] }, never)
  await fileTask({ ...newTask('Comes after it'), dependsOn: [1] }, desk.store, desk.repository)
  desk.told.splice(0)
  const { engine, store } = desk
  const prepared = await engine.prepare(null)
  expect(desk.told).toEqual([])
  expect(prepared.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(['1 blocked', '2 blocked'])
  expect(await applySchedule(engine.ports)).toEqual(prepared.schedule)
  expect(await store.archive.standings()).toEqual(prepared.schedule.standings)
})
