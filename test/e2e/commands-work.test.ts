/** `umpire work` and its flags: which tasks it runs, how many at once, and how it stops. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, openBench, until } from '../support/umpire.ts'

test('--dry-run says what work would do, and does nothing', async () => {
  const bench = openBench({ config: { gates: { test: 'false' }, agents: { other: { command: ['cat'] } } } })
  expect(await bench.umpire('work', '--dry-run')).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' })
  await bench.add('Plain')
  await bench.add('Special', '--no-review', '--agent', 'other', '--gate', 'true', '--max-cycles', '2')
  const events = await bench.events()
  expect((await bench.umpire('work', '--dry-run', '--effort', 'low')).stdout).toBe(
    [
      '· 1. implement Plain  pending',
      '    developer actor, reviewer actor, at most 3 reviews, gates: test',
      '· 2. implement Special  pending',
      '    developer other, reviewer none, at most 2 reviews, gates: test, backpressure',
      '',
    ].join('\n'),
  )
  expect((await bench.umpire('work', '2', '--dry-run')).stdout).not.toContain('Plain')
  expect(await bench.events()).toEqual(events)
  expect(bench.played()).toEqual([])
  expect(bench.git('branch', '--list', 'umpire/*')).toBe('')
  expect(existsSync(join(bench.home, 'worktrees'))).toBe(false)
})

test('--dry-run names the parser’s agent for tasks that will be reviewed', async () => {
  const roles = { developer: 'actor', reviewer: 'actor', parser: 'reader' }
  const review = { channels: ['tool', 'json', 'parser'] }
  const bench = openBench({ config: { review, roles, agents: { reader: { command: ['cat'] } } } })
  await bench.add('Reviewed')
  await bench.add('Unreviewed', '--no-review')
  const { stdout } = await bench.umpire('work', '--dry-run')
  expect(stdout).toContain('    developer actor, reviewer actor, parser reader, at most ')
  expect(stdout).toContain('    developer actor, reviewer none, at most ')
})

test('works only on the named tasks', async () => {
  const bench = openBench()
  for (const title of ['One', 'Two', 'Three']) await bench.add(title)
  expect((await bench.umpire('work', '3', '#2')).code).toBe(0)
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: { status: string }[] }>()
  expect(tasks.map(({ status }) => status)).toEqual(['pending', 'completed', 'completed'])
  // A completed task leaves nothing to do.
  expect(await bench.umpire('work', '2')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing to do'),
  })
})

/** Each developer waits until all the others have started. */
function meeting(size: number) {
  return Array.from({ length: size }, (_, index) => ({
    task: index + 1,
    do: [
      { touch: `$BENCH/here-${index + 1}` },
      ...Array.from({ length: size }, (_, other) => ({ await: `$BENCH/here-${other + 1}` })),
      { write: { [`${index}.txt`]: '' } },
    ],
  }))
}

test('--parallel runs that many tasks at once, and --parallel 1 runs one after the other', async () => {
  const bench = openBench({ scenario: { developer: meeting(3) }, config: { parallel: 1 } })
  for (const title of ['One', 'Two', 'Three']) await bench.add(title)
  expect((await bench.umpire('work', '--parallel', '3')).code).toBe(0)

  const single = openBench({ config: { parallel: 3 } })
  for (const title of ['One', 'Two', 'Three']) await single.add(title)
  expect((await single.umpire('work', '--parallel', '1')).code).toBe(0)
  const order = (await single.events()).flatMap(({ type, task }) => (type.startsWith('loop.') ? [task] : []))
  expect(order).toEqual(order.toSorted())
  expect((await single.events()).find(({ type }) => type === 'run.started')?.data).toMatchObject({
    parallel: 1,
  })
})

test('--effort sets the number and depth of reviews for tasks without their own effort', async () => {
  const bench = openBench({ scenario: { reviewer: [{ do: [{ say: 'FEEDBACK: never enough' }] }] } })
  await bench.add('Takes the run’s')
  await bench.add('Has its own', '--effort', 'max', '--max-cycles', '1')
  const work = await bench.umpire('work', '--effort', 'low', '--plain')
  expect(work.code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ verdict: 'MAX_CYCLES_REACHED', cycle: 3, maxCycles: 3 })
  expect(await bench.show(2)).toMatchObject({ verdict: 'MAX_CYCLES_REACHED', cycle: 1, maxCycles: 1 })
  const depth = (prompt = '') => [prompt.includes('Swallowed errors'), prompt.includes('Security:')]
  expect(depth((await bench.show(1)).sessions[1]?.prompt)).toEqual([false, false])
  expect(depth((await bench.show(2)).sessions[1]?.prompt)).toEqual([true, true])
  // One plain line for each step, then the status of each task.
  const lines = work.stdout.trimEnd().split('\n')
  expect(lines.filter((line) => !/^(#\d+ \[\d\/\d\] |! \d\. | {4})/.test(line))).toEqual([])
  expect(lines).toContain('#1 [3/3] Reviewing…')
})

test('--watch starts tasks that are filed later, until it is interrupted', async () => {
  const bench = openBench({
    scenario: {
      developer: [{ task: 'endless', do: [{ leave: 'setsid' }, { touch: '$BENCH/runs' }, { await: 'x' }] }],
    },
  })
  const work = bench.start('work', '--watch')
  await until(async () => (await bench.umpire('events')).stdout.includes('run.started'), 'the run')
  await bench.add('Filed later')
  await until(() => work.stdout().includes('#1 [1/4] Approved'), 'the approval')
  await bench.add('endless')
  await fileAppears(join(bench.folder, 'runs'))
  work.kill('SIGINT')
  const { code, stdout } = await work.ended
  expect(code).toBe(130)
  expect(stdout).toContain('#2 [1/4] Interrupted. umpire work continues where it stopped.')
  const events = await bench.events()
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', data: { outcome: 'interrupted' } })
  expect(await bench.show(2)).toMatchObject({ status: 'pending', sessions: [{ status: 'interrupted' }] })
  const pid = bench.played().at(-1)?.pid ?? 0
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')

  // The next run continues the task where it stopped.
  bench.play({})
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(2)).toMatchObject({ status: 'completed', iteration: 1 })
})

test('SIGTERM stops the agents, saves the state and exits with 143', async () => {
  const bench = openBench({
    scenario: { reviewer: [{ do: [{ ignore: ['SIGTERM'] }, { touch: '$BENCH/runs' }, { await: 'never' }] }] },
  })
  await bench.add('Interrupted in review')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'runs'))
  work.kill('SIGTERM')
  expect((await work.ended).code).toBe(143)
  expect(await bench.show(1)).toMatchObject({ status: 'pending', verdict: null, cycle: 0, phase: 'review' })
  expect((await bench.umpire('status')).stdout).toContain('pending  (continues in review, 0 cycles so far)')
  bench.play({})
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.played().map(({ role }) => role)).toEqual(['developer', 'reviewer', 'reviewer'])
})

test('a title of 10,000 characters, with newlines, goes through the whole loop', async () => {
  const bench = openBench()
  const title = `A very\nlong ${'title '.repeat(1700)}`.trim()
  await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({
    title,
    status: 'completed',
    branch: expect.stringMatching(/^umpire\/1-a-very-long-/),
  })
  expect((await bench.umpire('status')).stdout).toMatch(
    /^✓ 1\. implement A very long .{180,190}… {2}completed.*\n$/,
  )
})
