/** Several reviewers for each review: `review.panel` and `review.approve_by`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, fileAppears, nothingRuns, openBench } from '../support/umpire.ts'

const actor = ['node', join(import.meta.dirname, '../fixtures/agents/actor.mjs')]
const approves: Act = { say: '**Verdict: APPROVED**' }
const requests = (description: string, more = {}): Act => ({
  say: JSON.stringify({ verdict: 'CHANGES_REQUESTED', issues: [{ description, type: 'bug', ...more }] }),
})

/** Opens a bench whose reviewers are `actor`, `second` and, with three seats, `third`. */
function openPanel(approve_by: unknown, reviewer: { session: string; do: Act[] }[], seats = 2): Bench {
  const further = ['second', 'third'].slice(0, seats - 1)
  return openBench({
    config: {
      agents: Object.fromEntries(further.map((name) => [name, { command: actor }])),
      review: {
        panel: further.map((agent) => ({
          agent,
          model: `model of ${agent}`,
          args: ['--strict'],
          env: { SEAT: agent },
        })),
        approve_by,
      },
    },
    scenario: { reviewer },
  })
}

test('review.panel and approve_by: all: all reviewers judge in parallel, each in its own clone, and all must approve', async () => {
  const bench = openPanel('all', [
    // Each waits for the other, so they run at the same time.
    { session: '2p1', do: [{ touch: '$BENCH/one' }, { await: '$BENCH/two' }, approves] },
    {
      session: '2p2',
      do: [
        { run: ['sh', '-c', 'echo "$SEAT" $(tr "\\0" " " < /proc/$PPID/cmdline) > "$BENCH/seat"'] },
        { touch: '$BENCH/two' },
        { await: '$BENCH/one' },
        {
          submit: {
            verdict: 'CHANGES_REQUESTED',
            summary: 'Not yet.',
            issues: [{ description: 'No tests.' }],
          },
        },
      ],
    },
  ])
  const id = await bench.add('Be judged by two')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2, revisionAttempts: 1 })
  const [first, second] = shown.reviews
  expect(shown.reviews).toHaveLength(2)
  expect(first).toMatchObject({ kind: 'task', cycle: 1, verdict: 'CHANGES_REQUESTED', channel: 'panel' })
  expect(first?.seats).toEqual([
    { seat: 1, session: '1-2p1', agent: 'actor', verdict: 'APPROVED', why: null },
    { seat: 2, session: '1-2p2', agent: 'second', verdict: 'CHANGES_REQUESTED', why: null },
  ])
  expect(second?.seats?.map(({ verdict }) => verdict)).toEqual(['APPROVED', 'APPROVED'])
  const reviewers = shown.sessions.filter(({ role }) => role === 'reviewer')
  expect(reviewers.map(({ agent, model, cycle }) => [agent, model, cycle])).toEqual([
    ['actor', null, 1],
    ['second', 'model of second', 1],
    ['actor', null, 2],
    ['second', 'model of second', 2],
  ])
  expect(readFileSync(join(bench.folder, 'seat'), 'utf8')).toMatch(/^second .*actor\.mjs --strict\n$/)
  const clones = bench.played().filter(({ session }) => session.startsWith('1-2p'))
  expect(new Set(clones.map(({ cwd }) => cwd)).size).toBe(2)
  expect(
    shown.sessions.find(({ iteration, role }) => iteration === 2 && role === 'developer')?.prompt,
  ).toContain('No tests.')

  const [file = ''] = readdirSync(join(bench.root, '.umpire/reviews'))
  const text = readFileSync(join(bench.root, '.umpire/reviews', file), 'utf8')
  expect(text).toContain('- Seat 2 (second, session 1-2p2): CHANGES_REQUESTED')
  expect(text.trimEnd()).toMatch(/\*\*Verdict: CHANGES_REQUESTED\*\*$/)
  expect((await bench.umpire('reviews', String(id))).stdout).toContain('seat 2 (second): CHANGES_REQUESTED')
  const types = (await bench.events()).map(({ type }) => type)
  expect(types.filter((type) => type === 'review.given')).toHaveLength(4)
  expect(types.filter((type) => type === 'review.completed')).toHaveLength(2)
  expect(await bench.umpire('doctor', '--deep')).toMatchObject({ code: 0, stderr: '' })
})

test('review.approve_by: any and quorum accept enough approvals, and keep the issues of outvoted reviewers', async () => {
  const against = requests('It loses data.', { file: 'work-1.txt', line: 1 })
  const seats = [
    { session: '2p1', do: [approves] },
    { session: '2p2', do: [against] },
  ]
  const any = openPanel('any', seats)
  const id = await any.add('Please one of two')
  expect((await any.umpire('work')).code).toBe(0)
  const shown = await any.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1, dissent: 1 })
  expect((await any.umpire('status')).stdout).toContain('completed  APPROVED (1 cycle, 1 dissenting)')
  expect(shown.issues).toEqual([
    expect.objectContaining({
      severity: 'advisory',
      status: 'open',
      description: 'Dissent of seat 2 (second): It loses data.',
    }),
  ])

  const quorum = openPanel({ quorum: 2 }, [...seats, { session: '2p3', do: [against] }], 3)
  await quorum.add('Please two of three')
  expect((await quorum.umpire('work')).code).toBe(0)
  const judged = await quorum.show(1)
  expect(judged).toMatchObject({ status: 'completed', cycle: 2 })
  // An issue that two of them found counts once.
  expect(judged.reviews[0]?.issues).toHaveLength(1)
  expect(judged.reviews[1]?.seats).toHaveLength(3)
})

test('counts a panel reviewer that fails to answer as absent: no approval, but no veto either', async () => {
  const seats = [{ session: '2p2', do: [{ complain: 'Out of order.' }, { exit: 1 }] as Act[] }]
  const all = openPanel('all', seats)
  await all.add('Need all')
  expect((await all.umpire('work')).code).toBe(1)
  const failed = await all.show(1)
  expect(failed).toMatchObject({ status: 'failed', reason: 'crash', cycle: 0, reviews: [] })
  expect(failed.detail).toContain('seat 2')
  // The other reviewer's answer was paid for, so it stands.
  await all.umpire('retry', '1')
  expect((await all.umpire('work')).code).toBe(0)
  const retried = await all.show(1)
  expect(retried).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(retried.sessions.filter(({ role }) => role === 'reviewer').map(({ id }) => id)).toEqual([
    '1-2p1',
    '1-2p2',
    '1-4p2',
  ])

  const any = openPanel('any', seats)
  await any.add('Need one')
  expect((await any.umpire('work')).code).toBe(0)
  const shown = await any.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(shown.reviews[0]?.seats).toMatchObject([
    { verdict: 'APPROVED', why: null },
    { verdict: null, why: expect.stringContaining('Out of order.') },
  ])
})

test('after a kill during a panel review, the next worker continues all of it', async () => {
  const bench = openPanel('all', [
    { session: '2p1', do: [{ touch: '$BENCH/one' }, { await: '$BENCH/go' }, approves] },
    { session: '2p2', do: [{ touch: '$BENCH/two' }, { await: '$BENCH/go' }, approves] },
  ])
  await bench.add('Survive')
  const first = bench.start('work')
  await fileAppears(join(bench.folder, 'one'))
  await fileAppears(join(bench.folder, 'two'))
  first.kill('SIGKILL')
  await first.ended
  expect((await bench.umpire('status')).stdout).toContain('unattended')
  const second = bench.start('work')
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await second.ended).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(shown.sessions.map(({ id, status }) => [id, status])).toEqual([
    ['1-1', 'done'],
    ['1-2p1', 'done'],
    ['1-2p2', 'done'],
  ])
})

test('gates that two panel reviewers run at the same time do not interfere with each other', async () => {
  const asks: Act[] = [{ call: 'run_gate', with: { name: 'meet' } }, approves]
  // The first run is the loop's own; the other two wait for each other.
  const meet =
    'echo >> "$BENCH/runs"; n=$(wc -l < "$BENCH/runs"); until [ $n -lt 2 ] || [ $(wc -l < "$BENCH/runs") -gt 2 ]; do :; done'
  const bench = openBench({
    config: {
      agents: { first: { command: actor, tools: 'http' }, second: { command: actor, tools: 'http' } },
      roles: { developer: 'actor', reviewer: 'first' },
      review: { panel: [{ agent: 'second' }] },
      gates: { meet },
    },
    scenario: { reviewer: [{ do: asks }] },
  })
  await bench.add('Be checked by two')
  expect((await bench.umpire('work')).code).toBe(0)
  const answers = bench.played().filter(({ call }) => call === 'run_gate')
  expect(answers.map(({ session, isError }) => [session, isError]).sort()).toEqual([
    ['1-2p1', false],
    ['1-2p2', false],
  ])
  expect((await bench.show(1)).sessions.at(-1)?.prompt).toContain('run_gate')
})

test('cancel and Ctrl-C end every reviewer of a panel', async () => {
  const hangs = (name: string): Act[] => [{ touch: `$BENCH/${name}` }, { await: '$BENCH/never' }]
  const bench = openPanel('all', [
    { session: '2p1', do: hangs('one') },
    { session: '2p2', do: hangs('two') },
    { session: '4p1', do: hangs('three') },
    { session: '4p2', do: hangs('four') },
  ])
  await bench.add('Be ended')
  const first = bench.start('work')
  await fileAppears(join(bench.folder, 'one'))
  await fileAppears(join(bench.folder, 'two'))
  first.kill('SIGINT')
  expect((await first.ended).code).toBe(130)
  await nothingRuns(bench)
  expect((await bench.show(1)).sessions.map(({ status }) => status)).toEqual([
    'done',
    'interrupted',
    'interrupted',
  ])

  const second = bench.start('work')
  await fileAppears(join(bench.folder, 'three'))
  await fileAppears(join(bench.folder, 'four'))
  await bench.umpire('cancel', '1')
  await second.ended
  await nothingRuns(bench)
  expect(await bench.show(1)).toMatchObject({ status: 'cancelled' })
})
