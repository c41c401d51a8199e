/** Filing, changing, listing and deleting tasks; every flag of a task takes effect in a real loop. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench, type Shown } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const cast = {
  roles: { developer: 'actor', reviewer: 'actor' },
  agents: { other: { command: ['node', witness] }, judge: { command: ['node', witness] } },
}

/** Every flag that `add` and `edit` share, with values that nothing else in these tests uses. */
function allFlags(folder: string): string[] {
  writeFileSync(join(folder, 'plan.md'), 'PLAN: first this, then that\n')
  return [
    ...[
      '--plan',
      join(folder, 'plan.md'),
      '--accept',
      'ACCEPT-1',
      '--accept',
      'ACCEPT-2',
      '--scope',
      'SCOPE',
    ],
    ...['--gate', 'test -f work-1.txt && echo GATE-ONE', '--gate', 'true # two', '--auto-review'],
    ...['--effort', 'max', '--max-cycles', '2', '--type', 'implement'],
    ...['--agent', 'other', '--model', 'dev-model', '--reviewer', 'judge', '--review-model', 'rev-model'],
  ]
}

/** Checks the effect of those flags on a task after its loop. */
function expectAllFlags(bench: ReturnType<typeof openBench>, shown: Shown, description: string): void {
  expect(shown).toMatchObject({
    ...{ status: 'completed', verdict: 'APPROVED', type: 'implement', maxCycles: 2, description },
    ...{ accept: ['ACCEPT-1', 'ACCEPT-2'], scope: 'SCOPE', plan: join(bench.folder, 'plan.md') },
    backpressure: ['test -f work-1.txt && echo GATE-ONE', 'true # two'],
    sessions: [
      { role: 'developer', agent: 'other', model: 'dev-model' },
      { role: 'reviewer', agent: 'judge', model: 'rev-model' },
    ],
    gates: [
      { name: 'backpressure', passed: true },
      { name: 'backpressure-2', command: 'true # two', passed: true },
    ],
  })
  const given = givenTo(bench, shown.id)
  expect(given.map(({ env }) => [env.UMPIRE_ROLE, env.UMPIRE_MODEL])).toEqual([
    ['developer', 'dev-model'],
    ['reviewer', 'rev-model'],
  ])
  for (const { stdin } of given) {
    for (const words of [shown.title, description, 'PLAN: first this', '- ACCEPT-1\n- ACCEPT-2', 'SCOPE']) {
      expect(stdin).toContain(words)
    }
  }
  expect(given[0]?.stdin).toContain('- backpressure: "test -f work-1.txt')
  expect(given[1]?.stdin).toContain('GATE-ONE')
  // Only the highest effort asks for this.
  expect(given[1]?.stdin).toContain('Cost at ten times and at a thousand times')
}

test('every flag of add reaches the loop', async () => {
  const bench = openBench({ config: { ...cast, review: { enabled: false } } })
  const filed = await bench.umpire('add', 'All of it', '-d', 'STORY', ...allFlags(bench.folder))
  expect(filed).toMatchObject({ code: 0, stdout: '#1\n', stderr: '' })
  expect((await bench.umpire('work')).code).toBe(0)
  expectAllFlags(bench, await bench.show(1), 'STORY')
})

test('every flag of edit reaches the loop', async () => {
  const bench = openBench({ config: { ...cast, review: { enabled: false } } })
  await bench.add('Nothing of it', '--description', 'before', '--no-review')
  const title = await bench.umpire('edit', '1', '--title', '  All of it ')
  expect(title).toMatchObject({ code: 0, stdout: '· 1. implement All of it  pending\n' })
  expect((await bench.umpire('edit', '#1', '--description', 'between')).code).toBe(0)
  expect((await bench.show(1)).description).toBe('between')
  expect((await bench.umpire('edit', '1', '-d', 'STORY', ...allFlags(bench.folder))).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown.title).toBe('All of it')
  expectAllFlags(bench, shown, 'STORY')

  const done = await bench.umpire('edit', '1', '--title', 'Too late')
  expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('Task 1 is completed.\n') })
})

test('a description comes from a file or from standard input, in add and in edit', async () => {
  const bench = openBench()
  bench.write({ 'story.md': 'From a file.\n' })
  await bench.add('From a file', '--file', 'story.md')
  const piped = await bench.call(['add', 'From a pipe', '--file', '-'], { stdin: 'From a pipe.\n' })
  expect(piped).toMatchObject({ code: 0, stdout: '#2\n' })
  // The contract's short form: a lone dash after the title.
  const dash = await bench.call(['add', 'From a dash', '-'], { stdin: 'From a dash.\n' })
  expect(dash).toMatchObject({ code: 0, stdout: '#3\n', stderr: '' })
  expect((await bench.show(1)).description).toBe('From a file.\n')
  expect((await bench.show(2)).description).toBe('From a pipe.\n')
  expect((await bench.show(3)).description).toBe('From a dash.\n')
  expect((await bench.call(['edit', '1', '--file', '-'], { stdin: 'Edited.' })).code).toBe(0)
  expect((await bench.umpire('edit', '2', '--file', 'story.md')).code).toBe(0)
  expect((await bench.show(1)).description).toBe('Edited.')
  expect((await bench.show(2)).description).toBe('From a file.\n')

  const both = await bench.umpire('add', 'Both', '-d', 'one', '--file', 'story.md')
  expect(both).toMatchObject({ code: 2, stdout: '' })
  expect(both.stderr).toContain('Give only one of them.')
  const absent = await bench.umpire('add', 'Absent', '--file', 'nowhere.md')
  expect(absent).toMatchObject({ code: 2, stdout: '' })
  expect(absent.stderr).toContain('nowhere.md')
})

test('--no-review completes a task without a verdict, and edit can reverse the choice', async () => {
  const bench = openBench()
  await bench.add('Not reviewed', '--no-review')
  await bench.add('Reviewed after all', '--no-review')
  await bench.add('Not after all', '-a')
  expect((await bench.umpire('edit', '2', '-a')).code).toBe(0)
  expect((await bench.umpire('edit', '3', '--no-review')).code).toBe(0)
  const work = await bench.umpire('work')
  expect(work.code).toBe(0)
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: object[] }>()
  expect(tasks).toMatchObject([
    { status: 'completed', verdict: null, cycle: 0, reviewStatus: 'pending', lastReviewId: null },
    { status: 'completed', verdict: 'APPROVED', cycle: 1, reviewStatus: 'passed' },
    { status: 'completed', verdict: null, cycle: 0 },
  ])
  expect(
    bench
      .played()
      .map(({ role, task }) => `${role} ${task}`)
      .sort(),
  ).toEqual(['developer 1', 'developer 2', 'developer 3', 'reviewer 2'])
})

test('list shows unfinished tasks, and all tasks with --all', async () => {
  const bench = openBench()
  await bench.add('One')
  await bench.add('Two')
  await bench.add('Three')
  await bench.umpire('cancel', '2')
  await bench.umpire('edit', '3', '--verdict', 'APPROVED')
  expect((await bench.umpire('list')).stdout).toBe('· 1. implement One  pending\n')
  expect((await bench.umpire('list', '--all')).stdout).toBe(
    '· 1. implement One  pending\n- 2. implement Two  cancelled\n✓ 3. implement Three  completed  APPROVED (0 cycles)\n',
  )
  const json = async (...flags: string[]) =>
    (await bench.umpire('list', '--json', ...flags)).json<{ tasks: { id: number }[] }>().tasks
  expect(await json()).toMatchObject([{ id: 1, title: 'One', status: 'pending' }])
  expect((await json('--all')).map(({ id }) => id)).toEqual([1, 2, 3])
})

test('a deleted task is gone, its branch stays, and its number is never reused', async () => {
  const bench = openBench()
  await bench.add('Keep the branch')
  await bench.add('Never worked on')
  expect((await bench.umpire('work', '1')).code).toBe(0)
  const gone = await bench.umpire('delete', '1')
  expect(gone).toMatchObject({
    code: 0,
    stdout: 'Deleted task 1. Its branch umpire/1-keep-the-branch is still there.\n',
  })
  expect(await bench.umpire('delete', '2')).toMatchObject({ code: 0, stdout: 'Deleted task 2.\n' })
  expect(bench.git('show', 'umpire/1-keep-the-branch:work-1.txt')).toBe('iteration 1')
  expect((await bench.umpire('status', '--all', '--json')).json()).toEqual({ tasks: [] })
  expect((await bench.umpire('list', '--all', '--json')).json()).toEqual({ tasks: [] })
  for (const command of ['show', 'log', 'diff', 'reviews', 'delete', 'retry', 'cancel', 'work']) {
    const unknown = await bench.umpire(command, '1')
    expect([command, unknown.code, unknown.stdout]).toEqual([command, 2, ''])
    expect(unknown.stderr).toBe('umpire: There is no task 1.\numpire list shows the tasks.\n')
  }
  expect(await bench.umpire('work')).toMatchObject({ code: 0 })
  expect(await bench.add('The next one')).toBe(3)
})

test('the first command that writes creates .umpire and hides it from git without touching a tracked file', async () => {
  const bench = openBench()
  for (const command of [['status'], ['list'], ['events'], ['status', '--json'], ['events', '--json']]) {
    expect([command, (await bench.umpire(...command)).code]).toEqual([command, 0])
  }
  const unknown = await bench.umpire('show', '1')
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no task 1.') })
  expect(existsSync(bench.home)).toBe(false)
  await bench.add('First')
  expect(existsSync(join(bench.home, 'umpire.db'))).toBe(true)
  expect(bench.git('status', '--porcelain', '--ignored')).toBe('!! .umpire/')
  expect(readFileSync(join(bench.root, '.git/info/exclude'), 'utf8').match(/umpire/g)).toHaveLength(1)
})
