/** Reviews and improvements as separate tasks (`add --of`): filed ahead, they start once the other task has work. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, fileAppears, openBench, type Shown } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, cycle, status }) => `${role} ${cycle} ${status}`)

const wantsMore: Act = {
  submit: {
    verdict: 'CHANGES_REQUESTED',
    summary: 'Nearly.',
    issues: [{ file: 'work-1.txt', line: 1, type: 'bug', description: 'The kettle is cold.' }],
  },
}

const started = (bench: Bench) => bench.played().filter(({ argv }) => !argv)

test('add --of files a review or an improvement of another task, and refuses invalid combinations', async () => {
  const bench = openBench()
  await bench.add('First')
  const refusals: [string[], string][] = [
    [['-t', 'review'], 'A review needs a task to review.\nName the task with --of ID.\n'],
    [['-t', 'review', '--of', '7'], 'There is no task 7.\numpire list shows the tasks.\n'],
    [
      ['--of', '1'],
      '--of works only for reviews and improvements, not for tasks of type implement.\nGive -t review or -t improve.\n',
    ],
  ]
  for (const [flags, words] of refusals)
    expect(await bench.umpire('add', 'Second', ...flags)).toMatchObject({
      ...{ code: 2, stdout: '', stderr: `umpire: ${words}` },
    })
  expect((await bench.umpire('add', 'Second', '-t', 'review', '--of', 'x')).code).toBe(2)
  // A task can't change to a type that needs something the task does not have.
  for (const args of [['1', '-t', 'review']]) {
    const edit = await bench.umpire('edit', ...args)
    expect(edit).toMatchObject({ code: 2, stderr: expect.stringContaining('A review needs a task') })
  }
  expect(await bench.events()).toHaveLength(1)

  // An improvement needs no other task. Without one, it is a task like any other.
  expect(await bench.add('Tidy up', '-t', 'improve')).toBe(2)
  expect(await bench.add('Look at it', '-t', 'review', '--of', '1')).toBe(3)
  expect(await bench.show(3)).toMatchObject({ type: 'review', of: 1, status: 'pending' })
  expect((await bench.umpire('work', '--dry-run')).stdout).toMatch(
    /3\. review Look at it .*\n {4}developer none, reviewer actor/,
  )
})

test('a review and an improvement that are filed early wait until the other task stops', async () => {
  const bench = openBench({
    config: { agents: { actor: { command: ['node', witness] } } },
    scenario: {
      developer: [
        {
          task: 1,
          do: [{ touch: '$BENCH/begun' }, { await: '$BENCH/go' }, { write: { 'work-1.txt': 'tea\n' } }],
        },
      ],
      reviewer: [{ task: 2, do: [wantsMore] }],
    },
  })
  await bench.add('Make tea', '--no-review', '-d', 'DESCRIBED', '--accept', 'IT IS HOT', '--scope', 'ONE CUP')
  await bench.add('Taste it', '-t', 'review', '--of', '1', '-d', 'BE STRICT')
  await bench.add('Warm it', '-t', 'improve', '--of', '2')
  await bench.add('Something else')
  const work = bench.start('work', '--parallel', '2')
  await fileAppears(join(bench.folder, 'begun'))
  // One slot is free, and only the task without dependencies uses it.
  await expect.poll(async () => (await bench.show(4)).status, { timeout: 20_000 }).toBe('completed')
  expect(
    started(bench)
      .map(({ task }) => task)
      .toSorted(),
  ).toEqual([1, 4, 4])
  for (const id of [2, 3]) expect(await bench.show(id)).toMatchObject({ status: 'pending', branch: null })
  writeFileSync(join(bench.folder, 'go'), '')
  expect(await work.ended).toMatchObject({ code: 3, stderr: '' })
  expect(
    started(bench)
      .slice(3)
      .map(({ task, role }) => `${task} ${role}`),
  ).toEqual([...['2 reviewer', '3 developer', '3 reviewer']])

  // The reviewed task is unchanged; the verdict belongs to the review.
  const [first, review, improvement] = [await bench.show(1), await bench.show(2), await bench.show(3)]
  expect(first).toMatchObject({ status: 'completed', verdict: null, cycle: 0 })
  expect(review).toMatchObject({
    ...{
      type: 'review',
      of: 1,
      status: 'blocked',
      reason: 'changes_requested',
      verdict: 'CHANGES_REQUESTED',
    },
    ...{ cycle: 1, iteration: 0, base: 'main' },
    recovery: expect.arrayContaining(['umpire add "Address the review" -t improve --of 2']),
  })
  expect(turns(review)).toEqual(['reviewer 1 done'])
  expect(review.reviews[0]?.tree).toBe(bench.git('rev-parse', `${first.branch}^{tree}`))
  const [file = ''] = readdirSync(join(bench.home, 'reviews')).filter((name) => name.includes('-task-2-'))
  expect(file).toMatch(/^\d{8}-task-2-review-1\.md$/)
  expect(readFileSync(join(bench.home, 'reviews', file), 'utf8')).toMatch(
    /\*\*Verdict: CHANGES_REQUESTED\*\*\n$/,
  )

  // The prompts of the reviewer and the developer contain both their own task and the original one.
  const [judge] = givenTo(bench, 2)
  expect(judge?.env).toMatchObject({ UMPIRE_ROLE: 'reviewer', UMPIRE_TASK: '2', UMPIRE_CYCLE: '1' })
  for (const words of ['Taste it', 'BE STRICT', 'Make tea', 'DESCRIBED', 'IT IS HOT', 'ONE CUP', '+tea'])
    expect(judge?.stdin).toContain(words)
  const [developer] = givenTo(bench, 3)
  expect(developer?.env).toMatchObject({ UMPIRE_ROLE: 'developer', UMPIRE_CYCLE: '1', UMPIRE_ITERATION: '1' })
  for (const words of ['Warm it', 'Make tea', 'DESCRIBED', 'The kettle is cold.'])
    expect(developer?.stdin).toContain(words)

  // The improvement continues from that work on its own branch, and its review covers the whole diff against the base.
  expect(improvement).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1, base: 'main' })
  const subjects = bench.git('log', '--format=%s', `main..${improvement.branch}`).split('\n')
  expect(subjects).toEqual(['Address review feedback (cycle 1)', 'Make tea'])
  expect(bench.git('log', '--format=%s', `main..${first.branch}`)).toBe('Make tea')
  expect(improvement.sessions[1]?.prompt).toContain('+tea')
  // The independent check finds no violations either.
  expect(await bench.umpire('doctor', '--deep')).toMatchObject({ code: 0, stderr: '' })
})

test('a review or improvement is blocked (dependency) while the other task has no work', async () => {
  const bench = openBench()
  await bench.add('Never begun')
  await bench.add('Judge it', '-t', 'review', '--of', '1')
  await bench.add('Mend it', '-t', 'improve', '--of', '1')
  await bench.umpire('cancel', '1')
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)
  for (const id of [2, 3])
    expect(await bench.show(id)).toMatchObject({
      ...{ status: 'blocked', reason: 'dependency', verdict: null, cycle: 0, branch: null },
      detail: 'Task 1, which this task is for, has no work.',
      recovery: ['umpire show 1', `umpire retry ${id}`],
    })
  expect(bench.played()).toEqual([])

  // When it is run alone, it does not start before the other task stops, and says so.
  await bench.umpire('retry', '1')
  await bench.umpire('retry', '2')
  const alone = await bench.umpire('work', '2')
  expect(alone).toMatchObject({
    code: 3,
    stderr:
      'umpire: Task 2 waits for task 1, which is not part of this run. To run all of them: umpire work 1 2\n',
  })
  expect(bench.played()).toEqual([])
  expect((await bench.umpire('work', '1', '2')).code).toBe(0)
  expect(await bench.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
})

test('a review task runs its own gates, is repeated by retry, and uses the settings of its type', async () => {
  const bench = openBench({
    config: {
      review: { retries: 0 },
      task_types: {
        review: { review_model: 'strict', effort: 'max' },
        improve: { auto_review: false, model: 'quick' },
      },
    },
    scenario: { reviewer: [{ task: 2, do: [{ say: 'Hm.' }] }] },
  })
  await bench.add('Work')
  expect((await bench.umpire('work')).code).toBe(0)
  await bench.add('Look', '-t', 'review', '--of', '1', '--gate', 'test -f work-1.txt')
  await bench.add('Polish', '-t', 'improve', '--of', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await bench.show(2)).toMatchObject({
    ...{ status: 'blocked', reason: 'malformed_review', cycle: 0, maxCycles: 6 },
    gates: [{ name: 'backpressure', passed: true }],
    sessions: [{ role: 'reviewer', model: 'strict' }],
  })
  const improve = await bench.umpire('improve', '2', '--note', 'Be kind')
  expect(improve).toMatchObject({ code: 2, stderr: expect.stringContaining('Task 2 is a review.') })
  const polished = await bench.show(3)
  expect(polished).toMatchObject({
    ...{ status: 'completed', verdict: null, cycle: 0 },
    sessions: [{ role: 'developer', model: 'quick' }],
  })
  bench.play({})
  await bench.umpire('retry', '2')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(2)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(shown.sessions[1]?.prompt).toContain('Cost at ten times and at a thousand times')
  expect(turns(shown)).toEqual(['reviewer 1 done', 'reviewer 1 done'])
})
