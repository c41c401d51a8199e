/** A person's moves: overriding a verdict, retrying a stopped task, cancelling a running one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, fileAppears, openBench } from '../support/umpire.ts'

const byHand: [string, object][] = [
  ['APPROVED', { status: 'completed', verdict: 'APPROVED', reason: null, recovery: [] }],
  ['CHANGES_REQUESTED', { status: 'blocked', verdict: 'CHANGES_REQUESTED', reason: 'changes_requested' }],
  ['NEEDS_DISCUSSION', { status: 'blocked', verdict: 'NEEDS_DISCUSSION', reason: 'needs_discussion' }],
  ['REJECTED', { status: 'blocked', verdict: 'REJECTED', reason: 'rejected' }],
]

const decisions = async (bench: Bench, task: number) =>
  (await bench.events()).filter((event) => event.type === 'person.decided' && event.task === task)

test('edit --verdict sets any verdict without a review, and records the person and the reason', async () => {
  const bench = openBench({ scenario: { reviewer: [{ do: [{ submit: { verdict: 'REJECTED' } }] }] } })
  for (const [index, [verdict, after]] of byHand.entries()) {
    const id = await bench.add(`Set to ${verdict}`)
    const edit = ['edit', String(id), '--verdict', verdict, '--why', `WHY-${index}`]
    const set = await bench.call(edit, { env: { USER: 'ada' } })
    expect(set.code).toBe(0)
    expect(set.stdout).toContain(`${verdict} (0 cycles)\n`)
    expect(await bench.show(id)).toMatchObject({ ...after, cycle: 0, reviews: [] })
    expect(await decisions(bench, id)).toMatchObject([
      { data: { move: 'verdict', by: 'ada', why: `WHY-${index}`, verdict } },
    ])
  }
  // It also overrides a review's verdict, here together with another edit of the task.
  const id = await bench.add('Rejected')
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await bench.show(id)).verdict).toBe('REJECTED')
  const over = ['edit', String(id), '--title', 'Accepted', '--verdict', 'APPROVED']
  expect((await bench.umpire(...over)).stdout).toBe(
    '✓ 5. implement Accepted  completed  APPROVED (1 cycle)\n',
  )
  const shown = await bench.show(id)
  expect(shown).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    reviews: [{ verdict: 'REJECTED' }],
  })
  expect(await decisions(bench, id)).toMatchObject([{ data: { why: null } }])
})

test('refuses to delete or judge a running task; cancel stops its agents and the worker continues', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          task: 'endless',
          do: [
            { write: { 'half.txt': '' } },
            { leave: 'setsid' },
            { ignore: ['SIGTERM'] },
            { touch: '$BENCH/runs' },
            { await: 'never' },
          ],
        },
      ],
    },
  })
  await bench.add('endless')
  await bench.add('after it')
  const work = bench.start('work', '--parallel', '1')
  await fileAppears(join(bench.folder, 'runs'))
  for (const move of [
    ['delete', '1'],
    ['edit', '1', '--verdict', 'APPROVED'],
    ['retry', '1'],
  ]) {
    const refused = await bench.umpire(...move)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/^umpire: Task 1 is (being worked on|already in_progress)\.\n.+\n$/)
  }
  const cancel = await bench.umpire('cancel', '1', '--why', 'no longer wanted')
  expect(cancel).toMatchObject({ code: 0, stdout: '- 1. implement endless  cancelled\n' })
  const left = [bench.played()[0]?.pid, Number(readFileSync(join(bench.folder, 'left-behind'), 'utf8'))]
  for (const pid of left) expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH')

  const { code, stdout } = await work.ended
  expect(code).toBe(0)
  expect(stdout).toContain('✓ 2. implement after it  completed  APPROVED (1 cycle)\n')
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: object[] }>()
  expect(tasks).toMatchObject([{ status: 'cancelled', verdict: null }, { status: 'completed' }])
  expect(await decisions(bench, 1)).toMatchObject([{ data: { move: 'cancel', why: 'no longer wanted' } }])
  const again = await bench.umpire('cancel', '1')
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('Task 1 is already cancelled.') })
  expect((await bench.umpire('work', '1')).stderr).toContain('Task 1 is cancelled.')
  expect(bench.git('branch', '--list', 'umpire/1-endless')).toContain('umpire/1-endless')

  // `retry` continues a cancelled task where it stopped; the agent's files are still there.
  bench.play({})
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.git('ls-tree', '--name-only', 'umpire/1-endless').split('\n')).toContain('half.txt')
})

test('a task that is cancelled before it starts never starts', async () => {
  const bench = openBench()
  await bench.add('Unwanted')
  await bench.umpire('cancel', '1')
  expect((await bench.umpire('work')).stdout).toContain('Nothing to do.')
  expect(bench.played()).toEqual([])
})

test('retry continues at the phase that failed, and keeps the earlier work', async () => {
  const bench = openBench({
    scenario: {
      developer: [{ task: 'crash', do: [{ exit: 1 }] }],
      reviewer: [
        { task: 'discuss', do: [{ submit: { verdict: 'NEEDS_DISCUSSION', summary: 'Which one?' } }] },
        { task: 'capped', cycle: 1, do: [{ say: 'FEEDBACK: more' }] },
        { task: 'unread', do: [{ say: 'Hm.' }] },
      ],
    },
    config: { review: { retries: 0 } },
  })
  const titles = ['crash', 'discuss', 'capped', 'unread']
  for (const title of titles) await bench.add(title, ...(title === 'capped' ? ['--max-cycles', '1'] : []))
  expect((await bench.umpire('work')).code).toBe(1)
  const states = async () => {
    const { tasks } = (await bench.umpire('status', '--json')).json<{
      tasks: { status: string; reason: string }[]
    }>()
    return tasks.map(({ status, reason }) => `${status} ${reason}`)
  }
  expect(await states()).toEqual([
    'failed crash',
    'blocked needs_discussion',
    'blocked max_cycles',
    'blocked malformed_review',
  ])
  const started = () => bench.played().filter(({ argv }) => !argv)
  const sessionsBefore = started().map(({ session }) => session)
  expect(sessionsBefore.toSorted()).toEqual(['1-1', '2-1', '2-2', '3-1', '3-2', '4-1', '4-2'])

  // The limit must be raised first, as the task's message says; otherwise the task is blocked again.
  expect((await bench.umpire('retry', '3')).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await states())[2]).toBe('blocked max_cycles')
  expect((await bench.umpire('edit', '3', '--max-cycles', '2')).code).toBe(0)
  bench.play({})
  for (const id of ['1', '2', '3', '4']) {
    const retry = await bench.umpire('retry', id, '--why', 'try again')
    expect(retry.code).toBe(0)
    expect(retry.stdout).toMatch(new RegExp(`^· ${id}\\. implement ${titles[Number(id) - 1]} {2}pending`))
  }
  expect((await decisions(bench, 1)).at(-1)?.data).toMatchObject({ move: 'retry', why: 'try again' })
  expect((await bench.umpire('retry', '1')).stderr).toContain('Task 1 is already pending.')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await states()).toEqual(['completed null', 'completed null', 'completed null', 'completed null'])
  const later = started().slice(sessionsBefore.length)
  expect(later.map(({ session, role }) => `${session} ${role}`).toSorted()).toEqual([
    ...['1-2 developer', '1-3 reviewer', '2-3 reviewer', '3-3 developer', '3-4 reviewer', '4-3 reviewer'],
  ])
  expect((await bench.umpire('retry', '1')).stderr).toContain('Task 1 is completed.')
  expect((await bench.umpire('cancel', '1')).stderr).toContain('Task 1 is already completed.')
})

test('retry after too many gate failures runs the gate again before it starts a developer', async () => {
  const bench = openBench({
    config: { gates: { test: 'test -f "$BENCH/mended"' }, max_gate_failures: 1 },
  })
  await bench.add('Waits for a person')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'gate', verdict: null, cycle: 0 })
  bench.write({ '../mended': '' })
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.played().map(({ role }) => role)).toEqual(['developer', 'reviewer'])
})
