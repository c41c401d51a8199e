/** The machine's clock is set back: the order of events and the pauses between attempts do not depend on it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { applyChange, newLoop } from '../../src/core/loop.ts'
import { noTries } from '../../src/core/session/session.ts'
import { newTask } from '../../src/core/task.ts'
import type { Clock } from '../../src/loop/ports.ts'
import { type WaitPorts, waitBefore } from '../../src/loop/session/wait-before.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { taskAdded } from '../support/history.ts'

const folder = mkdtempSync(join(tmpdir(), 'umpire-clock-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const signal = new AbortController().signal

test('a reader gets all events in the order in which they happened', async () => {
  let hour = 12
  const now = () => new Date(Date.UTC(2026, 0, 1, hour--))
  const store = await openStore({ path: join(folder, 'umpire.db'), now })
  for (const id of [1, 2, 3]) await store.journal.append(`task/${id}`, 0, taskAdded())
  const ending = new AbortController()
  const told: [number, string][] = []
  for await (const { seq, at } of store.journal.since(1, ending.signal)) {
    told.push([seq, at])
    if (told.length === 2) ending.abort()
  }
  expect(told).toEqual([
    [2, '2026-01-01T11:00:00.000Z'],
    [3, '2026-01-01T10:00:00.000Z'],
  ])
  expect((await store.archive.tasks()).map(({ id }) => id)).toEqual([1, 2, 3])
  await store.close()
})

const at = '2026-01-01T12:00:00.000Z'
const failed = {
  class: 'crash',
  detail: 'it crashed',
  at,
  retryAt: null,
  retry: null,
  agent: 'actor',
} as const
const added = newLoop({
  type: 'task.added',
  data: { task: newTask('Add a feature'), by: 'ada' },
  ...{ seq: 1, stream: 'task/1', version: 3, at: '2026-01-01T12:00:00.000Z' },
})
const loop = applyChange(added, {
  standing: { status: 'in_progress' },
  turn: { tries: { ...noTries, failures: 1, last: failed } },
})

/** When a pause of two seconds ends if the clock shows this time. */
async function pauseAt(time: string): Promise<string> {
  let until = ''
  const clock: Clock = {
    now: () => new Date(time),
    until: async (end) => {
      until = end
    },
  }
  const nobody = () => {
    throw new Error('nobody is asked who has the role')
  }
  const waiting: WaitPorts = {
    clock,
    rest: (_, wait) => wait(),
    archive: { loop: nobody },
    settings: { cast: nobody },
  }
  await waitBefore('2026-01-01T12:00:02.000Z', 'developer', loop, waiting, signal)
  return until
}

test('a pause of seconds stays a pause of seconds if the clock is set back by hours', async () => {
  expect(await pauseAt('2026-01-01T12:00:01.000Z')).toBe('2026-01-01T12:00:02.000Z')
  expect(await pauseAt('2026-01-01T15:00:00.000Z')).toBe('2026-01-01T12:00:02.000Z')
  expect(await pauseAt('2026-01-01T09:00:00.000Z')).toBe('2026-01-01T09:00:02.000Z')
})
