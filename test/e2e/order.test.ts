/** Dependencies and groups when tasks are added. schedule.test.ts shows what they do when work starts. */
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

async function refused(bench: Bench, args: string[], why: string): Promise<void> {
  const before = await bench.events()
  expect(await bench.umpire(...args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(why),
  })
  expect(await bench.events()).toHaveLength(before.length)
}

test('--after and --group are stored, shown, changed and removed', async () => {
  const bench = openBench()
  await bench.add('First')
  await bench.add('Second', '--group', '1')
  await bench.add('Third', '--after', '1, #2', '--group', '2')
  expect(await bench.show(3)).toMatchObject({ dependsOn: [1, 2], group: 2 })
  for (const command of ['list', 'status'])
    expect((await bench.umpire(command)).stdout).toBe(
      [
        '· 1. implement First  pending',
        '· 2. implement Second  pending  group 1',
        '· 3. implement Third  pending  after 1, 2, group 2\n',
      ].join('\n'),
    )
  expect((await bench.umpire('show', '3')).stdout).toContain('\nAfter 1, 2, group 2\n')

  expect((await bench.umpire('edit', '3', '--after', '1')).stdout).toContain('after 1, group 2')
  // A repeated --after adds to the earlier one.
  const again = await bench.umpire('edit', '3', '--after', '2', '--after', '1')
  expect(again.stdout).toMatch(/after (1, 2|2, 1), group 2/)
  expect(await bench.umpire('edit', '3', '--after', '1', '--after', 'none')).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('Give either none or values') },
  })
  await bench.add('Fourth', '--after', '1', '--after', '2,3')
  expect((await bench.umpire('status')).stdout).toContain('4. implement Fourth  pending  after 1, 2, 3')
  await bench.umpire('delete', '4')
  expect((await bench.umpire('edit', '3', '--after', 'none', '--group', 'none')).stdout).toBe(
    '· 3. implement Third  pending\n',
  )
  expect(await bench.show(3)).toMatchObject({ dependsOn: [], group: null })
})

test('refuses a dependency that could never be met, and writes nothing', async () => {
  const bench = openBench()
  await bench.add('First')
  await bench.add('Second', '--after', '1')
  await bench.add('Third', '--after', '2')
  await bench.add('Review of the third', '-t', 'review', '--of', '3')
  await bench.add('Of the second group', '--group', '2')

  await refused(bench, ['edit', '1', '--after', '3'], 'Tasks would wait for each other: 1 → 3 → 2 → 1.')
  await refused(bench, ['edit', '2', '--after', '1,4'], 'Tasks would wait for each other: 2 → 4 → 3 → 2.')
  await refused(
    bench,
    ['add', 'Too early', '--group', '1', '--after', '5'],
    'the new one → 5 → the new one; 5 is in group 2 and starts only after the new one of group 1.',
  )
  await refused(bench, ['delete', '2'], 'Task 3 depends on task 2.\nFirst: umpire edit 3 --after none')
  expect((await bench.umpire('edit', '3', '--after', 'none')).code).toBe(0)
  expect((await bench.umpire('delete', '2')).code).toBe(0)
  await refused(bench, ['edit', '3', '--after', '2'], 'There is no task 2 to depend on.')
})

test('fixes what a task builds on when it starts, and reports a later deadlock until it is broken', async () => {
  const bench = openBench({ config: { land: 'base' } })
  await bench.add('First', '--group', '2', '--no-review')
  expect((await bench.umpire('work')).code).toBe(0)
  // The first task is done, so it waits for nothing until a person reopens it.
  await bench.add('Second', '--group', '1', '--after', '1')
  await bench.add('Review of the second', '-t', 'review', '--of', '2')
  await refused(bench, ['delete', '2'], 'Task 3 reviews or improves task 2.\nFirst: umpire delete 3')
  await bench.umpire('delete', '3')
  await bench.umpire('edit', '1', '--verdict', 'CHANGES_REQUESTED')
  await bench.add('Fourth')
  const begun = "Task 1 has started, so it can't build on the work of 4 any more."
  await refused(bench, ['edit', '1', '--after', '4'], begun)

  expect((await bench.umpire('retry', '1')).stdout).toContain('! 1. implement First  blocked  dependency')
  const deadlock = 'Tasks wait for each other: 1 → 2 → 1; 1 is in group 2 and comes after 2 of group 1.'
  const recovery = ['umpire edit 1 --group none', 'umpire edit 2 --after none']
  for (const id of [1, 2])
    expect(await bench.show(id)).toMatchObject({
      status: 'blocked',
      reason: 'dependency',
      detail: deadlock,
      recovery,
    })
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(4)).toMatchObject({ status: 'completed' })
  expect((await bench.umpire('status')).stdout).toContain('umpire edit 2 --after none')
  expect((await bench.umpire('edit', '2', '--after', 'none')).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(0)
  for (const id of [1, 2]) expect(await bench.show(id)).toMatchObject({ status: 'completed' })
})
