/** The one writer, with a real store: concurrent writes, notifications, and when it writes nothing. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import type { NewEvent, StoredEvent } from '../../src/core/event.ts'
import type { Loop } from '../../src/core/loop.ts'
import {
  type Books,
  loadLoop,
  record,
  recordNew,
  recordOfRun,
  recordWhileHeld,
} from '../../src/loop/record.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { usualPolicy, World } from '../core/world.ts'
import { taskAdded } from '../support/history.ts'

let folder: string
let store: Store
let books: Books
/** The events that observers got, in order. */
let told: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-record-'))
  store = await openStore({ path: join(folder, 'umpire.db') })
  told = []
  books = {
    journal: store.journal,
    observe: (events: StoredEvent[]) => void told.push(...events.map(({ seq, type }) => `${seq} ${type}`)),
    reviewFiles: { write: async () => {}, ensure: async () => {} },
  }
  await recordNew('task', () => taskAdded({ title: 'One' }), books)
  told = []
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const renamed = (title: string): NewEvent => ({
  type: 'task.changed',
  data: { changes: { title }, by: 'ada' },
})
const claimedBy = (worker: string): NewEvent => ({
  type: 'loop.claimed',
  data: { run: 1, worker, policy: usualPolicy },
})

/** Another process writes. The observers of this one are not notified. */
async function meanwhile(event: NewEvent): Promise<void> {
  const { length } = await store.journal.load('task/1')
  await store.journal.append('task/1', length, event)
}

async function present(): Promise<Loop> {
  const loop = await loadLoop(1, books)
  if (!loop) throw new Error('there is no task 1')
  return loop
}

test('decides on the current state, appends, and then notifies observers about the stored events', async () => {
  const recorded = await record(1, (now) => renamed(`${now?.task.title} and more`), books)
  expect(recorded).toMatchObject({
    before: { version: 1 },
    now: { version: 2, task: { title: 'One and more' } },
  })
  expect(recorded?.now).toEqual(await store.archive.loop(1))
  expect(told).toEqual(['2 task.changed'])
})

test('decides again on the new state if another process writes in between, and notifies once', async () => {
  const seen: string[] = []
  const recorded = await record(
    1,
    async (now) => {
      seen.push(`${now?.version} ${now?.task.title}`)
      if (seen.length < 3) await meanwhile(renamed(`Changed ${seen.length}`))
      return renamed(`${now?.task.title}!`)
    },
    books,
  )
  expect(seen).toEqual(['1 One', '2 Changed 1', '3 Changed 2'])
  expect(recorded?.now.task.title).toBe('Changed 2!')
  expect(told).toEqual(['4 task.changed'])
})

test('uses the state that the caller knows, and never overwrites newer events', async () => {
  const known = await present()
  await meanwhile(renamed('Newer'))
  const seen: (Loop | null)[] = []
  const recorded = await record(
    1,
    (now) => {
      seen.push(now)
      return now === known ? renamed('Out of date') : null
    },
    books,
    known,
  )
  expect([recorded, told]).toEqual([null, []])
  expect(seen.map((loop) => loop === known)).toEqual([true, false])
  expect((await present()).task.title).toBe('Newer')
})

test('writes and notifies nothing if there is no decision or a refusal', async () => {
  expect(await record(1, () => null, books)).toBeNull()
  expect(await record(1, () => [], books)).toBeNull()
  const refusal = new UserError('Not like this.')
  const refuse = () => {
    throw refusal
  }
  await expect(record(1, refuse, books)).rejects.toBe(refusal)
  expect([told, (await present()).version]).toEqual([[], 1])
})

test('decides on null for a missing or deleted task, and appends no event', async () => {
  await meanwhile({ type: 'task.deleted', data: { by: 'ada' } })
  for (const task of [1, 2]) {
    const seen: (Loop | null)[] = []
    const decide = (now: Loop | null) => {
      seen.push(now)
      return renamed('Risen')
    }
    await expect(record(task, decide, books)).rejects.toThrow(`There is no task ${task}.`)
    expect(seen).toEqual([null])
  }
  expect([told, await store.journal.lastSeq()]).toEqual([[], 2])
})

test('writes the file of a review after the review is in the journal', async () => {
  const { events } = new World().play()
  const at = events.findIndex(({ type }) => type === 'review.completed')
  const newOf = ({ type, data }: StoredEvent) => ({ type, data }) as NewEvent
  await store.journal.append('task/7', 0, ...events.slice(0, at).map(newOf))
  let isStored = false
  books.observe = () => void told.push('observed')
  books.reviewFiles.write = async ({ type }, { id, title }) => {
    isStored = (await store.journal.load('task/7')).some((event) => event.type === type)
    told.push(`file of ${id}: ${title}`)
  }
  await record(7, () => events.slice(at).map(newOf), books)
  expect([told, isStored]).toEqual([['observed', 'file of 7: Add a feature'], true])
})

test('records the facts of a step despite a person’s edit, but not once another worker has the loop', async () => {
  await meanwhile(claimedBy('one'))
  const held = await present()
  await meanwhile(renamed('Edited'))
  const noted = await recordWhileHeld(held, (now) => renamed(`${now.task.title}, noted`), books)
  expect(noted?.task.title).toBe('Edited, noted')
  await meanwhile(claimedBy('two'))
  told = []
  expect(await recordWhileHeld(held, renamed('Too late'), books)).toBeNull()
  expect([told, (await present()).task.title]).toEqual([[], 'Edited, noted'])
})

test('writes nothing if a worker loses the loop between reading and appending', async () => {
  await meanwhile(claimedBy('one'))
  const held = await present()
  let looks = 0
  const append = store.journal.append
  books.journal = {
    ...store.journal,
    async append(...args) {
      looks += 1
      if (looks === 1) await meanwhile(claimedBy('two'))
      return append(...args)
    },
  }
  expect(await recordWhileHeld(held, renamed('Too late'), books)).toBeNull()
  expect([looks, told, (await present()).task.title]).toEqual([1, [], 'One'])
})

test('gives two tasks added at once different numbers, and the later check sees the other task', async () => {
  const checked: number[] = []
  const file = (title: string) =>
    recordNew(
      'task',
      async () => {
        checked.push((await store.archive.tasks()).length)
        return taskAdded({ title })
      },
      books,
    )
  const ids = await Promise.all([file('Two'), file('Three')])
  expect(ids.toSorted()).toEqual([2, 3])
  // One of them may have been too early, and checked again.
  expect(checked.at(-1)).toBe(2)
})

test('records the start and the end of a run in its own stream', async () => {
  const started: NewEvent = { type: 'run.started', data: { effort: null, parallel: 1, pid: 1 } }
  const run = await recordNew('run', () => started, books)
  await recordOfRun(run, { type: 'run.ended', data: { outcome: 'finished', worked: [] } }, books)
  const events = await store.journal.load(`run/${run}`)
  expect(events.map(({ version, type }) => `${version} ${type}`)).toEqual(['1 run.started', '2 run.ended'])
  expect(told).toEqual(['2 run.started', '3 run.ended'])
})
