/**
 * What every work source must do. An adapter's test calls this with its module. Workers announce what they took and
 * wait to be released, so the tests force every order of events, and nothing depends on timing.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LostClaimError } from '../../src/core/errors.ts'
import { OfferCancelledError, type WorkSource } from '../../src/queue/work-source.ts'
import { endPrograms, type Program, removeBundles, startProgram } from '../support/program.ts'
import { openRecorder } from '../support/recorder.ts'

export interface WorkSourceUnderTest {
  /** Absolute path of a module whose `open(folder)` opens the work source that belongs to the folder. */
  adapter: string
  open(folder: string): Promise<WorkSource>
}

function openWait(): { over: Promise<void>; end: () => void } {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  return { over, end }
}

export function describeWorkSource(name: string, { adapter, open }: WorkSourceUnderTest): void {
  describe(name, () => {
    let folder: string
    let source: WorkSource
    const never = new AbortController().signal

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'umpire-queue-'))
      source = await open(folder)
    })
    afterEach(async () => {
      await endPrograms()
      await source.close()
      await rm(folder, { recursive: true, force: true })
    })
    afterAll(removeBundles)

    async function offer(...tasks: number[]): Promise<void> {
      for (const task of tasks) await source.offer(task)
    }

    /** Runs until nothing is left, with a handler that returns at once, and returns what was handed out. */
    async function drain(only?: number[]): Promise<number[]> {
      const taken: number[] = []
      const worker = { id: 'drain', slots: 1, watch: false, ...(only ? { only } : {}) }
      await source.run(worker, async ({ task }) => void taken.push(task), never)
      return taken
    }

    function otherWorker(...args: string[]): Promise<Program> {
      return startProgram({ fixture: 'queue/worker.ts', adapter, args: [folder, ...args] })
    }

    describe('handing out', () => {
      it('starts with the lowest number and ends when nothing is left', async () => {
        await offer(3, 1, 2)
        expect(await drain()).toEqual([1, 2, 3])
        expect(await drain()).toEqual([])
      })

      it('hands out a task only once if it was offered twice', async () => {
        await offer(1, 1)
        expect(await drain()).toEqual([1])
      })

      it('hands out only the requested tasks', async () => {
        await offer(1, 2, 3, 4)
        expect(await drain([4, 2, 9])).toEqual([2, 4])
        expect(await drain()).toEqual([1, 3])
      })

      it('never runs more tasks than there are slots, and fills a free slot at once', async () => {
        await offer(1, 2, 3)
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 2, watch: false }, hands.handle, never)
        await hands.taken(1, 2)
        expect(hands.held()).toEqual([1, 2])
        hands.release(1)
        await hands.taken(3)
        expect(hands.held()).toEqual([2, 3])
        hands.release(2)
        hands.release(3)
        await run
        expect(hands.mostAtOnce()).toBe(2)
      })

      it('hands out the task that the worker chooses, and returns to the others later', async () => {
        await offer(1, 2, 3)
        const asked: number[][] = []
        let wanted: number | null = 3
        const choose = async (free: number[]) => {
          asked.push(free)
          return wanted ?? free[0] ?? null
        }
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: false, choose }, hands.handle, never)
        await hands.taken(3)
        expect(asked).toEqual([[1, 2, 3]])
        wanted = null
        for (const task of [3, 1, 2]) {
          await hands.taken(task)
          hands.release(task)
        }
        await run
      })

      it('leaves a slot free when the worker chooses no task, until something changes', async () => {
        await offer(1, 2)
        const hands = openRecorder()
        const choose = async (free: number[]) => (hands.held().length > 0 ? null : (free[0] ?? null))
        const run = source.run({ id: 'w', slots: 2, watch: false, choose }, hands.handle, never)
        for (const task of [1, 2]) {
          await hands.taken(task)
          hands.release(task)
        }
        await run
        expect(hands.mostAtOnce()).toBe(1)
      })

      it('lends the slot of a resting task, and gives it back before a new task starts', async () => {
        await offer(1, 2, 3)
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: false }, hands.handle, never)
        await hands.taken(1)
        const wait = openWait()
        let state = 'rests'
        const rested = hands
          .hold(1)
          .rest(wait.over)
          .then(() => {
            state = 'woke'
          })
        await hands.taken(2)
        wait.end()
        await new Promise((turn) => setImmediate(turn))
        expect(state).toBe('rests')
        hands.release(2)
        await rested
        expect(state).toBe('woke')
        expect(hands.held()).toEqual([1])
        hands.release(1)
        await hands.taken(3)
        hands.release(3)
        await run
      })

      it('does not make a task wait for a slot when its rest failed, it was cancelled, or the run stops', async () => {
        await offer(1, 2, 3)
        const hands = openRecorder()
        const stop = new AbortController()
        const run = source.run({ id: 'w', slots: 1, watch: false }, hands.handle, stop.signal)
        await hands.taken(1)
        const failing = hands.hold(1).rest(Promise.reject(new Error('called off')))
        await expect(failing).rejects.toThrow('called off')
        const [first, second] = [openWait(), openWait()]
        const one = hands.hold(1).rest(first.over)
        await hands.taken(2)
        const two = hands.hold(2).rest(second.over)
        await hands.taken(3)
        first.end()
        await source.cancel(1)
        await one
        second.end()
        stop.abort()
        await two
        for (const task of hands.held()) hands.release(task)
        await run
      })

      it('hands out a task again if it was offered while it was held', async () => {
        await offer(1)
        const runs: number[] = []
        await source.run(
          { id: 'w', slots: 1, watch: false },
          async ({ task }) => {
            runs.push(task)
            if (runs.length === 1) await source.offer(1)
          },
          never,
        )
        expect(runs).toEqual([1, 1])
      })

      it('sees tasks that a handler offers, such as those that depended on its own', async () => {
        await offer(1)
        const runs: number[] = []
        await source.run(
          { id: 'w', slots: 1, watch: false },
          async ({ task }) => {
            runs.push(task)
            if (task < 3) await source.offer(task + 1)
          },
          never,
        )
        expect(runs).toEqual([1, 2, 3])
      })

      it('waits for offers when it watches, even from another process, until it is stopped', async () => {
        const stop = new AbortController()
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: true }, hands.handle, stop.signal)
        await offer(1)
        await hands.taken(1)
        hands.release(1)
        await hands.returned(1)
        const other = await otherWorker('0')
        other.send('offer 2')
        await hands.taken(2)
        stop.abort()
        hands.release(2)
        await run
      })

      it('hands out nothing more once it is stopped, and waits for running tasks', async () => {
        await offer(1, 2)
        const stop = new AbortController()
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: false }, hands.handle, stop.signal)
        await hands.taken(1)
        stop.abort()
        expect(hands.hold(1).signal.aborted).toBe(false)
        hands.release(1)
        await run
        expect(await drain()).toEqual([2])
      })
    })

    describe('a handler that throws', () => {
      it('does not stop the other tasks, and its error is thrown at the end', async () => {
        await offer(1, 2, 3)
        const done: number[] = []
        const run = source.run(
          { id: 'w', slots: 2, watch: false },
          async ({ task }) => {
            if (task === 1) throw new Error('a surprise')
            done.push(task)
          },
          never,
        )
        await expect(run).rejects.toThrow('a surprise')
        expect(done.sort()).toEqual([2, 3])
        expect(await drain()).toEqual([])
      })
    })

    describe('cancelling', () => {
      it('withdraws an offer that no worker has taken', async () => {
        await offer(1, 2)
        await source.cancel(1)
        expect(await drain()).toEqual([2])
      })

      it('tells the holder of the task, and no other holder', async () => {
        await offer(1, 2)
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 2, watch: false }, hands.handle, never)
        await hands.taken(1, 2)
        await source.cancel(1)
        expect(await hands.lost(1)).toBeInstanceOf(OfferCancelledError)
        expect(hands.hold(2).signal.aborted).toBe(false)
        hands.release(1)
        hands.release(2)
        await run
        expect(await drain()).toEqual([])
      })

      it('reaches a holder in another process', async () => {
        await offer(1)
        const other = await otherWorker()
        expect(await other.next()).toBe('took 1')
        await source.cancel(1)
        expect(await other.next()).toBe('lost 1 OfferCancelledError')
      })

      it('does not block a later offer', async () => {
        await offer(1)
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: false }, hands.handle, never)
        await hands.taken(1)
        await source.cancel(1)
        await source.offer(1)
        expect(await hands.lost(1)).toBeInstanceOf(OfferCancelledError)
        hands.release(1)
        await hands.returned(1)
        await hands.taken(1)
        expect(hands.hold(1).signal.aborted).toBe(false)
        hands.release(1)
        await run
      })
    })

    describe('several workers', () => {
      it('skip a task that another live worker holds, and can tell who it is', async () => {
        await offer(1, 2)
        const other = await otherWorker()
        expect(await other.next()).toBe('took 1')
        expect(await drain()).toEqual([2])
        const holders = await source.holders()
        expect([...holders.keys()]).toEqual([1])
        expect(holders.get(1)).toContain(String(other.pid))
        other.send('release 1')
        expect(await other.next()).toBe('done 1')
      })

      it('never get the same task at once', async () => {
        const tasks = Array.from({ length: 30 }, (_, index) => index + 1)
        await offer(...tasks)
        const workers = await Promise.all([1, 2, 3].map(() => otherWorker('2', 'at-once')))
        const said = (await Promise.all(workers.map((worker) => worker.rest()))).flat()
        const took = said.filter((line) => line.startsWith('took')).sort()
        expect(took).toEqual(tasks.map((task) => `took ${task}`).sort())
        expect(await drain()).toEqual([])
      })

      it('get the task of a killed worker at once', async () => {
        await offer(1)
        const other = await otherWorker()
        expect(await other.next()).toBe('took 1')
        other.kill('SIGKILL')
        await other.exited
        expect(await source.holders()).toEqual(new Map())
        expect(await drain()).toEqual([1])
      })

      it('get the task of a frozen worker, which learns about it when it wakes', async () => {
        await offer(1)
        const other = await otherWorker()
        expect(await other.next()).toBe('took 1')
        const hands = openRecorder()
        const stop = new AbortController()
        const run = source.run({ id: 'w', slots: 1, watch: true }, hands.handle, stop.signal)
        other.kill('SIGSTOP')
        await hands.taken(1)
        other.kill('SIGCONT')
        expect(await other.next()).toBe(`lost 1 ${new LostClaimError().name}`)
        stop.abort()
        hands.release(1)
        await run
      })

      it('can ask at any time whether a task is still held', async () => {
        await offer(1)
        const hands = openRecorder()
        const run = source.run({ id: 'w', slots: 1, watch: false }, hands.handle, never)
        await hands.taken(1)
        await hands.hold(1).confirm()
        await source.cancel(1)
        await expect(hands.hold(1).confirm()).rejects.toBeInstanceOf(OfferCancelledError)
        hands.release(1)
        await run
      })

      it('tolerate a task that was delivered twice: the second keeps it when the handler of the first ends', async () => {
        await offer(1)
        const first = await otherWorker('1', 'once')
        expect(await first.next()).toBe('took 1')
        const second = await otherWorker()
        first.kill('SIGSTOP')
        expect(await second.next()).toBe('took 1')
        first.kill('SIGCONT')
        expect(await first.next()).toBe('lost 1 LostClaimError')
        first.send('release 1')
        expect(await first.next()).toBe('done 1')
        expect(await first.exited).toBe(0)
        expect((await source.holders()).get(1)).toContain(String(second.pid))
        expect(await drain()).toEqual([])
        // The offer remains for the next worker if the second one dies too.
        second.kill('SIGKILL')
        await second.exited
        expect(await drain()).toEqual([1])
      })
    })
  })
}
