/** `task_types`: settings that apply to one type of task only. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, openBench, type Part, type Scenario } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const never: Part[] = [{ do: [{ say: 'FEEDBACK: never enough' }] }]
const hang: Act[] = [{ await: 'never' }]

test('task_types.improve sets cycles, effort, models and whether there is a review', async () => {
  const bench = openBench({
    config: {
      roles: { developer: 'witness', reviewer: 'witness' },
      agents: { witness: { command: ['node', witness] } },
      max_cycles: 1,
      task_types: {
        improve: { max_cycles: 2, effort: 'max', model: 'dev-model', review_model: 'rev-model' },
      },
    },
    scenario: { reviewer: never },
  })
  await bench.add('Of this type', '-t', 'improve')
  await bench.add('Of another')
  // One after the other: at this effort a task also starts reviews of the tasks that run in parallel.
  expect((await bench.umpire('work', '--parallel', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ type: 'improve', cycle: 2, verdict: 'MAX_CYCLES_REACHED' })
  expect(await bench.show(2)).toMatchObject({ type: 'implement', cycle: 1, verdict: 'MAX_CYCLES_REACHED' })
  const models = (task: number) => givenTo(bench, task).map(({ env }) => env.UMPIRE_MODEL)
  expect(models(1)).toEqual(['dev-model', 'rev-model', 'dev-model', 'rev-model'])
  expect(models(2)).toEqual([undefined, undefined])
  expect(givenTo(bench, 1)[1]?.stdin).toContain('Security:')
  expect(givenTo(bench, 2)[1]?.stdin).not.toContain('Security:')

  const off = openBench({ config: { task_types: { improve: { auto_review: false } } } })
  await off.add('Unreviewed', '-t', 'improve')
  await off.add('Reviewed')
  expect((await off.umpire('work')).code).toBe(0)
  expect(await off.show(1)).toMatchObject({ status: 'completed', verdict: null })
  expect(await off.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
})

const improving: [key: string, value: string | number, scenario: Scenario, expected: object][] = [
  ['develop', '1s', { developer: [{ do: hang }] }, { status: 'blocked', reason: 'timeout', iteration: 1 }],
  [
    'improve',
    '1s',
    { developer: [{ iteration: 2, do: hang }], reviewer: never },
    { status: 'blocked', reason: 'timeout', iteration: 2 },
  ],
  ['review', '1s', { reviewer: [{ do: hang }] }, { status: 'failed', reason: 'timeout' }],
  ['idle', '1s', { developer: [{ do: hang }] }, { status: 'failed', reason: 'idle' }],
  ['gate', '1s', {}, { status: 'blocked', reason: 'gate', gates: [{ timedOut: true }] }],
  ['agent_retries', 1, { developer: [{ session: 1, do: [{ exit: 1 }] }] }, { status: 'completed' }],
]

test('task_types.improve.limits apply to improvements', async () => {
  await Promise.all(
    improving.map(async ([key, value, scenario, expected]) => {
      const gates = key === 'gate' ? { gates: { test: 'sleep 1000' }, max_gate_failures: 1 } : {}
      const config = { task_types: { improve: { limits: { [key]: value } } }, ...gates }
      const bench = openBench({ config, scenario })
      await bench.add(`Limited by ${key}`, '-t', 'improve')
      await bench.umpire('work')
      expect({ key, ...(await bench.show(1)) }).toMatchObject({ key, ...expected })
    }),
  )
})

test('task_types.review sets the effort and the model of review tasks', async () => {
  const bench = openBench({
    config: {
      roles: { developer: 'actor', reviewer: 'witness' },
      agents: { witness: { command: ['node', witness] } },
      task_types: { review: { effort: 'max', review_model: 'careful' } },
      gates: { test: 'true' },
    },
    scenario: { reviewer: [{ do: [{ say: 'APPROVED' }] }] },
  })
  await bench.add('The work')
  await bench.umpire('work')
  await bench.add('Look again', '-t', 'review', '--of', '1')
  await bench.umpire('work')
  const [first] = givenTo(bench, 1)
  const [second] = givenTo(bench, 2)
  expect([first?.env.UMPIRE_MODEL, second?.env.UMPIRE_MODEL]).toEqual([undefined, 'careful'])
  expect([first, second].map((given) => given?.stdin.includes('Security:'))).toEqual([false, true])
})

const reviewing: [key: string, value: string | number, reviewer: Part[], expected: object][] = [
  ['review', '1s', [{ task: 2, do: hang }], { status: 'failed', reason: 'timeout' }],
  ['idle', '1s', [{ task: 2, do: hang }], { status: 'failed', reason: 'idle' }],
  ['gate', '1s', [], { status: 'blocked', reason: 'gate', gates: [{ timedOut: true }] }],
  ['agent_retries', 1, [{ task: 2, session: 1, do: [{ exit: 1 }] }], { status: 'completed' }],
]

test('task_types.review.limits apply to review tasks', async () => {
  await Promise.all(
    reviewing.map(async ([key, value, reviewer, expected]) => {
      const gates = { test: key === 'gate' ? 'test ! -f "$BENCH/slow" || sleep 1000' : 'true' }
      const config = { task_types: { review: { limits: { [key]: value } } }, gates }
      const bench = openBench({ config, scenario: { reviewer } })
      await bench.add('The work')
      expect((await bench.umpire('work')).code).toBe(0)
      writeFileSync(join(bench.folder, 'slow'), '')
      await bench.add(`Limited by ${key}`, '-t', 'review', '--of', '1')
      await bench.umpire('work')
      expect({ key, ...(await bench.show(2)) }).toMatchObject({ key, type: 'review', ...expected })
    }),
  )
})
