/** How often, how long and how many: cycles, iterations, gate failures, time limits, retries. */
import { expect, test } from 'vitest'
import { type Act, openBench, type Part, type Scenario } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const never: Part[] = [{ do: [{ say: 'FEEDBACK: never enough' }] }]

test('max_cycles and effort limit the number of reviews and set their depth', async () => {
  const cases: [Record<string, unknown>, number, boolean, boolean][] = [
    [{ max_cycles: 1, effort: 'max' }, 1, true, true],
    [{ effort: 'low' }, 3, false, false],
    [{ max_cycles: 2 }, 2, true, false],
  ]
  await Promise.all(
    cases.map(async ([config, cycles, standard, comprehensive]) => {
      const bench = openBench({ config, scenario: { reviewer: never } })
      await bench.add('Never enough')
      expect((await bench.umpire('work')).code).toBe(3)
      const shown = await bench.show(1)
      expect(shown).toMatchObject({ verdict: 'MAX_CYCLES_REACHED', reason: 'max_cycles', cycle: cycles })
      expect(shown).toMatchObject({ maxCycles: cycles, revisionAttempts: cycles - 1 })
      const { prompt } = shown.sessions[1] ?? { prompt: '' }
      expect([prompt.includes('Swallowed errors'), prompt.includes('Security:')]).toEqual([
        standard,
        comprehensive,
      ])
    }),
  )
})

test('task_types.implement sets cycles, effort, models and whether there is a review', async () => {
  const config = {
    roles: { developer: 'witness', reviewer: { agent: 'witness', model: 'role-model' } },
    agents: { witness: { command: ['node', witness] } },
    max_cycles: 9,
    task_types: {
      implement: { max_cycles: 2, effort: 'max', model: 'dev-model', review_model: 'rev-model' },
    },
  }
  const bench = openBench({ config, scenario: { reviewer: never } })
  await bench.add('Of this type')
  await bench.add('With its own', '--model', 'own-model', '--review-model', 'own-review', '--max-cycles', '1')
  // One after the other: at this effort a task also starts reviews of the tasks that run in parallel.
  expect((await bench.umpire('work', '--parallel', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ cycle: 2, verdict: 'MAX_CYCLES_REACHED' })
  const models = (task: number) => givenTo(bench, task).map(({ env }) => env.UMPIRE_MODEL)
  expect(models(1)).toEqual(['dev-model', 'rev-model', 'dev-model', 'rev-model'])
  expect(models(2)).toEqual(['own-model', 'own-review'])
  expect(givenTo(bench, 1)[1]?.stdin).toContain('Security:')

  const off = openBench({ config: { task_types: { implement: { auto_review: false } } } })
  await off.add('Unreviewed')
  await off.add('Reviewed', '-a')
  expect((await off.umpire('work')).code).toBe(0)
  expect(await off.show(1)).toMatchObject({ status: 'completed', verdict: null })
  expect(await off.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
})

test('develop.until: claim continues until the developer says it is done, at most max_iterations times', async () => {
  const grow = (iteration: number): Act => ({ write: { [`${iteration}.txt`]: '' } })
  const bench = openBench({
    config: { develop: { until: 'claim' }, max_iterations: 3, parallel: 3 },
    scenario: {
      developer: [
        { task: 'says so', iteration: 2, do: [grow(2), { say: 'All of it.\nTASK_COMPLETE' }] },
        { task: 'hands in', iteration: 2, do: [grow(2), { submit: { complete: true } }] },
        { task: 'mentions it', do: [{ say: 'I will print TASK_COMPLETE when done' }, grow(1)] },
      ],
    },
  })
  for (const title of ['says so', 'hands in', 'mentions it']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  for (const id of [1, 2]) {
    expect(await bench.show(id)).toMatchObject({
      status: 'completed',
      verdict: 'APPROVED',
      iteration: 2,
      cycle: 1,
    })
  }
  const stalled = await bench.show(3)
  expect(stalled).toMatchObject({ status: 'blocked', reason: 'stalled', iteration: 3, cycle: 0, reviews: [] })
  expect(stalled.sessions[0]?.prompt).toContain('TASK_COMPLETE')
  expect(stalled.sessions[1]?.prompt).toContain('An earlier session worked on this')
})

test('gates run in order on every result, and max_gate_failures in a row need a person', async () => {
  const bench = openBench({
    config: { gates: { test: 'echo one; false', lint: 'echo two' }, max_gate_failures: 2 },
  })
  await bench.add('Never green')
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)
  expect(work.stdout).toContain('Gate test failed 2 times in a row.')
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'gate', verdict: null, iteration: 2, cycle: 0 })
  expect(shown.gates.map(({ name, passed, output }) => [name, passed, output])).toEqual([
    ...[
      ['test', false, 'one\n'],
      ['lint', true, 'two\n'],
    ],
    ...[
      ['test', false, 'one\n'],
      ['lint', true, 'two\n'],
    ],
  ])
  expect(bench.played().map(({ role }) => role)).toEqual(['developer', 'developer'])
})

test('gate.baseline runs a task’s own gate on the base and tells the person; the task’s results do not include it', async () => {
  const tried = async (gate: object) => {
    const bench = openBench({ config: { gate, gates: { test: 'true' } } })
    await bench.add('Makes it pass', '--gate', 'test -f work-1.txt')
    const work = await bench.umpire('work')
    expect(work.code).toBe(0)
    const { gates } = await bench.show(1)
    expect(gates.map(({ name, passed }) => `${name} ${passed}`)).toEqual(['test true', 'backpressure true'])
    expect((await bench.umpire('show', '1')).stdout).not.toContain('failed')
    const told = (await bench.events()).filter(({ message }) => message.includes('on the base'))
    return { told, printed: work.stdout.includes('failed (exit code 1) on the base, before any work') }
  }
  const { told, printed } = await tried({ baseline: true })
  expect(told).toMatchObject([{ task: 1, data: { name: 'backpressure', passed: false, exitCode: 1 } }])
  expect(printed).toBe(true)
  expect(await tried({ baseline: false })).toEqual({ told: [], printed: false })
  expect((await tried({})).printed).toBe(true)
})

test('parallel sets how many tasks run at once', async () => {
  const meet = (here: number, there: number): Act[] => [
    { touch: `$BENCH/here-${here}` },
    { await: `$BENCH/here-${there}` },
    { write: { 'a.txt': '' } },
  ]
  const developer = [
    { task: 1, do: meet(1, 2) },
    { task: 2, do: meet(2, 1) },
  ]
  const both = openBench({ config: { parallel: 2 }, scenario: { developer } })
  const single = openBench({ config: { parallel: 1 } })
  for (const bench of [both, single]) {
    for (const title of ['One', 'Two']) await bench.add(title)
    expect((await bench.umpire('work')).code).toBe(0)
  }
  const order = (await single.events()).flatMap(({ type, task }) => (type.startsWith('loop.') ? [task] : []))
  expect(order).toEqual(order.toSorted())
})

const hang: Act[] = [{ await: 'never' }]
const limited: [string, string | number, Scenario, object][] = [
  ['develop', '1s', { developer: [{ do: hang }] }, { status: 'blocked', reason: 'timeout', iteration: 1 }],
  [
    'improve',
    '1s',
    { developer: [{ iteration: 2, do: hang }], reviewer: never },
    { status: 'blocked', reason: 'timeout', iteration: 2, verdict: 'CHANGES_REQUESTED' },
  ],
  ['review', '1s', { reviewer: [{ do: [{ await: 'never' }] }] }, { status: 'failed', reason: 'timeout' }],
  ['idle', '1s', { developer: [{ do: hang }] }, { status: 'failed', reason: 'idle' }],
  ['gate', '1s', {}, { status: 'blocked', reason: 'gate', gates: [{ timedOut: true, exitCode: null }] }],
  [
    'agent_retries',
    1,
    { developer: [{ session: 1, do: [{ exit: 1 }] }] },
    {
      status: 'completed',
      sessions: [{ status: 'failed', attempt: 1 }, { attempt: 2 }, { role: 'reviewer' }],
    },
  ],
]

test.each([
  ['limits', (limits: object) => ({ limits: { agent_retries: 0, ...limits } })],
  ['task_types.implement.limits', (limits: object) => ({ task_types: { implement: { limits } } })],
])(
  '%s: sessions, gates and silence end at their limits, and agent_retries limits the retries',
  async (_, at) => {
    await Promise.all(
      limited.map(async ([key, value, scenario, expected]) => {
        const gates = key === 'gate' ? { gates: { test: 'sleep 1000' }, max_gate_failures: 1 } : {}
        const bench = openBench({ config: { ...at({ [key]: value }), ...gates }, scenario })
        await bench.add(`Limited by ${key}`)
        const { code } = await bench.umpire('work')
        const shown = await bench.show(1)
        expect({ key, code, ...shown }).toMatchObject({
          ...{ key, code: shown.status === 'completed' ? 0 : shown.status === 'failed' ? 1 : 3 },
          ...expected,
        })
      }),
    )
  },
)
