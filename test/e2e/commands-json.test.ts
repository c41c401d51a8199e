/** What programs read: the keys and types of all JSON output. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { EventView } from '../../src/view/event-view.ts'
import { type Bench, openBench, type Shown, until } from '../support/umpire.ts'

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const treeId = expect.stringMatching(/^[0-9a-f]{40}$/)

const statusKeys = [
  ...[
    'id',
    'title',
    'type',
    'status',
    'verdict',
    'reason',
    'cycle',
    'maxCycles',
    'iteration',
    'reviewStatus',
  ],
  ...['revisionAttempts', 'lastReviewId', 'lateFindings', 'branch', 'base', 'group', 'dependsOn', 'costUsd'],
  ...['tokens', 'startedAt', 'endedAt'],
]
const eventKeys = ['seq', 'at', 'type', 'task', 'loop', 'cycle', 'message', 'data']

const finding = {
  ...{ id: 'leak', file: 'work-1.txt', line: 1, section: 'main', type: 'bug', severity: 'blocking' },
  ...{ description: 'It leaks.', suggestion: 'Close it.', witness: ['false'] },
}
const scenario = {
  reviewer: [
    { task: 'sent back', cycle: 1, do: [{ submit: { verdict: 'needs_revision', issues: [finding] } }] },
    {
      task: 'sent back',
      do: [
        {
          submit: {
            ...{ passed: true, summary: 'Fine now.', interpretedIntent: 'No leaks', intentSatisfied: true },
            scores: { correctness: 90 },
            issues: [{ id: 'leak', status: 'resolved' }],
          },
        },
      ],
    },
    { task: 'refused', do: [{ submit: { verdict: 'REJECTED', summary: 'Not like this.' } }] },
  ],
}

/** One task sent back and approved, one rejected, one not started. */
async function workedBench(): Promise<Bench> {
  const bench = openBench({ scenario, config: { gates: { test: 'echo checked' }, parallel: 1 } })
  await bench.add('sent back', '--max-cycles', '3')
  await bench.add('refused')
  expect((await bench.umpire('work')).code).toBe(3)
  await bench.add('not started', '-d', 'later')
  return bench
}

const jsonLines = (text: string): EventView[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('status --json, show --json and reviews --json have the keys of the contract', async () => {
  const bench = await workedBench()
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: Record<string, unknown>[] }>()
  expect(tasks.map((task) => statusKeys.filter((key) => !Object.hasOwn(task, key)))).toEqual([[], [], []])
  expect(tasks[0]).toMatchObject({
    ...{
      id: 1,
      title: 'sent back',
      type: 'implement',
      status: 'completed',
      verdict: 'APPROVED',
      reason: null,
    },
    ...{ cycle: 2, maxCycles: 3, iteration: 2, reviewStatus: 'passed', revisionAttempts: 1, lateFindings: 0 },
    ...{
      branch: 'umpire/1-sent-back',
      base: 'main',
      group: null,
      dependsOn: [],
      costUsd: null,
      tokens: null,
    },
    ...{ startedAt: time, endedAt: time, lastReviewId: expect.any(String) },
  })
  expect(tasks[1]).toMatchObject({ status: 'blocked', verdict: 'REJECTED', reason: 'rejected', cycle: 1 })
  expect(tasks[1]).toMatchObject({ reviewStatus: 'failed', maxCycles: 4 })
  const untouched = { reviewStatus: 'pending', branch: null, base: null, startedAt: null, endedAt: null }
  expect(tasks[2]).toMatchObject({ status: 'pending', verdict: null, cycle: 0, iteration: 0, ...untouched })

  const shown = (await bench.umpire('show', '1', '--json')).json<Shown>()
  expect(shown).toMatchObject({ ...tasks[0] })
  const session = {
    ...{
      iteration: 1,
      cycle: 1,
      attempt: 1,
      agent: 'actor',
      model: null,
      agentSession: null,
      status: 'done',
    },
    ...{ exitCode: 0, startedAt: time, endedAt: time, costUsd: null, messages: 1 },
  }
  const second = { ...session, iteration: 2, cycle: 2 }
  expect(shown.sessions).toMatchObject([
    { ...session, id: '1-1', role: 'developer' },
    { ...session, id: '1-2', role: 'reviewer', messages: 0 },
    { ...second, id: '1-3', role: 'developer' },
    { ...second, id: '1-4', role: 'reviewer', messages: 0 },
  ])
  expect(JSON.stringify(shown)).not.toMatch(/"prompt"|token_?hash/i)
  expect(shown.reviews).toMatchObject([
    {
      ...{ kind: 'task', cycle: 1, attempt: 1, verdict: 'CHANGES_REQUESTED', passed: false, blocking: false },
      ...{ tree: treeId, sessionId: '1-2', command: '/review-task', scores: {}, reviewedAt: time },
      ...{ interpretedIntent: null, intentSatisfied: null, issues: [finding], summary: expect.any(String) },
    },
    {
      ...{ id: tasks[0]?.lastReviewId, cycle: 2, verdict: 'APPROVED', passed: true, summary: 'Fine now.' },
      ...{
        interpretedIntent: 'No leaks',
        intentSatisfied: true,
        scores: { correctness: 90 },
        sessionId: '1-4',
      },
    },
  ])
  expect(shown.reviews[0]?.tree).not.toBe(shown.reviews[1]?.tree)
  expect(shown.gates).toMatchObject(
    shown.reviews.map(({ tree }) => ({
      name: 'test',
      command: 'echo checked',
      passed: true,
      exitCode: 0,
      tree,
    })),
  )
  const { reviews } = (await bench.umpire('reviews', '1', '--json')).json<{ reviews: object[] }>()
  expect(reviews).toEqual(shown.reviews)

  const withPrompts = (await bench.umpire('show', '1', '--json', '--prompts')).json<Shown>()
  expect(withPrompts.sessions.map(({ prompt }) => prompt.split('\n')[0])).toEqual([
    ...['# You are the developer', '# You are the reviewer'],
    ...['# You are the developer', '# You are the reviewer'],
  ])
  const page = await bench.umpire('show', '1', '--prompts')
  expect(page.stdout).toContain('── prompt of 1-2 ──\n# You are the reviewer')
  expect((await bench.umpire('show', '1')).stdout).not.toContain('# You are the reviewer')
})

test('events --json prints all events in order, without gaps, and --after continues where a reader stopped', async () => {
  const bench = await workedBench()
  const events = await bench.events()
  for (const event of events) {
    expect(Object.keys(event)).toEqual(eventKeys)
    expect(event).toMatchObject({ at: time, message: expect.any(String), data: expect.any(Object) })
  }
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  // Whether a witness can run depends on the machine.
  const told = events.filter(({ task, type }) => task === 1 && type !== 'issue.proven')
  expect(told.map(({ type }) => type)).toEqual([
    ...['task.added', 'loop.claimed', 'loop.started'],
    ...['loop.developing', 'session.started', 'session.ended', 'loop.committed', 'loop.checking'],
    ...['gate.completed', 'loop.reviewing', 'review.started', 'session.started', 'session.ended'],
    ...['review.completed', 'issue.opened', 'loop.feedback'],
    ...['loop.developing', 'session.started', 'session.ended', 'loop.committed', 'loop.checking'],
    ...['gate.completed', 'loop.reviewing', 'review.started', 'session.started', 'session.ended'],
    ...['review.completed', 'issue.resolved', 'loop.approved'],
  ])
  const types = events.map(({ type }) => type)
  expect(types.slice(0, 3)).toEqual(['task.added', 'task.added', 'run.started'])
  expect(types.slice(-2)).toEqual(['run.ended', 'task.added'])
  expect(events.find(({ type }) => type === 'run.started')).toMatchObject({
    task: null,
    loop: null,
    cycle: null,
  })
  const cycles = events.filter(({ task, type }) => task === 1 && type === 'loop.reviewing')
  expect(cycles).toMatchObject([
    { loop: 'loop-1', cycle: 1 },
    { loop: 'loop-1', cycle: 2 },
  ])
  // Every event of a task has its cycle, even if its data do not include one.
  const cyclesOf = (wanted: string) =>
    events.flatMap(({ task, type, cycle }) => (task === 1 && type === wanted ? [cycle] : []))
  expect([cyclesOf('task.added'), cyclesOf('loop.claimed')]).toEqual([[0], [0]])
  for (const type of ['loop.committed', 'gate.completed'])
    expect([type, cyclesOf(type)]).toEqual([type, [1, 2]])
  expect(cyclesOf('session.ended')).toEqual([1, 1, 2, 2])
  expect(events.find(({ type }) => type === 'loop.blocked')).toMatchObject({
    ...{ task: 2, loop: 'loop-2', cycle: 1, message: expect.stringContaining('Not like this.') },
    data: { reason: 'rejected', recovery: expect.arrayContaining(['umpire reviews 2', 'umpire retry 2']) },
  })
  expect(JSON.stringify(events)).not.toMatch(/"prompt"|"rawOutput"/)

  for (const after of [10, 25]) {
    const rest = jsonLines((await bench.umpire('events', '--json', '--after', String(after))).stdout)
    expect(rest).toEqual(events.slice(after))
  }
  const human = (await bench.umpire('events', '--after', '2')).stdout.trimEnd().split('\n')
  expect(human).toHaveLength(events.length - 2)
  expect(human[0]).toMatch(/^3 \d{4}-\S+Z run\.started Run started/)
  expect((await bench.umpire('events', '--after', String(events.length))).stdout).toBe('')
})

test('work --json prints the run’s events one per line, the same as umpire events', async () => {
  const bench = openBench({ scenario })
  await bench.add('refused')
  const work = await bench.umpire('work', '--json')
  expect(work).toMatchObject({ code: 3, stderr: '' })
  const printed = jsonLines(work.stdout)
  expect(printed).toEqual((await bench.events()).slice(1))
  expect(printed.at(-2)).toMatchObject({ type: 'loop.blocked', data: { reason: 'rejected' } })
  expect((await bench.umpire('work', '--json')).stdout).toBe('')
})

test('events --follow prints new events until it is stopped', async () => {
  const bench = openBench()
  // There is no task yet: the command waits for the first one, and creates no file itself.
  const following = bench.start('events', '--follow', '--json')
  const watching = bench.start('status', '--watch')
  await until(() => watching.stdout().startsWith('No tasks yet.'), 'the watcher')
  expect(existsSync(bench.home)).toBe(false)
  await bench.add('first')
  const late = bench.start('events', '--follow', '--after', '1')
  await bench.add('second')
  const seen = [following, watching, late]
  await until(() => seen.every((each) => each.stdout().includes('second')), 'the second task')
  for (const each of seen) each.kill('SIGINT')
  await Promise.all(seen.map(({ ended }) => ended))
  expect(jsonLines(following.stdout()).map(({ seq, message }) => [seq, message])).toEqual([
    [1, 'Added: first'],
    [2, 'Added: second'],
  ])
  expect(late.stdout()).toMatch(/^2 \S+ #2 task\.added Added: second\n$/)
})
