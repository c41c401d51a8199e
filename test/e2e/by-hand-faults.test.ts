/** Steps by hand that fail, are interrupted or killed, or move to another process: each stays exactly one step. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type Act,
  type Bench,
  type BenchOptions,
  fileAppears,
  isRunning,
  nothingRuns,
  openBench,
  type Running,
  type Shown,
  until,
} from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, cycle, status }) => `${role} ${cycle} ${status}`)

const begun = (...more: Act[]): Act[] => [{ touch: '$BENCH/begun' }, { await: '$BENCH/go' }, ...more]

const eventsOf = async (bench: Bench, wanted: string) =>
  (await bench.events()).filter(({ type }) => type === wanted)

/** A bench with a task that is developed but not reviewed. */
async function withWork(options: BenchOptions = {}): Promise<Bench> {
  const bench = openBench(options)
  await bench.add('By hand', '--no-review')
  expect((await bench.umpire('work')).code).toBe(0)
  return bench
}

test('a failing gate stops a review by hand before any agent starts, and retry repeats that review', async () => {
  const bench = await withWork()
  await bench.umpire('improve', '1', '--note', 'so that the gate can be set')
  await bench.umpire('edit', '1', '--gate', 'test -f "$BENCH/mended" || { echo NOT YET; exit 1; }')
  const before = bench.played().length
  const review = await bench.umpire('review', '1')
  expect(review.code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'gate', verdict: null, cycle: 0 },
    detail: 'Gate backpressure failed.',
    gates: [{ name: 'backpressure', passed: false, exitCode: 1 }],
  })
  expect(review.stdout).toContain('Gate backpressure failed')
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(bench.played()).toHaveLength(before)

  writeFileSync(join(bench.folder, 'mended'), '')
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(
    bench
      .played()
      .slice(before)
      .map(({ role }) => role),
  ).toEqual(['reviewer'])
})

test('asks again for an unreadable review by hand, then needs a person; retry repeats only that review', async () => {
  const bench = await withWork({ scenario: { reviewer: [{ do: [{ say: 'Hm.' }] }] } })
  expect((await bench.umpire('review', '1')).code).toBe(3)
  const stopped = await bench.show(1)
  expect(stopped).toMatchObject({ status: 'blocked', reason: 'malformed_review', verdict: null, cycle: 0 })
  expect(turns(stopped)).toEqual(['developer 1 done', 'reviewer 1 done', 'reviewer 1 done'])
  expect(stopped.sessions[2]?.prompt).toContain('You were asked before')
  expect(await eventsOf(bench, 'review.failed')).toHaveLength(2)

  bench.play({ reviewer: [{ do: [{ say: 'FEEDBACK: more' }] }] })
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'changes_requested', cycle: 1, iteration: 1 })
  expect(turns(shown).slice(3)).toEqual(['reviewer 1 done'])
})

test('a reviewer or a developer that fails in a step by hand fails the task, and retry repeats that step', async () => {
  const bench = await withWork({ scenario: { reviewer: [{ do: [{ say: 'APPROVED' }, { exit: 9 }] }] } })
  const review = await bench.umpire('review', '1')
  expect(review.code).toBe(1)
  expect(review.stdout).toMatch(/^✗ 1\. implement By hand {2}failed/m)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'failed', reason: 'crash', verdict: null, cycle: 0 },
    recovery: ['umpire log 1', 'umpire retry 1'],
  })
  bench.play({ reviewer: [{ do: [{ say: 'FEEDBACK: more' }] }], developer: [{ do: [{ exit: 1 }] }] })
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'changes_requested', cycle: 1 })

  expect((await bench.umpire('improve', '1')).code).toBe(1)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'failed', reason: 'crash', verdict: 'CHANGES_REQUESTED', cycle: 1 },
  })
  bench.play({})
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'awaiting_review', cycle: 1, iteration: 2 })
  expect(turns(shown)).toEqual([
    ...['developer 1 done', 'reviewer 1 failed', 'reviewer 1 done'],
    ...['developer 2 failed', 'developer 2 done'],
  ])
  expect(shown.sessions.at(-1)?.prompt).toContain('more')
})

test('Ctrl-C in a review by hand stops its agents, and the next umpire work does only that review', async () => {
  const bench = await withWork({
    scenario: {
      reviewer: [
        {
          session: 2,
          do: [{ ignore: ['SIGTERM', 'SIGINT'] }, { leave: 'setsid' }, ...begun()],
        },
        { do: [{ say: 'FEEDBACK: more' }] },
      ],
    },
  })
  const review = bench.start('review', '1')
  await fileAppears(join(bench.folder, 'begun'))
  review.kill('SIGINT')
  expect((await review.ended).code).toBe(130)
  await nothingRuns(bench)
  expect(isRunning(readFileSync(join(bench.folder, 'left-behind'), 'utf8'))).toBe(false)
  expect(await bench.show(1)).toMatchObject({ status: 'pending', verdict: null, reason: null, cycle: 0 })

  expect((await bench.umpire('work')).code).toBe(3)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'changes_requested', cycle: 1, iteration: 1 })
  expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 interrupted', 'reviewer 1 done'])
  // The person asked for one review only, so nothing is left to do.
  expect((await bench.umpire('work')).stdout).toContain('Nothing to do.')
})

test('kill -9 in an improvement by hand loses nothing: the next run collects the result, and the task awaits a review', async () => {
  const bench = await withWork()
  bench.play({ developer: [{ iteration: 2, do: begun({ write: { 'second.txt': 'second\n' } }) }] })
  const improve = bench.start('improve', '1', '--note', 'a second file')
  await fileAppears(join(bench.folder, 'begun'))
  improve.kill('SIGKILL')
  await improve.ended
  const agent = bench.played().at(-1)?.pid ?? 0
  expect(isRunning(agent)).toBe(true)
  // No other step can start meanwhile.
  expect((await bench.umpire('review', '1')).code).toBe(2)

  const work = bench.start('work')
  // Three claims: the first work, the improvement, and this run, which adopts the agent.
  await until(async () => (await eventsOf(bench, 'loop.claimed')).length === 3, 'the adoption')
  expect(isRunning(agent)).toBe(true)
  writeFileSync(join(bench.folder, 'go'), '')
  expect(await work.ended).toMatchObject({ code: 3, stderr: '' })
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'awaiting_review', cycle: 0, iteration: 2 })
  expect(turns(shown)).toEqual(['developer 1 done', 'developer 1 done'])
  expect(bench.played()).toHaveLength(2)
  expect(bench.git('show', `${shown.branch}:second.txt`)).toBe('second')
  expect(bench.git('rev-list', '--count', `main..${shown.branch}`)).toBe('2')
})

/**
 * Lets a watcher claim the review that `umpire review` started. The asking process is suspended so that it loses its
 * claim, and resumed when it is too late. Otherwise it would be chance which of the two is faster.
 */
async function takenByWatcher(): Promise<{ bench: Bench; watcher: Running; review: Running }> {
  const bench = await withWork({ scenario: { reviewer: [{ do: begun({ say: 'FEEDBACK: more' }) }] } })
  const review = bench.start('review', '1')
  await fileAppears(join(bench.folder, 'begun'))
  review.kill('SIGSTOP')
  const watcher = bench.start('work', '--watch')
  await until(async () => (await eventsOf(bench, 'loop.claimed')).length === 3, 'the watcher’s claim')
  review.kill('SIGCONT')
  // The asking process has nothing left to do. It ends its run, and from then on only waits.
  await until(async () => (await eventsOf(bench, 'run.ended')).length === 2, 'the end of its own run')
  return { bench, watcher, review }
}

test('waits for a review by hand that another process has claimed, and prints its outcome', async () => {
  const { bench, watcher, review } = await takenByWatcher()
  writeFileSync(join(bench.folder, 'go'), '')
  const { code, stdout, stderr } = await review.ended
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
  expect(stdout).toContain('! 1. implement By hand  blocked  CHANGES_REQUESTED (1 cycle)\n')
  expect(stdout).toContain('umpire improve 1')
  watcher.kill('SIGINT')
  expect((await watcher.ended).code).toBe(130)
  expect(turns(await bench.show(1))).toEqual(['developer 1 done', 'reviewer 1 done'])
})

test('finishes a review by hand itself when the process that claimed it dies', async () => {
  const { bench, watcher, review } = await takenByWatcher()
  watcher.kill('SIGKILL')
  await watcher.ended
  await until(async () => (await eventsOf(bench, 'loop.claimed')).length === 4, 'the claim of who asked')
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await review.ended).code).toBe(3)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'changes_requested', cycle: 1 })
  expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 done'])
})

test('reports a review by hand as cancelled when the task is cancelled meanwhile', async () => {
  const bench = await withWork({ scenario: { reviewer: [{ do: begun() }] } })
  const review = bench.start('review', '1')
  await fileAppears(join(bench.folder, 'begun'))
  expect((await bench.umpire('cancel', '1')).code).toBe(0)
  const { code, stdout } = await review.ended
  expect(code).toBe(1)
  expect(stdout).toMatch(/1\. implement By hand {2}cancelled/)
})
