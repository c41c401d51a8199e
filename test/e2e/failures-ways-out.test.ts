/** A rate limit that resets in an hour, and a person who does not want to wait for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limited, openTroubled, type TroubledBench } from '../support/troubled.ts'
import { until } from '../support/umpire.ts'

const hour = 3600
const scenario = {
  developer: [{ do: [{ write: { a: '' } }] }],
  reviewer: [{ do: [{ submit: { verdict: 'APPROVED', summary: 'Fine.' } }] }],
}

/** Opens a bench with a task that hit the limit and was then interrupted by Ctrl-C. */
async function openWaiting(before: string[] = []): Promise<TroubledBench> {
  const bench = openTroubled([limited(hour)], { config: { parallel: 1 }, scenario })
  for (const title of before) await bench.add(title)
  const id = await bench.add('Make a file')
  const work = bench.start('work', '--plain', String(id))
  await until(() => work.stdout().includes('waiting until'), 'the wait')
  work.kill('SIGINT')
  expect((await work.ended).code).toBe(130)
  return bench
}

const started = async (bench: TroubledBench) =>
  (await bench.events()).filter(({ type }) => type === 'session.started').map(({ task }) => task)

test('umpire retry ends the wait of a task that no run works on', async () => {
  const bench = await openWaiting()
  const { code, stdout } = await bench.umpire('retry', '1', '--why', 'The limit was raised.')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/pending .*continues in develop/)])
  expect((await bench.umpire('status')).stdout).not.toContain('waits for')
  expect((await bench.events()).at(-1)).toMatchObject({
    type: 'person.decided',
    data: { move: 'retry', why: 'The limit was raised.' },
  })
  const work = await bench.umpire('work', '--plain')
  expect([work.code, work.stdout]).toEqual([0, expect.stringContaining('Approved')])
  expect(bench.runs()[1]?.prompt).toContain('earlier session')
  expect((await bench.umpire('retry', '1')).code).toBe(2)
})

test('umpire retry ends the wait of a task that a run works on, and that run continues it', async () => {
  const bench = openTroubled([limited(hour)])
  await bench.add('Make a file')
  const work = bench.start('work', '--plain')
  await until(() => work.stdout().includes('waiting until'), 'the wait')
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect((await work.ended).code).toBe(0)
  expect(work.stdout()).toContain('Approved')
})

test('stops waiting for the limit when a person gives the task another agent', async () => {
  const bench = await openWaiting()
  const work = bench.start('work', '--plain')
  // This run reports the wait as well; otherwise it would seem to hang.
  await until(
    () => /#1 waits for claude’s limit until .*umpire retry 1 retries/.test(work.stdout()),
    'the wait',
  )
  expect((await bench.umpire('edit', '1', '--agent', 'actor', '--reviewer', 'actor')).code).toBe(0)
  expect((await bench.umpire('status')).stdout).not.toContain('waits for')
  expect((await work.ended).code).toBe(0)
  expect(await started(bench)).toEqual([1, 1, 1])
  expect(bench.runs()).toHaveLength(1)
})

test('does not wait for the limit when the configuration now names another agent', async () => {
  const bench = await openWaiting()
  const file = join(bench.root, 'umpire.yaml')
  bench.write({ 'umpire.yaml': readFileSync(file, 'utf8').replaceAll('"claude"', '"actor"') })
  const work = await bench.umpire('work', '--plain')
  expect([work.code, work.stdout]).toEqual([0, expect.not.stringContaining('waits for')])
})

test('after a restart, still starts no task that would hit the same limit, but starts others', async () => {
  // The lowest task number would come first, but is skipped.
  const bench = await openWaiting(['For claude, too'])
  await bench.add('For another', '--agent', 'actor', '--reviewer', 'actor')
  const work = bench.start('work', '--plain')
  await until(() => work.stdout().includes('#3 [1/4] Approved'), 'the other task')
  expect(await started(bench)).toEqual([2, 3, 3])
  // Once the run no longer waits for the limit, it starts all of them.
  await bench.umpire('retry', '2')
  expect((await work.ended).code).toBe(0)
  expect((await bench.umpire('status')).stdout).not.toContain('pending')
})
