/** The page of a task shows the most important first, and is no longer than a screen. */

import { expect, test } from 'vitest'
import { applyChange } from '../../src/core/loop.ts'
import type { GateRow, ReviewRow, SessionRow } from '../../src/store/archive.ts'
import { renderTaskPage, type TaskPage } from '../../src/view/task-page.ts'
import { finding, judges, requests } from '../core/turns.ts'
import { World } from '../core/world.ts'

const now = new Date('2026-01-01T01:00:00.000Z')
const screen = { now, extent: 'a screen' as const, columns: 100 }

const session: SessionRow = {
  ...{
    id: '7-1',
    task: 7,
    role: 'developer',
    iteration: 1,
    cycle: 1,
    attempt: 1,
    agent: 'claude',
    model: null,
  },
  ...{
    agentSession: null,
    status: 'done',
    outcome: { kind: 'done' },
    tokenHash: '',
    exitCode: 0,
    messages: 3,
  },
  ...{ startedAt: '2026-01-01T00:10:00.000Z', endedAt: '2026-01-01T00:14:12.000Z', refused: [] },
  ...{ costUsd: 0.42, tokens: 12_345 },
}
const gate: GateRow = {
  ...{ name: 'test', command: 'npm test', kind: 'gate', passed: false, exitCode: 1, timedOut: false },
  ...{ tree: 't', output: '', durationMs: 61_000, at: '2026-01-01T00:20:00.000Z' },
}
const review: ReviewRow = {
  ...{
    id: 'r',
    kind: 'task',
    cycle: 1,
    attempt: 1,
    verdict: 'CHANGES_REQUESTED',
    passed: false,
    blocking: false,
  },
  ...{
    summary: 'Not yet.',
    tree: 't',
    sessionId: '7-2',
    parsedBy: null,
    seats: null,
    command: '',
    channel: 'json',
    issues: [],
    scores: {},
  },
  ...{ interpretedIntent: null, intentSatisfied: null, rawOutput: '', costUsd: null },
  reviewedAt: '2026-01-01T00:57:00.000Z',
}

/** A task that ran for long and has plenty of everything. */
function longPage(): TaskPage {
  const issues = Array.from({ length: 17 }, (_, index) => finding({ description: `Finding ${index + 1}` }))
  const { loop } = new World(
    { maxCycles: 2 },
    {
      ...{
        title: 'Greet in French',
        accept: Array.from({ length: 9 }, (_, index) => `Criterion ${index + 1}`),
      },
      description: Array.from({ length: 30 }, (_, index) => `Line ${index + 1}`).join('\n'),
    },
  ).play({ reviewer: [requests(...issues), judges({ verdict: 'REJECTED', summary: 'Why?\n'.repeat(30) })] })
  return {
    loop,
    sessions: Array.from({ length: 23 }, (_, index) => ({
      ...session,
      id: `7-${index + 1}`,
      refused: ['umpire merge 7'],
    })),
    reviews: Array.from({ length: 12 }, (_, index) => ({ ...review, cycle: index + 1 })),
    gates: Array.from({ length: 11 }, (_, index) => ({ ...gate, name: `gate-${index}` })),
    commits: 2,
    weakened: null,
    files: [
      { added: 12, removed: 3 },
      { added: 1, removed: 0 },
    ],
  }
}

test('status, reason and next commands come first, and times, sizes and cost are easy to read', () => {
  const page = { ...longPage(), sessions: [session], reviews: [review], gates: [gate] }
  const { loop } = page
  const text = renderTaskPage(
    { ...page, loop: applyChange(loop, { standing: { costUsd: 1.5, tokens: 950 } }) },
    screen,
  )
  expect(text.split('\n').slice(0, 6)).toEqual([
    '#7 Greet in French',
    'implement, blocked  REJECTED (2 cycles)',
    'ended 59 min ago, took under 1 s, $1.50, 950 tokens',
    'Branch umpire/7-add, from main: +13 −3 in 2 files',
    '',
    expect.stringMatching(/^rejected: .*Why\?$/),
  ])
  expect(text).toContain(
    '\nKept: branch umpire/7-add with 2 commits, and its worktree.\nNext:\n  umpire reviews 7\n',
  )
  expect(text).toContain('\nReviews, latest first\n  1. CHANGES_REQUESTED, 3 min ago: Not yet.\n')
  expect(text).toContain('\nGates\n  test: failed (exit code 1) in 1 min 1 s  npm test\n')
  expect(text).toContain('  7-1 developer, cycle 1, claude: done, took 4 min 12 s, $0.42, 12.3k tokens\n')
  const order = ['Next:', 'Issues (', 'Reviews,', 'Gates', 'Sessions,', 'Description', 'Acceptance']
  const places = order.map((title) => text.indexOf(`\n${title}`))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places).not.toContain(-1)
})

test('a usual task fits on a screen, and even the longest hardly exceeds it', () => {
  const usual: TaskPage = {
    loop: new World({}, { description: 'One\nTwo', accept: ['It is tested', 'It is said'] }).play({
      reviewer: [requests(finding(), finding({ description: 'Another' })), judges({ verdict: 'REJECTED' })],
    }).loop,
    sessions: ['7-1', '7-2', '7-3', '7-4'].map((id) => ({ ...session, id })),
    reviews: [review, { ...review, cycle: 2 }],
    gates: [gate, { ...gate, name: 'lint' }],
    ...{ commits: 2, files: [{ added: 12, removed: 3 }], weakened: null },
  }
  expect(renderTaskPage(usual, screen).split('\n').length).toBeLessThanOrEqual(40)
  const long = renderTaskPage(longPage(), screen)
  expect(long.split('\n').length).toBeLessThanOrEqual(56)
  for (const line of long.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
})

test('a cut list says how much is missing and which command shows it, and --all cuts nothing', () => {
  const page = longPage()
  const text = renderTaskPage(page, screen)
  expect(text).toContain('  … and 12 more: see umpire show 7 --all')
  expect(text).toContain('  … and 19 more: see umpire log 7')
  expect(text).toContain('  … and 9 more: see umpire reviews 7')
  // The latest sessions are shown.
  expect(text).toContain('7-23 developer')
  expect(text).not.toContain('7-1 developer')
  const all = renderTaskPage(page, { now, extent: 'everything', columns: Number.POSITIVE_INFINITY })
  for (const part of ['Finding 17', '7-1 developer', 'Line 30', 'Criterion 9', 'gate-10'])
    expect(all).toContain(part)
  expect(all).not.toContain('more;')
})

test('open blocking issues come before advisory ones', () => {
  const advisory = finding({ description: 'Small', severity: 'advisory' })
  const { loop } = new World().play({
    reviewer: [judges({ verdict: 'REJECTED', issues: [advisory, finding()] })],
  })
  const text = renderTaskPage({ ...longPage(), loop }, screen)
  expect(text).toMatch(
    /\nIssues \(2 open, 0 resolved\)\n {2}2\. open other \(blocking.*\n {2}1\. open other \(advisory/,
  )
})

test('a new task is only a few lines', () => {
  const { loop } = new World({}, { title: 'Only filed' })
  const filed = applyChange(loop, { standing: { status: 'pending', startedAt: null }, policy: null })
  const empty = {
    loop: filed,
    sessions: [],
    reviews: [],
    gates: [],
    commits: null,
    files: null,
    weakened: null,
  }
  expect(renderTaskPage(empty, screen)).toBe('#7 Only filed\nimplement, pending')
})

test('a cost is shown as a minimum if a session reported none', () => {
  const page = longPage()
  const sessions = [session, { ...session, id: '7-2', costUsd: null }]
  const loop = applyChange(page.loop, { standing: { costUsd: 1.5 } })
  expect(renderTaskPage({ ...page, loop, sessions }, screen)).toContain(', at least $1.50')
  const running = [session, { ...session, id: '7-2', costUsd: null, endedAt: null }]
  expect(renderTaskPage({ ...page, loop, sessions: running }, screen)).toContain('s, $1.50')
})

test('the page does not suggest the command that opens it', () => {
  const page = longPage()
  const loop = applyChange(page.loop, { standing: { recovery: ['umpire show 7', 'umpire retry 7'] } })
  const text = renderTaskPage({ ...page, loop }, screen)
  expect(text).toContain('Next:\n  umpire retry 7\n')
})

test('shows its scope, and its own gates before they have run', () => {
  const { loop } = new World({}, { scope: 'Only src/greet.ts.', gates: ['npm run lint', 'npm test'] })
  const page = { loop, sessions: [], reviews: [], gates: [], commits: null, files: null, weakened: null }
  expect(renderTaskPage(page, screen)).toContain('Scope\n  Only src/greet.ts.')
  expect(renderTaskPage(page, screen)).toContain(
    'Gates\n  not run yet: npm run lint\n  not run yet: npm test',
  )
  const ran = renderTaskPage({ ...page, gates: [{ ...gate, command: 'npm test' }] }, screen)
  expect(ran).toContain('npm test\n  not run yet: npm run lint')
  expect(ran).not.toContain('not run yet: npm test')
})
