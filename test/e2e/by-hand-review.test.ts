/** `umpire review` runs one review now, whatever the limits say. One test steers a whole task by hand. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventView } from '../../src/view/event-view.ts'
import { type Act, type Bench, fileAppears, openBench, type Shown } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, cycle, status }) => `${role} ${cycle} ${status}`)

const wantsMore: Act = {
  submit: {
    verdict: 'CHANGES_REQUESTED',
    summary: 'Nearly.',
    issues: [{ file: 'work-1.txt', line: 1, type: 'bug', description: 'It says nothing of tea.' }],
  },
}

const decisions = async (bench: Bench) =>
  (await bench.events()).filter(({ type }) => type === 'person.decided').map(({ data }) => data)

/** The last line of each review file, by file name. */
function reviewFiles({ home }: Bench): Record<string, string> {
  const folder = join(home, 'reviews')
  const last = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, last(name)]),
  )
}

const fileOf = (cycle: number) => {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return `${today}-task-1-review-${cycle}.md`
}

test('a person steers a task by hand from its first work to its approval', async () => {
  const bench = openBench({
    config: { agents: { actor: { command: ['node', witness] } } },
    scenario: { reviewer: [{ do: [wantsMore] }] },
  })
  await bench.add('Make tea', '--no-review')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: null, cycle: 0 })

  const first = await bench.umpire('review', '1', '--why', 'I want to be sure')
  expect(first).toMatchObject({ code: 3, stderr: '' })
  expect(first.stdout).toMatch(/^! 1\. implement Make tea {2}blocked {2}CHANGES_REQUESTED \(1 cycle\)$/m)
  expect(first.stdout).toContain('umpire improve 1')
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'blocked', reason: 'changes_requested', verdict: 'CHANGES_REQUESTED', cycle: 1 },
    ...{ maxCycles: 4, reviewStatus: 'failed', iteration: 1, revisionAttempts: 0 },
  })
  expect(reviewFiles(bench)).toEqual({ [fileOf(1)]: '**Verdict: CHANGES_REQUESTED**' })
  expect(readFileSync(join(bench.home, 'reviews', fileOf(1)), 'utf8')).toContain('It says nothing of tea.')

  const improved = await bench.umpire('improve', '1', '--note', 'Green tea, please')
  expect(improved).toMatchObject({ code: 3, stderr: '' })
  expect(improved.stdout).toMatch(/^\S 1\. implement Make tea {2}awaiting_review/m)
  expect(await bench.show(1)).toMatchObject({
    ...{ status: 'awaiting_review', reason: null, verdict: 'CHANGES_REQUESTED', cycle: 1 },
    ...{ reviewStatus: 'pending', iteration: 2, revisionAttempts: 1 },
  })

  expect((await bench.umpire('review', '1')).code).toBe(3)
  expect(reviewFiles(bench)).toEqual({
    [fileOf(1)]: '**Verdict: CHANGES_REQUESTED**',
    [fileOf(2)]: '**Verdict: CHANGES_REQUESTED**',
  })
  const approved = await bench.umpire('edit', '1', '--verdict', 'APPROVED', '--why', 'Good enough')
  expect(approved).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('completed  APPROVED (2 cycles)'),
  })
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', reason: null, cycle: 2 })
  expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 done', 'developer 2 done', 'reviewer 2 done'])
  expect(bench.git('log', '--format=%s', `main..${shown.branch}`).split('\n')).toEqual([
    'Address review feedback (cycle 1)',
    'Make tea',
  ])

  // Each agent gets its identity, and the developer also what the review and the person said.
  const given = givenTo(bench, 1)
  const named = given.map(({ env }) => [env.UMPIRE_ROLE, env.UMPIRE_CYCLE, env.UMPIRE_ITERATION])
  expect(named).toEqual([
    ['developer', '1', '1'],
    ['reviewer', '1', '1'],
    ['developer', '2', '2'],
    ['reviewer', '2', '2'],
  ])
  expect(given.map(({ env }) => env.UMPIRE_SESSION)).toEqual(['1-1', '1-2', '1-3', '1-4'])
  for (const { env, stdin, promptFile } of given) {
    expect(env).toMatchObject({ UMPIRE_TASK: '1', UMPIRE_TOKEN: expect.stringMatching(/./) })
    expect(promptFile).toBe(stdin)
  }
  expect(given[2]?.stdin).toContain('It says nothing of tea.')
  expect(given[2]?.stdin).toContain('Green tea, please')
  expect(given[3]?.stdin).toContain('What changed since your last review')
  expect(given[3]?.stdin).not.toContain('Green tea, please')

  const by = userInfo().username
  expect(await decisions(bench)).toEqual([
    { move: 'review', by, why: 'I want to be sure', verdict: null },
    { move: 'improve', by, why: 'Green tea, please', verdict: null },
    { move: 'review', by, why: null, verdict: null },
    { move: 'verdict', by, why: 'Good enough', verdict: 'APPROVED' },
  ])
})

test('review --json and improve --json print one event per line, and --plain one line per step', async () => {
  const bench = openBench({ scenario: { reviewer: [{ cycle: 1, do: [wantsMore] }] } })
  await bench.add('Tell it', '--no-review')
  await bench.umpire('work')
  const lines = (text: string): EventView[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  const before = (await bench.events()).length
  const review = await bench.umpire('review', '1', '--json')
  expect(review).toMatchObject({ code: 3, stderr: '' })
  const told = lines(review.stdout)
  expect(told.map(({ type }) => type)).toEqual([
    // The person's decision comes first.
    'person.decided',
    ...['run.started', 'loop.claimed', 'loop.committed', 'loop.reviewing', 'review.started'],
    ...['session.started', 'session.ended', 'review.completed', 'issue.opened', 'loop.feedback'],
    ...['loop.blocked', 'run.ended'],
  ])
  expect(told.find(({ type }) => type === 'loop.blocked')?.data).toMatchObject({
    reason: 'changes_requested',
    verdict: 'CHANGES_REQUESTED',
    recovery: ['umpire reviews 1', 'umpire improve 1', 'umpire retry 1', 'umpire edit 1 --verdict APPROVED'],
  })
  expect((await bench.events()).slice(before)).toEqual(told)

  const improve = await bench.umpire('improve', '1', '--json')
  expect(improve.code).toBe(3)
  const end = lines(improve.stdout).find(({ type }) => type === 'loop.awaiting_review')
  expect(end?.data).toMatchObject({
    recovery: ['umpire review 1', 'umpire diff 1', 'umpire edit 1 --verdict APPROVED'],
  })

  const again = await bench.umpire('improve', '1', '--note', 'once more', '--plain')
  expect(again.code).toBe(3)
  expect(again.stdout).toMatch(/^#1 \[2\/4\] Improving…$/m)
  expect(again.stdout).not.toContain('\u001b')
  const last = await bench.umpire('review', '1', '--plain')
  expect(last.code).toBe(0)
  expect(last.stdout).toMatch(/^#1 \[2\/4\] Reviewing…$/m)
  expect(last.stdout).not.toContain('\u001b')
  const merge = await bench.umpire('merge', '1', '--plain')
  expect(merge.code).toBe(0)
  expect(merge.stdout).toMatch(/^#1 \[2\/4\] Merging into main…$/m)
  expect(merge.stdout).not.toContain('\u001b')
})

test('refuses a review when there is nothing to review, and changes nothing', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'runs', do: [{ touch: '$BENCH/begun' }, { await: '$BENCH/go' }, { write: { a: 'a' } }] },
        { task: 'fails', do: [{ exit: 1 }] },
        { task: 'empty', do: [] },
      ],
    },
  })
  for (const title of ['fresh', 'ended', 'fails', 'empty', 'runs']) await bench.add(title)
  await bench.umpire('cancel', '2')
  expect((await bench.umpire('work', '3', '4')).code).toBe(1)
  const work = bench.start('work', '5')
  await fileAppears(join(bench.folder, 'begun'))

  const before = await bench.events()
  const refusals: [string, string, string][] = [
    ['1', 'Task 1 has no work yet.', 'umpire work 1 starts it.'],
    ['2', 'Task 2 is cancelled.', 'umpire retry 2 reopens it.'],
    ['3', 'Task 3 has no work yet.', 'umpire retry 3 lets it start.'],
    ['4', 'Task 4 has changed nothing yet.', 'umpire retry 4 lets it continue.'],
    [
      '5',
      'Task 5 is being worked on.',
      'umpire cancel 5 stops it. If no worker runs, umpire work 5 continues it.',
    ],
    ['6', 'There is no task 6.', 'umpire list shows the tasks.'],
  ]
  for (const [id, why, fix] of refusals) {
    const said = [bench.umpire('review', id), bench.umpire('improve', id, '--note', 'x')]
    for (const { code, stdout, stderr } of await Promise.all(said))
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `umpire: ${why}\n${fix}\n` })
  }
  const misused = [['review'], ['review', 'x'], ['review', '1', '2'], ['improve', '0']]
  const codes = await Promise.all(misused.map(async (args) => (await bench.umpire(...args)).code))
  expect(codes).toEqual([2, 2, 2, 2])
  expect(await bench.events()).toEqual(before)
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await work.ended).code).toBe(0)
})

test('review and improve are refused inside an agent session', async () => {
  const moves = [
    ['review', '1'],
    ['improve', '1', '--note', 'x'],
  ]
  const runs = moves.map((move): Act => ({ run: ['umpire', ...move] }))
  const bench = openBench({
    scenario: {
      developer: [{ task: 2, do: [...runs, { write: { b: 'b' } }] }],
      reviewer: [{ task: 2, do: [...runs, { say: 'APPROVED' }] }],
    },
  })
  await bench.add('Done before')
  expect((await bench.umpire('work')).code).toBe(0)
  await bench.add('Meddles')
  expect((await bench.umpire('work')).code).toBe(0)
  const tried = bench.played().filter(({ argv }) => argv)
  expect(tried.map(({ role, code }) => `${role} ${code}`)).toEqual([
    ...['developer 2', 'developer 2', 'reviewer 2', 'reviewer 2'],
  ])
  for (const { stderr } of tried) expect(stderr).toContain('refused inside an agent session')
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(await decisions(bench)).toEqual([])
})

test('commits and reviews what a person changed in the worktree, without starting a developer', async () => {
  const bench = openBench({ scenario: { reviewer: [{ cycle: 1, do: [wantsMore] }] } })
  await bench.add('Half by hand', '--no-review')
  await bench.umpire('work')
  expect((await bench.umpire('review', '1')).code).toBe(3)
  const worktree = join(bench.home, 'worktrees/1-half-by-hand')
  writeFileSync(join(worktree, 'by-hand.txt'), 'BY HAND\n')
  expect((await bench.umpire('review', '1')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2, iteration: 1 })
  expect(turns(shown)).toEqual(['developer 1 done', 'reviewer 1 done', 'reviewer 2 done'])
  expect(shown.sessions[2]?.prompt).toContain('+BY HAND')
  const tree = bench.git('rev-parse', `${shown.branch}^{tree}`)
  expect(shown.reviews[1]).toMatchObject({ verdict: 'APPROVED', tree })
  expect(bench.git('show', `${shown.branch}:by-hand.txt`)).toBe('BY HAND')

  // A commit by the person after the approval counts as well, and the old approval no longer holds.
  writeFileSync(join(worktree, 'by-hand.txt'), 'BETTER\n')
  bench.git('-C', worktree, 'commit', '-qam', 'By hand')
  bench.play({ reviewer: [{ cycle: 3, do: [{ say: '**Verdict: REJECTED**' }] }] })
  expect((await bench.umpire('review', '1')).code).toBe(3)
  const rejected = await bench.show(1)
  expect(rejected).toMatchObject({ status: 'blocked', reason: 'rejected', verdict: 'REJECTED', cycle: 3 })
  expect(rejected.reviews[2]?.tree).toBe(bench.git('rev-parse', `${worktreeHead(bench, worktree)}^{tree}`))
})

const worktreeHead = (bench: Bench, worktree: string) => bench.git('-C', worktree, 'rev-parse', 'HEAD')

test('every verdict of a review by hand sets the matching status', async () => {
  const says = (verdict: string): Act[] => [{ say: `Because.\n\n**Verdict: ${verdict}**` }]
  const verdicts = ['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'REJECTED']
  const bench = openBench({
    config: { parallel: 4 },
    scenario: { reviewer: verdicts.map((task) => ({ task, do: says(task) })) },
  })
  for (const title of verdicts) await bench.add(title, '--no-review')
  expect((await bench.umpire('work')).code).toBe(0)
  const ends: unknown[] = []
  for (const id of ['1', '2', '3', '4']) {
    const { code, stderr } = await bench.umpire('review', id)
    ends.push([code, stderr])
  }
  expect(ends).toEqual([
    [0, ''],
    [3, ''],
    [3, ''],
    [3, ''],
  ])
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: Shown[] }>()
  expect(tasks.map(({ status, reason, verdict }) => [status, reason, verdict])).toEqual([
    ['completed', null, 'APPROVED'],
    ['blocked', 'changes_requested', 'CHANGES_REQUESTED'],
    ['blocked', 'needs_discussion', 'NEEDS_DISCUSSION'],
    ['blocked', 'rejected', 'REJECTED'],
  ])
})
