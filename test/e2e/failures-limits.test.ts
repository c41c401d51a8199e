/** A rate limit that resets in an hour: what this run and other commands show meanwhile, and how the wait can end. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasTerminal, startOnTerminal } from '../support/on-terminal.ts'
import { limited, openTroubled, type TroubledBench } from '../support/troubled.ts'
import { until } from '../support/umpire.ts'

const hour = 3600
const waits = /waits for claude’s limit until (?:\w{3} \d+, )?\d\d:\d\d/

async function waitsFor(bench: TroubledBench): Promise<string | null> {
  return (await bench.show(1)).waitsFor?.until ?? null
}

const started = async (bench: TroubledBench) =>
  (await bench.events()).filter(({ type }) => type === 'session.started').map(({ task }) => task)

test('ends the wait cleanly on Ctrl-C, and reports it in show and status, in status also afterwards', async () => {
  const bench = openTroubled([limited(hour)])
  await bench.add('Make a file')
  const work = bench.start('work', '--plain')
  await until(() => work.stdout().includes('waiting until'), 'the wait')
  const end = await waitsFor(bench)
  expect((await bench.umpire('status')).stdout).toMatch(waits)
  expect((await bench.umpire('status', '--json')).json()).toMatchObject({
    tasks: [{ status: 'in_progress', waitsFor: { agent: 'claude', until: end } }],
  })
  expect((await bench.umpire('show', '1')).stdout).toMatch(waits)
  work.kill('SIGINT')
  expect((await work.ended).code).toBe(130)
  expect((await bench.umpire('status')).stdout).toMatch(new RegExp(`pending.*${waits.source}`))
  expect(await started(bench)).toEqual([1])
})

test('after a kill, the next worker waits until the same time', async () => {
  const bench = openTroubled([limited(hour)])
  await bench.add('Make a file')
  const first = bench.start('work', '--plain')
  await until(() => first.stdout().includes('waiting until'), 'the wait')
  const end = await waitsFor(bench)
  first.kill('SIGKILL')
  await first.ended
  const second = bench.start('work', '--json')
  await until(() => second.stdout().includes('loop.claimed'), 'the next claim')
  await until(async () => (await bench.umpire('status')).stdout.includes('waits for'), 'the wait to go on')
  expect(await waitsFor(bench)).toBe(end)
  expect(await started(bench)).toEqual([1])
  second.kill('SIGTERM')
  expect((await second.ended).code).toBe(143)
})

test('meanwhile starts a task for another agent, but none for the same agent', async () => {
  const bench = openTroubled([limited(hour)], {
    config: { parallel: 1 },
    scenario: {
      developer: [{ do: [{ write: { a: '' } }] }],
      reviewer: [{ do: [{ submit: { verdict: 'APPROVED', summary: 'Fine.' } }] }],
    },
  })
  await bench.add('For claude')
  await bench.add('For claude, too')
  await bench.add('For another', '--agent', 'actor', '--reviewer', 'actor')
  const work = bench.start('work', '--plain')
  await until(() => work.stdout().includes('#3 [1/4] Approved'), 'the other task')
  expect(await started(bench)).toEqual([1, 3, 3])
  expect((await bench.umpire('status')).stdout).toMatch(/· 2\. .*pending\n/)
  // The run can only wait now, and starts no session in vain.
  expect(await waitsFor(bench)).not.toBeNull()
  work.kill('SIGINT')
  expect((await work.ended).code).toBe(130)
  expect(
    readFileSync(join(bench.folder, 'claude', 'runs'), 'utf8')
      .trim()
      .split('\n'),
  ).toHaveLength(1)
})

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('counts down the remaining time', async () => {
    const bench = openTroubled([limited(hour)])
    await bench.add('Make a file')
    const work = startOnTerminal(bench, ['work'], { columns: 100 })
    const left = /waiting (?:1:00:00|59:[0-5]\d) for claude’s limit until /
    await until(() => left.test(work.stdout()), 'the countdown')
    await until(() => work.stdout().includes('waiting 59:'), 'the clock to tick')
    work.type('\u0003')
    expect((await work.ended).code).toBe(130)
  })
})
