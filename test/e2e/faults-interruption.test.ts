/** Ctrl-C, SIGTERM, kill -9, and two workers in one repository: nothing lost, nothing twice, nothing left running. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, fileAppears, isRunning, nothingRuns, openBench, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) =>
  sessions.map(({ role, iteration, status }) => `${role} ${iteration} ${status}`)

const hangs = (name: string): Act[] => [
  { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
  { leave: 'setsid' },
  { leave: 'setsid without environment' },
  { touch: `$BENCH/${name}` },
  { await: '$BENCH/never' },
]

test('Ctrl-C and SIGTERM end every agent and save the state, and the next run continues', async () => {
  const bench = openBench({
    scenario: {
      developer: [{ session: 1, do: hangs('developing') }],
      reviewer: [{ session: 3, do: hangs('reviewing') }],
    },
  })
  const id = await bench.add('Be interrupted')
  const first = bench.start('work')
  await fileAppears(join(bench.folder, 'developing'))
  first.kill('SIGINT')
  expect((await first.ended).code).toBe(130)
  await expectNothingRuns()
  const stopped = await bench.show(id)
  expect(stopped).toMatchObject({ status: 'pending', verdict: null, reason: null })
  expect(turns(stopped)).toEqual(['developer 1 interrupted'])

  const second = bench.start('work')
  await fileAppears(join(bench.folder, 'reviewing'))
  second.kill('SIGTERM')
  expect((await second.ended).code).toBe(143)
  await expectNothingRuns()
  expect(await bench.show(id)).toMatchObject({ status: 'pending', cycle: 0 })

  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 1, cycle: 1 })
  expect(turns(shown)).toEqual([
    'developer 1 interrupted',
    'developer 1 done',
    'reviewer 1 interrupted',
    'reviewer 1 done',
  ])
  expect(bench.git('rev-list', '--count', `main..${shown.branch}`)).toBe('1')

  /** No agent or keeper is left, and no process that called setsid or dropped its environment. */
  async function expectNothingRuns() {
    await nothingRuns(bench)
    const left = readFileSync(join(bench.folder, 'left-behind'), 'utf8').trim().split('\n')
    expect(left.filter(isRunning)).toEqual([])
  }
})

test('an agent keeps running when Umpire is killed, and the next run uses its work', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [
            { say: 'before' },
            { touch: '$BENCH/arrived' },
            { await: '$BENCH/go' },
            { write: { 'work.txt': 'work\n' } },
            { say: 'after' },
          ],
        },
      ],
    },
  })
  const id = await bench.add('Outlive it')
  const killed = bench.start('work')
  await fileAppears(join(bench.folder, 'arrived'))
  killed.kill('SIGKILL')
  await killed.ended
  const agent = bench.played()[0]?.pid ?? 0
  expect(isRunning(agent)).toBe(true)

  const next = bench.start('work')
  // Once this run has claimed the task, it has adopted the agent.
  await expect
    .poll(async () => (await bench.events()).filter(({ type }) => type === 'loop.claimed').length, {
      timeout: 20_000,
    })
    .toBe(2)
  expect(isRunning(agent)).toBe(true)
  writeFileSync(join(bench.folder, 'go'), '')
  expect(await next.ended).toMatchObject({ code: 0, stderr: '' })

  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 1, cycle: 1 })
  expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 done'])
  expect(bench.played().filter(({ role }) => role === 'developer')).toHaveLength(1)
  expect((await bench.umpire('log', String(id), '--role', 'developer', '--raw')).stdout).toBe(
    'before\nafter\n',
  )
  expect(bench.git('show', `${shown.branch}:work.txt`)).toBe('work')
})

test('two workers in parallel do each task once, and status keeps answering', async () => {
  const bench = openBench()
  const ids: number[] = []
  for (const title of ['one', 'two', 'three', 'four', 'five', 'six']) ids.push(await bench.add(title))
  const workers = [bench.start('work', '--parallel', '2'), bench.start('work', '--parallel', '2')]
  let working = true
  const both = Promise.all(workers.map(({ ended }) => ended)).finally(() => {
    working = false
  })
  let looks = 0
  while (working) {
    const status = await bench.umpire('status', '--json')
    expect(status).toMatchObject({ code: 0, stderr: '' })
    expect(status.json<{ tasks: { id: number }[] }>().tasks.map(({ id }) => id)).toEqual(ids)
    looks += 1
  }
  expect(looks).toBeGreaterThan(1)
  expect((await both).map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
  ])
  for (const id of ids) {
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
    expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 done'])
  }
  expect(bench.played()).toHaveLength(12)
  const events = await bench.events()
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ type }) => type === 'loop.claimed')).toHaveLength(6)
})
