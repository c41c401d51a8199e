/** Dependencies and groups at work: when a task starts, from which tree, what holds it up, and what frees it. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { begun, gated, go, statuses } from '../support/gated.ts'
import { type Act, openBench, type Part } from '../support/umpire.ts'

const checker = resolve(import.meta.dirname, '../../checker/check.mjs')

const rejects: Act = {
  submit: { verdict: 'REJECTED', summary: 'Not like this.', issues: ['It is the wrong thing.'] },
}

test('a task starts when all of its dependencies are completed, from a tree that has all of their work', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        gated(1),
        gated(2),
        {
          task: 3,
          do: [{ run: ['git', 'ls-files'] }, { write: { 'work-3.txt': 'on top\n' } }],
        },
      ],
    },
  })
  await bench.add('Boil the water')
  await bench.add('Warm the pot')
  await bench.add('Make tea', '--after', '1,2')
  await bench.add('Lay the table')
  const work = bench.start('work', '--parallel', '4')
  await begun(bench, 1, 2)
  go(bench, 1)
  await expect.poll(() => statuses(bench), { timeout: 20_000 }).toContain('1 completed')
  await expect.poll(() => statuses(bench), { timeout: 20_000 }).toContain('4 completed')
  expect(await statuses(bench)).toContain('3 pending')
  go(bench, 2)
  expect((await work.ended).code).toBe(0)
  expect(await statuses(bench)).toEqual(['1 completed', '2 completed', '3 completed', '4 completed'])

  const [listed] = bench.played().filter(({ task, argv }) => task === 3 && argv?.[0] === 'git')
  expect(listed?.stdout?.split('\n')).toEqual(expect.arrayContaining(['work-1.txt', 'work-2.txt']))
  // Neither the reviewer nor the person sees the work that task 3 builds on as its own.
  const { sessions } = await bench.show(3)
  const prompts = (role: string) => sessions.filter((each) => each.role === role).map(({ prompt }) => prompt)
  expect(prompts('developer')[0]).toMatch(
    /## What it builds on\n\n.*\n\n```\n- Task 1: Boil the water\n- Task 2: Warm the pot\n```/,
  )
  expect(prompts('reviewer')[0]).toContain('+++ b/work-3.txt')
  expect(prompts('reviewer')[0]).not.toContain('work-1.txt')
  const { stdout: diff } = await bench.umpire('diff', '3')
  expect(diff).toContain('work-3.txt')
  expect(diff).not.toContain('work-2.txt')
}, 60_000)

test('a later group starts when the earlier one is complete, from that group’s work', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        gated(1),
        gated(2),
        { task: 3, do: [{ run: ['git', 'ls-files'] }, { write: { 'three.txt': '3\n' } }] },
      ],
    },
  })
  await bench.add('First', '--group', '1')
  await bench.add('Second', '--group', '1')
  await bench.add('Third')
  await bench.add('Beside')
  await bench.umpire('edit', '3', '--group', '5')
  expect((await bench.umpire('work', '--dry-run')).stdout).toMatch(
    /1\. .*group 1\n.*\n.* 2\. .*\n.*\n.* 4\. .*\n.*\n.* 3\. .*group 5\n.*\n {4}waits for 1 and 2\n$/,
  )
  const planned = (await bench.umpire('work', '--dry-run', '--json')).json<{
    order: { id: number; title: string; group: number | null; after: number[] }[]
    waits: unknown[]
  }>()
  expect(planned.order.map(({ id }) => id)).toEqual([1, 2, 4, 3])
  expect(planned.order[3]).toMatchObject({ id: 3, title: 'Third', group: 5, after: [] })
  expect(planned.waits).toEqual([{ id: 3, for: [1, 2], why: 'waits for 1 and 2' }])
  const work = bench.start('work', '--parallel', '3')
  await begun(bench, 1, 2)
  await expect.poll(() => statuses(bench), { timeout: 20_000 }).toContain('4 completed')
  go(bench, 2)
  await expect.poll(() => statuses(bench), { timeout: 20_000 }).toContain('2 completed')
  expect(await statuses(bench)).toContain('3 pending')
  go(bench, 1)
  expect((await work.ended).code).toBe(0)
  const [listed] = bench.played().filter(({ task, argv }) => task === 3 && argv?.[0] === 'git')
  expect(listed?.stdout?.split('\n')).toEqual(expect.arrayContaining(['work-1.txt', 'work-2.txt']))
  expect(bench.git('show', '--name-only', '--format=', 'umpire/run-1/group-5')).toContain('three.txt')
  expect(bench.git('ls-tree', '--name-only', 'umpire/run-1/group-1')).toContain('work-2.txt')
  expect((await bench.umpire('diff', '3')).stdout).not.toContain('work-1.txt')
}, 60_000)

test('a task that needs a person holds up its dependents and later groups until the verdict frees them', async () => {
  const bench = openBench({ scenario: { reviewer: [{ task: 1, do: [rejects] }] } })
  await bench.add('First', '--group', '1')
  await bench.add('Depends', '--after', '1')
  await bench.add('Depends on that', '--after', '2')
  await bench.add('Next group', '--group', '2')
  await bench.add('Free')
  const work = await bench.umpire('work', '--parallel', '2')
  expect(work.code).toBe(3)
  expect(work.stdout).toContain('#2 Blocked (dependency): Task 1 is blocked: rejected.\n')
  const held = ['2 blocked dependency', '3 blocked dependency', '4 blocked dependency']
  expect(await statuses(bench)).toEqual(['1 blocked rejected', ...held, '5 completed'])
  expect(await bench.show(3)).toMatchObject({
    ...{ detail: 'Task 1 is blocked: rejected.', recovery: ['umpire show 1', 'umpire retry 1'], heldBy: [1] },
    ...{ sessions: [], branch: null },
  })

  // Neither retry nor work starts it, and asking again changes nothing.
  const before = (await bench.events()).length
  expect(await bench.umpire('retry', '3')).toMatchObject({
    code: 2,
    stderr:
      "umpire: Task 3 can't start. Task 1 is blocked: rejected.\nFirst: umpire show 1, or umpire retry 1.\n",
  })
  expect(await bench.umpire('work', '3')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("can't start"),
  })
  expect(await bench.events()).toHaveLength(before)
  expect(await bench.umpire('work')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing to do.'),
  })

  expect((await bench.umpire('edit', '1', '--verdict', 'APPROVED')).code).toBe(0)
  expect(await statuses(bench)).toEqual([
    ...['1 completed', '2 pending', '3 pending', '4 pending', '5 completed'],
  ])
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await statuses(bench)).toEqual([1, 2, 3, 4, 5].map((id) => `${id} completed`))
  const freed = (await bench.events()).filter(({ type }) => type === 'loop.freed')
  expect(freed.map(({ task, message }) => `${task} ${message}`)).toEqual(
    [2, 3, 4].map((id) => `${id} Continues: no longer held by task 1`),
  )
  // The independent checker finds nothing wrong either.
  await promisify(execFile)(process.execPath, [checker, bench.root])
}, 60_000)

test('a failed task holds up others until it is retried, and a cancelled one until a person decides', async () => {
  const bench = openBench({ scenario: { developer: [{ task: 1, session: 1, do: [{ exit: 1 }] }] } })
  await bench.add('First')
  await bench.add('Second', '--after', '1')
  expect((await bench.umpire('work')).code).toBe(1)
  expect(await statuses(bench)).toEqual(['1 failed crash', '2 blocked dependency'])
  await bench.umpire('retry', '1')
  expect(await statuses(bench)).toEqual(['1 pending', '2 pending'])
  await bench.umpire('cancel', '1')
  expect(await bench.show(2)).toMatchObject({
    ...{ status: 'blocked', detail: 'Task 1 is cancelled.' },
    recovery: ['umpire retry 1', 'umpire edit 2 --after none'],
  })
  // A task that is added after a held one is held at once.
  await bench.add('Third', '--after', '2')
  expect(await statuses(bench)).toEqual(['1 cancelled', '2 blocked dependency', '3 blocked dependency'])
  await bench.umpire('edit', '2', '--after', 'none')
  expect(await statuses(bench)).toEqual(['1 cancelled', '2 pending', '3 pending'])
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await statuses(bench)).toEqual(['1 cancelled', '2 completed', '3 completed'])
}, 60_000)

test('work says at once when a task given by number waits for others', async () => {
  const bench = openBench()
  await bench.add('First')
  await bench.add('Second', '--after', '1')
  await bench.add('Third', '--after', '2')
  await bench.add('Fourth')
  const work = await bench.umpire('work', '3', '4')
  expect(work).toMatchObject({
    code: 3,
    stderr:
      'umpire: Task 3 waits for task 2, which is not part of this run. To run all of them: umpire work 1 2 3 4\n',
  })
  expect(await statuses(bench)).toEqual(['1 pending', '2 pending', '3 pending', '4 completed'])
  expect(await bench.umpire('work', '1', '2', '3', '4')).toMatchObject({ code: 0, stderr: '' })
  expect(await statuses(bench)).toEqual([1, 2, 3, 4].map((id) => `${id} completed`))
}, 60_000)

test('when the dependencies of a task conflict, a resolver runs first, and the task still lands in its group', async () => {
  const writes = (task: number, text: string): Part => ({ task, do: [{ write: { 'tea.txt': text } }] })
  const bench = openBench({
    scenario: {
      developer: [
        writes(1, 'green\n'),
        writes(2, 'black\n'),
        { task: 3, do: [{ run: ['cat', 'tea.txt'] }, { write: { 'three.txt': '3\n' } }] },
      ],
      resolver: [{ task: 3, do: [{ write: { 'tea.txt': 'green and black\n' } }] }],
    },
  })
  await bench.add('Green tea')
  await bench.add('Black tea')
  await bench.add('Serve both', '--after', '1,2', '--group', '1')
  await bench.add('Beside it', '--group', '1')
  expect((await bench.umpire('work', '--parallel', '1')).code).toBe(0)
  const { sessions } = await bench.show(3)
  expect(sessions.map(({ role }) => role)).toEqual(['resolver', 'developer', 'reviewer'])
  const [read] = bench.played().filter(({ task, argv }) => task === 3 && argv?.[0] === 'cat')
  expect(read?.stdout).toBe('green and black\n')
  // The fourth task landed on the group's branch first, when that branch had nothing of what the third builds on.
  expect(bench.git('show', 'umpire/run-1/group-1:tea.txt')).toContain('green and black')
  expect(bench.git('ls-tree', '--name-only', 'umpire/run-1/group-1')).toContain('work-4.txt')
}, 60_000)
