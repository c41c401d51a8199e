/** What a person reads: status lines, the page of a task, transcripts, the diff, the reviews and their files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, openBench, until } from '../support/umpire.ts'

const rejection = {
  ...{ verdict: 'CHANGES_REQUESTED', summary: 'Not yet.', interpretedIntent: 'A greeting' },
  issues: [{ file: 'work-1.txt', line: 1, type: 'bug', description: 'Too short.', suggestion: 'More.' }],
}

test('status shows each task on one line in the contract’s format, during and after the run', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          task: 'Add feature X',
          cycle: 2,
          do: [
            { touch: '$BENCH/in-cycle-2' },
            { await: '$BENCH/go-on' },
            { write: { 'work-1.txt': 'longer\n' } },
            { say: 'Longer now.' },
          ],
        },
      ],
      reviewer: [
        { task: 'Add feature X', cycle: 1, do: [{ submit: rejection }] },
        { task: 'Capped', do: [{ submit: rejection }] },
      ],
    },
  })
  await bench.add('Add feature X', '--max-cycles', '3')
  await bench.add('Capped', '--max-cycles', '1')
  await bench.add('Not yet')
  const watching = bench.start('status', '--watch')
  const work = bench.start('work', '1', '2')
  await fileAppears(join(bench.folder, 'in-cycle-2'))
  await until(async () => (await bench.show(2)).status === 'blocked', 'task 2 blocked')
  const blocked = [
    '! 2. implement Capped  blocked  MAX_CYCLES_REACHED (1 cycle)',
    '    1 of 1 reviews are done, and the reviewer still requests changes. Kept: branch umpire/2-capped and its worktree.',
    expect.stringMatching(/^ {4}next: umpire reviews 2 {2}· {2}umpire .* {2}· {2}umpire retry 2 {2}· /),
  ]
  expect((await bench.umpire('status')).stdout.split('\n')).toEqual([
    '→ 1. implement Add feature X  in_progress (cycle 2/3)',
    ...blocked,
    '· 3. implement Not yet  pending',
    '',
  ])
  const live = bench.start('log', '1', '-f', '--role', 'developer', '--raw')
  await until(() => live.stdout().includes('Done.'), 'the first session’s words')
  bench.write({ '../go-on': '' })
  const { code, stdout } = await work.ended
  expect(code).toBe(3)
  expect(await live.ended).toMatchObject({ code: 0, stdout: 'Done.\nLonger now.\n' })
  const approved = '✓ 1. implement Add feature X  completed  APPROVED (2 cycles)'
  expect((await bench.umpire('status')).stdout.split('\n').slice(0, 4)).toEqual([approved, ...blocked])

  // `work` prints one line for each step, and ends with the same lines.
  expect(stdout).toContain(approved)
  expect(stdout).toContain('#1 [1/3] Developing…\n')
  expect(stdout).toContain('#1 [2/3] Reviewing…\n')
  expect(stdout).toContain('#2 [1/1] Review: CHANGES_REQUESTED - Not yet.\n')
  await until(() => watching.stdout().includes(approved), 'the watcher to see the approval')
  expect(watching.stdout()).toContain('→ 1. implement Add feature X  in_progress (cycle 2/3)')
  watching.kill('SIGINT')
  await watching.ended
})

test('status shows active tasks and the latest 20, and all with --all', async () => {
  const bench = openBench()
  await bench.add('Still open')
  await Promise.all(Array.from({ length: 22 }, (_, index) => bench.add(`Task ${index}`)))
  for (let id = 2; id <= 23; id++) await bench.umpire('cancel', String(id))
  const ids = async (...flags: string[]) =>
    [...(await bench.umpire('status', ...flags)).stdout.matchAll(/^\S (\d+)\. /gm)].map(([, id]) =>
      Number(id),
    )
  const all = Array.from({ length: 23 }, (_, index) => index + 1)
  expect(await ids()).toEqual([1, ...all.slice(3)])
  expect(await ids('--all')).toEqual(all)
  const { tasks } = (await bench.umpire('status', '--json', '--all')).json<{ tasks: object[] }>()
  expect(tasks).toHaveLength(23)
})

test('show, log, diff, reviews and the review files tell the whole story of a task', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          cycle: 2,
          do: [{ write: { 'work-1.txt': 'longer\n' } }, { say: 'Longer.' }, { complain: 'a warning' }],
        },
      ],
      reviewer: [
        { cycle: 1, do: [{ submit: rejection }, { say: 'I handed it in.' }] },
        { do: [{ say: 'All is well.\n\n**Verdict: APPROVED**' }] },
      ],
    },
    config: { gates: { test: 'true', lint: 'echo tidy' } },
  })
  const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`)
  const story = ['A whole', 'story', ...lines.slice(2)].join('\n')
  await bench.add('Say it', '-d', story, '--accept', 'It is said')
  expect((await bench.umpire('log', '1')).stdout).toMatch(/^Task 1 has no sessions yet\./)
  expect((await bench.umpire('reviews', '1')).stdout).toBe('Task 1 has no review yet.\n')
  expect((await bench.umpire('work')).code).toBe(0)

  const page = (await bench.umpire('show', '1')).stdout
  expect(page).toMatch(
    /^#1 Say it\nimplement, completed {2}APPROVED \(2 cycles\)\nended just now, took .*\nBranch umpire\/1-say-it, from main: \+1 −0 in 1 file\n\nIssues/,
  )
  expect(page).toContain('1. resolved bug work-1.txt:1 (blocking, opened in 1, resolved in 2): Too short.')
  expect(page).toContain(
    'Reviews, latest first\n  2. APPROVED, just now: All is well.\n  1. CHANGES_REQUESTED, just now: Not yet.\n',
  )
  expect(page).toMatch(/Gates\n {2}test: passed in .* {2}true\n {2}lint: passed in .* {2}echo tidy\n/)
  expect(page).toMatch(
    / {2}1-2 reviewer, cycle 1, actor: done, took .*\n {2}1-1 developer, cycle 1, actor: done, took /,
  )
  expect(page).toContain(
    'Description\n  A whole\n  story\n  line 3\n  … and 6 more: see umpire show 1 --all\n',
  )
  expect(page).toContain('Acceptance criteria\n  It is said\n')
  expect(page).not.toContain('line 9')
  expect((await bench.umpire('show', '1', '--all')).stdout).toContain('line 8\n  line 9\n')

  const log = async (...flags: string[]) => (await bench.umpire('log', '1', ...flags)).stdout
  expect(await log()).toMatch(
    /^── 1-1 developer, iteration 1, cycle 1, actor: done at \d\d:\d\d, took .* ──\nDone\.\n── 1-2 reviewer, .*\nI handed it in\.\n── 1-3 /,
  )
  expect(await log('--raw', '--role', 'reviewer')).toBe(
    'I handed it in.\nAll is well.\n\n**Verdict: APPROVED**\n',
  )
  expect(await log('--raw', '--cycle', '1')).toBe('Done.\nI handed it in.\n')
  const words = (await log('--json', '--role', 'developer', '--cycle', '2')).trimEnd().split('\n')
  const from = (source: string) =>
    words.map((line) => JSON.parse(line)).filter((word) => word.source === source)
  // What came first cannot be known: the two streams are two files, each read on its own.
  expect(words).toHaveLength(2)
  expect(from('stdout')).toMatchObject([
    { session: '1-3', role: 'developer', cycle: 2, iteration: 2, content: 'Longer.' },
  ])
  expect(from('stderr')).toMatchObject([{ session: '1-3', content: 'a warning' }])
  expect(await log('--follow', '--raw', '--cycle', '1')).toBe('Done.\nI handed it in.\n')

  const diff = await bench.umpire('diff', '1')
  expect(diff.stdout).toBe(`${bench.git('diff', 'main', 'umpire/1-say-it')}\n`)
  expect(bench.git('log', '--format=%s', 'main..umpire/1-say-it').split('\n')).toEqual([
    'Address review feedback (cycle 1)',
    'Say it',
  ])
  // The trailer names the session, so that a commit made just before a crash is found again.
  expect(bench.git('log', '--format=%b', 'main..umpire/1-say-it').split('\n\n')).toEqual([
    'Attempt: 1/3',
    'Attempt: 1/1',
  ])

  const [first = '', second = '', ...more] = readdirSync(join(bench.home, 'reviews')).sort()
  const today = (await bench.show(1)).reviews.map(({ reviewedAt }) =>
    reviewedAt.slice(0, 10).replaceAll('-', ''),
  )
  expect([first, second, more]).toEqual([
    `${today[0]}-task-1-review-1.md`,
    `${today[1]}-task-1-review-2.md`,
    [],
  ])
  const read = (name: string) => readFileSync(join(bench.home, 'reviews', name), 'utf8')
  for (const part of ['# Review 1 of task 1: Say it', 'A greeting', 'Not yet.', 'work-1.txt:1', 'More.']) {
    expect(read(first)).toContain(part)
  }
  expect(read(first)).toMatch(/\n\n\*\*Verdict: CHANGES_REQUESTED\*\*\n$/)
  expect(read(second)).toMatch(/\n\n\*\*Verdict: APPROVED\*\*\n$/)
  const reviews = (await bench.umpire('reviews', '1')).stdout
  expect(reviews).toContain('1. CHANGES_REQUESTED  just now\n')
  expect(reviews).toContain('   - blocking bug work-1.txt:1: Too short.\n')
  expect(reviews).toContain(`   .umpire/reviews/${second}\n`)
})

const readings: [string, string, object, number][] = [
  ['auto', '**Verdict: APPROVED**', { verdict: 'APPROVED', malformed: null, issues: [] }, 0],
  ['verdict-line', 'Verdict: rejected', { verdict: 'REJECTED' }, 0],
  ['marker', 'APPROVED', { verdict: 'APPROVED' }, 0],
  ['marker', 'FEEDBACK: too short', { verdict: 'CHANGES_REQUESTED' }, 0],
  ['json', '{"result":"needs_revision","feedback":[{"issue":"Short."}],"summary":"S"}', { summary: 'S' }, 0],
  ['json', '**Verdict: APPROVED**', { verdict: null, issues: [], summary: null }, 4],
  ['marker', '{"verdict":"APPROVED"}', { verdict: null }, 4],
  ['auto', '', { verdict: null, malformed: expect.stringContaining('no verdict found') }, 4],
  ['auto', 'NOT APPROVED', { verdict: null, malformed: expect.any(String) }, 4],
]

test('verdict reads a review from the given channel, and prints JSON or text', async () => {
  const bench = openBench()
  for (const [channel, stdin, expected, code] of readings) {
    const read = await bench.call(['verdict', '--channel', channel, '--json'], { stdin })
    expect([channel, stdin, read.code]).toEqual([channel, stdin, code])
    expect(Object.keys(read.json<object>())).toEqual(['verdict', 'malformed', 'issues', 'summary'])
    expect(read.json()).toMatchObject(expected)
  }
  const stdin = '{"verdict":"FEEDBACK","issues":["Too short."]}'
  expect(await bench.call(['verdict'], { stdin })).toMatchObject({
    ...{ code: 0, stdout: 'CHANGES_REQUESTED\n- blocking: Too short.\n', stderr: '' },
  })
  const unread = await bench.call(['verdict'], { stdin: 'Looks good', cwd: bench.folder })
  expect(unread).toMatchObject({ code: 4, stdout: expect.stringMatching(/^unreadable: no verdict found/) })
})

test('log says when there is nothing to show, and what to do about it', async () => {
  const bench = openBench()
  await bench.add('Something to do')
  const none = 'Task 1 has no sessions yet. umpire work 1 starts it.\n'
  expect(await bench.umpire('log', '1')).toMatchObject({ code: 0, stdout: none })
  for (const flag of ['--raw', '--json'])
    expect(await bench.umpire('log', '1', flag)).toMatchObject({ code: 0, stdout: '' })
  expect((await bench.umpire('log', '1', '--role', 'reviewer', '--cycle', '2')).stdout).toBe(
    'Task 1 has no sessions of a reviewer in cycle 2 yet. umpire show 1 lists the sessions it has.\n',
  )
})
