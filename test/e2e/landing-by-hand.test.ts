/** `umpire merge`: what a person can merge, in which order, and what Umpire refuses before it touches anything. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutState } from '../support/checkout-state.ts'
import { type Bench, openBench } from '../support/umpire.ts'

const subjects = ({ git }: Bench) => git('log', '--format=%s', '--reverse', 'main').split('\n')

test('merge merges several tasks in the given order, names those already merged, and prints events with --json', async () => {
  const bench = openBench()
  for (const title of ['one', 'two', 'three']) await bench.add(title)
  await bench.umpire('work')
  const merge = await bench.umpire('merge', '3', '1', '--why', 'They are good', '--json')
  expect(merge).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('log', '--first-parent', '--reverse', '--format=%s', 'main').split('\n')).toEqual([
    ...['First commit', 'three', 'Merge umpire/1-one: one'],
  ])
  const events = merge.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.filter(({ type }) => type === 'loop.landed').map(({ task }) => task)).toEqual([3, 1])
  expect(Object.keys(events[0])).toEqual(['seq', 'at', 'type', 'task', 'loop', 'cycle', 'message', 'data'])
  const decided = (await bench.events()).filter(({ type }) => type === 'person.decided')
  expect(decided.map(({ data }) => [data.move, data.why])).toEqual([
    ['merge', 'They are good'],
    ['merge', 'They are good'],
  ])

  const main = bench.git('rev-parse', 'main')
  const again = await bench.umpire('merge', '1', '3')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toBe('Task 1 is already in main.\nTask 3 is already in main.\n')
  expect(bench.git('rev-parse', 'main')).toBe(main)
  // An already merged task does not stop the others, and a task named twice is merged once.
  expect(await bench.umpire('merge', '1', '2', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(subjects(bench).filter((subject) => subject.startsWith('Merge umpire/2'))).toHaveLength(1)
  const all = await bench.events()
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
})

test('merges nothing when one of the named tasks can’t be merged', async () => {
  const bench = openBench({
    scenario: { reviewer: [{ task: 'bad', do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] }] },
  })
  for (const title of ['good', 'bad']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  await bench.add('not begun')
  const main = bench.git('rev-parse', 'main')
  const seq = (await bench.events()).length
  const refusals: [string[], string][] = [
    [
      ['1', '2'],
      'Task 2 is blocked, not approved.\numpire review 2 asks for a review; umpire edit 2 --verdict APPROVED approves it yourself.',
    ],
    [['1', '3'], 'Task 3 has no work yet.\numpire work 3 starts it.'],
    [['1', '9'], 'There is no task 9.\numpire list shows the tasks.'],
  ]
  for (const [ids, words] of refusals) {
    expect(await bench.umpire('merge', ...ids)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `umpire: ${words}\n`,
    })
  }
  expect((await bench.umpire('merge')).code).toBe(2)
  expect((await bench.umpire('merge', 'one')).code).toBe(2)
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect(await bench.events()).toHaveLength(seq)

  // Once a person approves it, it merges like any other task.
  expect((await bench.umpire('edit', '2', '--verdict', 'APPROVED')).code).toBe(0)
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(existsSync(join(bench.root, 'work-2.txt'))).toBe(true)
})

test('unreviewed work stays on its branch; umpire merge merges it and says that it was never reviewed', async () => {
  const bench = openBench({ config: { land: 'base' } })
  const main = bench.git('rev-parse', 'main')
  await bench.add('Trust me', '--no-review')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: null, landed: null })
  const merge = await bench.umpire('merge', '1')
  expect(merge).toMatchObject({ code: 0, stderr: '' })
  expect(merge.stdout).toMatch(/^Task 1 was never reviewed\. It is merged because you asked for it\.\n/)
  expect(bench.git('rev-parse', 'main')).toBe(bench.git('rev-parse', 'umpire/1-trust-me'))
  expect(await bench.show(1)).toMatchObject({
    status: 'completed',
    verdict: null,
    landed: bench.git('rev-parse', 'main'),
  })
})

test('notices work that a person merged with git', async () => {
  const bench = openBench()
  await bench.add('Land it')
  await bench.umpire('work')
  bench.commit('Meanwhile', { 'theirs.txt': 'theirs\n' })
  bench.git('merge', '-q', '--no-edit', 'umpire/1-land-it')
  const merged = bench.git('rev-parse', 'main')
  const before = checkoutState(bench)
  expect(await bench.umpire('merge', '1')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('rev-parse', 'main')).toBe(merged)
  expect(checkoutState(bench)).toEqual(before)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', landed: merged })
})

test('refuses a review, an improvement or another verdict once a task is merged', async () => {
  const bench = openBench({ config: { land: 'base' } })
  await bench.add('Land it')
  await bench.umpire('work')
  const [main, seq] = [bench.git('rev-parse', 'main'), (await bench.events()).length]
  const moves = [
    ['review', '1'],
    ['improve', '1', '--note', 'More'],
    ['edit', '1', '--verdict', 'REJECTED'],
    ['edit', '1', '--title', 'Other'],
  ]
  for (const move of moves) {
    const refused = await bench.umpire(...move)
    expect([move, refused.code, refused.stderr]).toEqual([
      move,
      2,
      'umpire: Task 1 is merged into main.\nAdd a new task with umpire add.\n',
    ])
  }
  for (const move of ['retry', 'cancel']) expect((await bench.umpire(move, '1')).code).toBe(2)
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect(await bench.events()).toHaveLength(seq)
})

test('an agent can neither merge nor clean', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          task: 'meddle',
          do: [{ run: ['umpire', 'merge', '1'] }, { run: ['umpire', 'clean'] }, { write: { x: '' } }],
        },
      ],
    },
  })
  await bench.add('good')
  await bench.umpire('work')
  const main = bench.git('rev-parse', 'main')
  await bench.add('meddle')
  await bench.umpire('work')
  const runs = bench.played().filter(({ argv }) => argv)
  expect(runs.map(({ code }) => code)).toEqual([2, 2])
  expect(runs[0]?.stderr).toContain('Only a person may run "umpire merge".')
  expect(runs[1]?.stderr).toContain('Only a person may run "umpire clean".')
  expect(bench.git('rev-parse', 'main')).toBe(main)
})
