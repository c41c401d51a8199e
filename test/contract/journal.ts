/** What every store must do with its journal and its projections. An adapter's test calls this with its module. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConflictError } from '../../src/core/errors.ts'
import type { NewEvent, StoredEvent, Stream } from '../../src/core/event.ts'
import { foldLoop } from '../../src/core/evolve.ts'
import { summarise } from '../../src/core/summary.ts'
import type { Journal } from '../../src/store/journal.ts'
import type { Store } from '../../src/store/store.ts'
import { anyHistory, everythingOf, taskAdded } from '../support/history.ts'
import { endPrograms, removeBundles, startProgram } from '../support/program.ts'
import { fc } from '../support/random.ts'

export interface StoreUnderTest {
  /** Absolute path of a module whose `open(folder)` opens the store that belongs to the folder. */
  adapter: string
  open(folder: string): Promise<Store>
}

const renamed = (title: string): NewEvent => ({
  type: 'task.changed',
  data: { changes: { title }, by: 'ada' },
})
const runStarted: NewEvent = { type: 'run.started', data: { effort: null, parallel: 2, pid: 1 } }

export function describeJournal(name: string, { adapter, open }: StoreUnderTest): void {
  describe(name, () => {
    let folder: string
    let store: Store
    let journal: Journal

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'umpire-store-'))
      store = await open(folder)
      journal = store.journal
    })
    afterEach(async () => {
      await endPrograms()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    })
    afterAll(removeBundles)

    const appender = (who: string, tasks: string, count: number) =>
      startProgram({ fixture: 'store/appender.ts', adapter, args: [folder, who, tasks, String(count)] })

    describe('append', () => {
      it('numbers events globally and within their stream, and returns them in order', async () => {
        const first = await journal.append('task/1', 0, taskAdded(), renamed('One'))
        await journal.append('run/1', 0, runStarted)
        await journal.append('task/1', 2, renamed('Two'))
        expect(first.map(({ seq, stream, version }) => [seq, stream, version])).toEqual([
          [1, 'task/1', 1],
          [2, 'task/1', 2],
        ])
        const loaded = await journal.load('task/1')
        expect(loaded.map(({ seq, version }) => [seq, version])).toEqual([
          [1, 1],
          [2, 2],
          [4, 3],
        ])
        expect(loaded.slice(0, 2)).toEqual(first)
        expect(await journal.load('task/2')).toEqual([])
      })

      it('refuses when the stream has moved on, and writes nothing', async () => {
        await journal.append('task/1', 0, taskAdded())
        const before = await everythingOf(store, [1])
        for (const version of [0, 2]) {
          const late = journal.append('task/1', version, renamed('Late'), renamed('Later'))
          await expect(late).rejects.toThrow(ConflictError)
        }
        expect(await journal.list({})).toHaveLength(1)
        expect(await everythingOf(store, [1])).toEqual(before)
        const [next] = await journal.append('task/1', 1, renamed('In time'))
        expect(next?.seq).toBe(2)
      })

      it('writes nothing of a batch if one of its events does not belong there', async () => {
        await expect(journal.append('task/1', 0, renamed('Nothing to rename'))).rejects.toThrow()
        await expect(journal.append('task/1', 0, taskAdded(), runStarted)).rejects.toThrow()
        expect(await journal.list({})).toEqual([])
        expect(await store.archive.tasks()).toEqual([])
      })

      it('stores every text unchanged', async () => {
        const texts = [
          'a\0b',
          '\ud800',
          'x\udc00\ud800y',
          '\u2028\u2029',
          '😀',
          '',
          '\r\n',
          '"\\u0000"',
          '\ufeff',
        ]
        const title = texts.join('|')
        const accept = texts
        await journal.append('task/1', 0, taskAdded({ title, accept }))
        const [event] = await journal.load('task/1')
        expect(event?.type === 'task.added' && event.data.task).toMatchObject({ title, accept })
        expect((await store.archive.loop(1))?.task.accept).toEqual(texts)
        expect((await store.archive.tasks())[0]?.title).toBe(title)
      })

      it('gives each version to exactly one of several processes, and leaves no gap', async () => {
        await journal.append('task/1', 0, taskAdded())
        await journal.append('task/2', 0, taskAdded())
        const writers = await Promise.all([appender('a', '1,2', 15), appender('b', '2,1', 15)])
        const won = (await Promise.all(writers.map((writer) => writer.rest()))).flat()
        expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0])
        expect(won).toHaveLength(60)
        expect(new Set(won).size).toBe(60)
        const all = await journal.list({})
        expect(all).toHaveLength(122)
        expectNoGaps(all)
        // Both events of one append are adjacent, even if others wrote at that moment.
        for (let i = 2; i < all.length; i += 2) expect(all[i + 1]?.stream).toBe(all[i]?.stream)
      })
    })

    describe('reading', () => {
      it('lists by stream, by type, after a number and up to a limit', async () => {
        await journal.append('task/1', 0, taskAdded(), renamed('One'))
        await journal.append('run/1', 0, runStarted)
        await journal.append('task/2', 0, taskAdded(), renamed('Two'))
        const seqs = async (filter: Parameters<Journal['list']>[0]) =>
          (await journal.list(filter)).map((e) => e.seq)
        expect(await seqs({})).toEqual([1, 2, 3, 4, 5])
        expect(await seqs({ stream: 'task/2' })).toEqual([4, 5])
        expect(await seqs({ types: ['task.changed', 'run.started'] })).toEqual([2, 3, 5])
        expect(await seqs({ types: [] })).toEqual([])
        expect(await seqs({ after: 2, limit: 2 })).toEqual([3, 4])
        expect(await seqs({ stream: 'task/1', types: ['task.changed'], after: 1 })).toEqual([2])
      })

      it('knows the number of the latest event', async () => {
        expect(await journal.lastSeq()).toBe(0)
        await journal.append('task/1', 0, taskAdded(), renamed('One'))
        await journal.append('run/1', 0, runStarted)
        expect(await journal.lastSeq()).toBe(3)
      })

      it('gives the next free id, counting deleted tasks', async () => {
        expect(await journal.nextId('task')).toBe(1)
        await journal.append('task/5', 0, taskAdded(), { type: 'task.deleted', data: { by: 'ada' } })
        await journal.append('run/2', 0, runStarted)
        expect([await journal.nextId('task'), await journal.nextId('run')]).toEqual([6, 3])
      })

      it('follows what this and other processes append, from a cursor, each event once and in order', async () => {
        await journal.append('task/1', 0, taskAdded(), renamed('Before'))
        const stop = new AbortController()
        const other = await appender('a', '1', 20)
        await journal.append('task/2', 0, taskAdded())
        const seen: StoredEvent[] = []
        for await (const event of journal.since(1, stop.signal)) {
          seen.push(event)
          if (seen.length === 10) await journal.append('task/3', 0, taskAdded())
          if (seen.length === 43) stop.abort()
        }
        expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: 43 }, (_, index) => index + 2))
        expect(seen).toEqual(await journal.list({ after: 1 }))
        expect(await other.exited).toBe(0)
      })

      it('wakes a follower that has nothing to read yet, and ends it on abort', async () => {
        const stop = new AbortController()
        const events = journal.since(0, stop.signal)[Symbol.asyncIterator]()
        const first = events.next()
        await journal.append('task/1', 0, taskAdded())
        expect((await first).value).toMatchObject({ seq: 1, type: 'task.added' })
        const second = events.next()
        stop.abort()
        expect((await second).done).toBe(true)
      })
    })

    describe('projections', () => {
      it('are the fold of the journal, and the same after a rebuild', async () => {
        const histories = fc.tuple(anyHistory(1), anyHistory(2), anyHistory(3))
        await fc.assert(
          fc.asyncProperty(
            histories,
            fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
            async (lives, sizes) => {
              const place = await mkdtemp(join(folder, 'life-'))
              const lived = await open(place)
              try {
                await interleave(lived.journal, lives, sizes)
                const before = await everythingOf(lived, [1, 2, 3])
                const loops = await Promise.all(
                  ([1, 2, 3] as const).map(async (id) => foldLoop(await lived.journal.load(`task/${id}`))),
                )
                expect(before.each.map(({ loop }) => loop)).toEqual(loops)
                const listed = loops.flatMap((loop) =>
                  loop && !loop.standing.deleted ? [summarise(loop)] : [],
                )
                expect(before.tasks).toEqual(listed)
                await lived.rebuild()
                expect(await everythingOf(lived, [1, 2, 3])).toEqual(before)
                expectNoGaps(await lived.journal.list({}))
              } finally {
                await lived.close()
                await rm(place, { recursive: true })
              }
            },
          ),
          { numRuns: 25 },
        )
      })

      it('are complete after the writer was killed at any moment', async () => {
        await journal.append('task/1', 0, taskAdded())
        await journal.append('task/2', 0, taskAdded())
        const said: string[] = []
        for (const moment of [1, 4, 9]) {
          const writer = await appender('a', '1,2', 1000)
          for (let i = 0; i < moment; i += 1) said.push(await writer.next())
          writer.kill('SIGKILL')
          said.push(...(await writer.rest()))
        }
        const all = await journal.list({})
        expectNoGaps(all)
        // Every acknowledged append is there, and none is there in part.
        for (const line of said) {
          const [stream, version, seq] = line.split(' ')
          expect(all[Number(seq) - 1]).toMatchObject({ stream, version: Number(version) })
        }
        expect(all.length % 2).toBe(0)
        const before = await everythingOf(store, [1, 2])
        expect(before.each[0]?.loop).toEqual(foldLoop(await journal.load('task/1')))
        await store.rebuild()
        expect(await everythingOf(store, [1, 2])).toEqual(before)
      })
    })
  })
}

/** Appends the histories of tasks 1, 2, … in turns, this many events at a time. */
async function interleave(journal: Journal, lives: NewEvent[][], sizes: number[]): Promise<void> {
  const at = lives.map(() => 0)
  for (let turn = 0; lives.some((life, i) => (at[i] ?? 0) < life.length); turn += 1) {
    const who = turn % lives.length
    const from = at[who] ?? 0
    const events = lives[who]?.slice(from, from + (sizes[turn % sizes.length] ?? 1)) ?? []
    const stream: Stream = `task/${who + 1}`
    await journal.append(stream, from, ...events)
    at[who] = from + events.length
  }
}

function expectNoGaps(events: StoredEvent[]): void {
  const versions = new Map<Stream, number>()
  events.forEach((event, index) => {
    const version = (versions.get(event.stream) ?? 0) + 1
    expect([event.seq, event.version]).toEqual([index + 1, version])
    versions.set(event.stream, version)
  })
}
