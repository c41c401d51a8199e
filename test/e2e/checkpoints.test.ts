/** Checkpoints: reviews of unfinished work, as often as the effort says. Also the other settings of an effort. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, fileAppears, nothingRuns, openBench, type Part } from '../support/umpire.ts'

const claims: Act = { say: 'TASK_COMPLETE' }
const approves: Act = { say: '**Verdict: APPROVED**' }
const finds = (description: string): Act => ({
  say: JSON.stringify({ verdict: 'CHANGES_REQUESTED', summary: 'Look.', issues: [{ description }] }),
})

/** A developer that claims to be done in this iteration, and only works in the earlier ones. */
const claimsIn = (iteration: number): Part[] => [
  { iteration, do: [{ write: { 'last.txt': 'done\n' } }, claims] },
  { do: [{ run: ['sh', '-c', 'echo "$UMPIRE_ITERATION" >> steps.txt'] }, { say: 'More to do.' }] },
]

const levels = [
  { effort: 'low', checkpoints: [], cycles: 3, has: 'Quality', hasNot: 'Quality, line by line' },
  { effort: 'medium', checkpoints: [5], cycles: 4, has: 'Quality, line by line', hasNot: 'In depth' },
  { effort: 'high', checkpoints: [3], cycles: 5, has: 'In depth', hasNot: 'As a whole' },
  { effort: 'max', checkpoints: [1, 2, 3, 4, 5], cycles: 6, has: 'As a whole', hasNot: 'Nothing' },
]

test('each effort level has its checkpoints, its limit of reviews and its depth', async () => {
  const bench = openBench({
    config: { develop: { until: 'claim' }, parallel: 1 },
    scenario: { developer: claimsIn(6) },
  })
  for (const { effort } of levels) await bench.add(`Try ${effort}`, '--effort', effort)
  expect((await bench.umpire('work')).code).toBe(0)
  for (const [index, { checkpoints, cycles, has, hasNot }] of levels.entries()) {
    const shown = await bench.show(index + 1)
    expect(shown).toMatchObject({ status: 'completed', cycle: 1, maxCycles: cycles, iteration: 6 })
    expect(shown.reviews.map(({ kind }) => kind)).toEqual([...checkpoints.map(() => 'checkpoint'), 'task'])
    const looked = shown.sessions.filter(({ id }) => id.includes('-c'))
    expect(looked.map(({ iteration, cycle, role }) => [role, iteration, cycle])).toEqual(
      checkpoints.map((iteration) => ['reviewer', iteration, 1]),
    )
    expect(shown.lastCheckpointReviewAt === null).toBe(checkpoints.length === 0)
    const prompt = shown.sessions.at(-1)?.prompt ?? ''
    expect(prompt).toContain(`## ${has}\n`)
    expect(prompt).not.toContain(`## ${hasNot}\n`)
  }
})

test('passes the findings of a checkpoint to the next iteration, and they have no other effect', async () => {
  const bench = openBench({
    config: { develop: { until: 'claim' } },
    scenario: {
      developer: claimsIn(4),
      reviewer: [
        {
          session: 'c1.1',
          do: [
            {
              submit: {
                verdict: 'REJECTED',
                issues: [{ description: 'You are off the task.', file: 'steps.txt' }],
              },
            },
          ],
        },
        { session: 'c1.2', do: [{ say: 'Hm.' }] },
        { session: 'c1.3', do: [{ exit: 3 }] },
      ],
    },
  })
  await bench.add('Do it in steps', '--effort', 'max')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    cycle: 1,
    issues: [],
    revisionAttempts: 0,
  })
  const told = shown.sessions
    .filter(({ role }) => role === 'developer')
    .map(({ prompt }) => prompt.includes('You are off the task.'))
  expect(told).toEqual([false, true, false, false])
  expect(shown.sessions[2]?.prompt).toContain('A checkpoint review of your unfinished work raised')
  expect(shown.sessions.find(({ id }) => id === '1-c1.1')?.prompt).toContain('at a checkpoint')
  expect(shown.reviews).toMatchObject([
    {
      kind: 'checkpoint',
      verdict: 'REJECTED',
      cycle: 1,
      issues: [{ number: null, description: 'You are off the task.' }],
    },
    { kind: 'task', verdict: 'APPROVED', cycle: 1 },
  ])
  const events = await bench.events()
  expect(events.filter(({ type }) => type === 'loop.checkpoint')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'review.failed')).toEqual([])
  expect(events.filter(({ type }) => type.startsWith('issue.'))).toEqual([])
})

test('a checkpoint reviews a snapshot of another loop while its developer continues', async () => {
  const bench = openBench({
    config: { parallel: 2 },
    scenario: {
      developer: [
        { task: 1, do: [{ write: { 'one.txt': '1\n' } }, { await: '$BENCH/begun' }] },
        {
          task: 2,
          iteration: 1,
          do: [
            { write: { 'half.txt': 'half of it\n' } },
            { touch: '$BENCH/begun' },
            { await: '$BENCH/looked' },
            { write: { 'half.txt': 'all of it\n' } },
            { touch: '$BENCH/went-on' },
          ],
        },
      ],
      reviewer: [
        // The reviewer is not blamed for what the developer changes during the checkpoint.
        {
          session: 'c1.1',
          do: [{ touch: '$BENCH/looked' }, { await: '$BENCH/went-on' }, finds('Half is not enough.')],
        },
        { task: 2, session: 2, do: [finds('Once more.')] },
      ],
    },
  })
  await bench.add('The first', '--effort', 'max')
  await bench.add('The second', '--effort', 'max')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(2)
  expect(shown).toMatchObject({ status: 'completed', cycle: 2, iteration: 2 })
  const look = shown.sessions.find(({ id }) => id === '2-c1.1')
  expect(look?.prompt).toContain('half of it')
  expect(look?.prompt).toMatch(/Loop A \(in_progress\): The first|Loop A \(completed\): The first/)
  const [first, second] = shown.sessions.filter(({ role }) => role === 'developer')
  expect(first?.prompt).not.toContain('Half is not enough.')
  expect(second?.prompt).toContain('Half is not enough.')
  expect(second?.prompt).toContain('Once more.')
  expect(bench.git('show', `${shown.branch}~1:half.txt`)).toBe('all of it')
  // Task 1 claimed to be done, so it got no checkpoint itself.
  expect((await bench.show(1)).reviews.map(({ kind }) => kind)).toEqual(['task'])
  expect(await bench.umpire('doctor', '--deep')).toMatchObject({ code: 0, stderr: '' })
})

test('a checkpoint survives a killed worker, and the next worker uses its findings', async () => {
  const bench = openBench({
    config: { develop: { until: 'claim' } },
    scenario: {
      developer: claimsIn(2),
      reviewer: [
        { session: 'c1.1', do: [{ touch: '$BENCH/looking' }, { await: '$BENCH/go' }, finds('You spin.')] },
      ],
    },
  })
  await bench.add('Be looked at', '--effort', 'max')
  const first = bench.start('work')
  await fileAppears(join(bench.folder, 'looking'))
  first.kill('SIGKILL')
  await first.ended
  const second = bench.start('work')
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await second.ended).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown.sessions.map(({ id, status }) => [id, status])).toEqual([
    ['1-1', 'done'],
    ['1-c1.1', 'done'],
    ['1-2', 'done'],
    ['1-3', 'done'],
  ])
  expect(shown.sessions[2]?.prompt).toContain('You spin.')
})

test('stops a checkpoint that still runs when its loop ends', async () => {
  const bench = openBench({
    config: { parallel: 2 },
    scenario: {
      developer: [
        { task: 1, do: [{ write: { 'one.txt': '1\n' } }, { await: '$BENCH/begun' }] },
        {
          task: 2,
          do: [{ write: { 'two.txt': '2\n' } }, { touch: '$BENCH/begun' }, { await: '$BENCH/looking' }],
        },
      ],
      reviewer: [
        { session: 'c1.1', do: [{ touch: '$BENCH/looking' }, { await: '$BENCH/never' }] },
        { do: [approves] },
      ],
    },
  })
  await bench.add('The first', '--effort', 'max')
  await bench.add('The second', '--effort', 'max')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(2)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(shown.sessions.find(({ id }) => id === '2-c1.1')?.status).toBe('interrupted')
  // The end of the checkpoint, and with it the cost, is recorded before the end of the loop.
  const told = (await bench.events()).filter(({ task }) => task === 2)
  const end = told.findIndex(({ type, data }) => type === 'session.ended' && data.session === '2-c1.1')
  expect(end).toBeGreaterThan(0)
  expect(end).toBeLessThan(told.findIndex(({ type }) => type === 'loop.approved'))
  await nothingRuns(bench)
})
