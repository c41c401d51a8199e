/** Loops end: Umpire stops for a person when each review finds more, and no review waits for another task. */
import { expect, test } from 'vitest'
import { type Act, openBench, type Part } from '../support/umpire.ts'

const finds = (...numbers: number[]): Act => ({
  submit: {
    verdict: 'CHANGES_REQUESTED',
    summary: 'Not yet.',
    issues: numbers.map((number) => ({
      description: `Finding ${number}.`,
      file: 'work-1.txt',
      line: 1,
      type: 'bug',
    })),
  },
})

const reviewOf = (cycle: number, ...numbers: number[]): Part => ({ cycle, do: [finds(...numbers)] })

test('stops a loop as churning when reviews open more than they resolve, and shows the person the history', async () => {
  const rewrites: Act = { run: ['sh', '-c', 'echo "try $UMPIRE_ITERATION" > work-1.txt'] }
  const bench = openBench({
    config: { max_cycles: 9 },
    scenario: {
      developer: [{ do: [rewrites] }],
      reviewer: [reviewOf(1, 1), reviewOf(2, 2, 3), reviewOf(3, 4, 5, 6)],
    },
  })
  await bench.add('Never good enough')
  const ran = await bench.umpire('work')
  expect(ran.code).toBe(3)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'churning', verdict: 'CHANGES_REQUESTED', cycle: 3 },
    detail: expect.stringContaining('1: 1 opened; 2: 2 opened, 1 resolved; 3: 3 opened, 2 resolved.'),
    recovery: expect.arrayContaining(['umpire waive 1 --issue 4 --why "…"']),
  })
  const page = (await bench.umpire('show', '1')).stdout
  expect(page).toContain('opened more blocking issues than it resolved')
  expect(page).toContain('Finding 6.')
})

test('a review starts when its own task is done, while another is still in development', async () => {
  const bench = openBench({
    config: { parallel: 2 },
    scenario: {
      // Task 2 finishes only after the review of task 1. If that review waited for task 2, the run would never end.
      developer: [{ task: 2, do: [{ await: '$BENCH/reviewed' }, { write: { 'two.txt': 'two\n' } }] }],
      reviewer: [{ task: 1, do: [{ touch: '$BENCH/reviewed' }, { say: '**Verdict: APPROVED**' }] }],
    },
  })
  await bench.add('Quick')
  await bench.add('Slow')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const order = (await bench.events()).filter(
    ({ type, task }) =>
      (type === 'review.started' && task === 1) || (type === 'loop.committed' && task === 2),
  )
  expect(order.map(({ type }) => type)).toEqual(['review.started', 'loop.committed'])
  const brief = (await bench.show(1)).sessions.find(({ role }) => role === 'reviewer')?.prompt
  expect(brief).toContain('(in_progress): Slow')
})
