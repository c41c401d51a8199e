/** Budgets: Umpire reserves the expected cost of a session before it starts. If that is too much, it parks the task. */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench, until } from '../support/umpire.ts'

/**
 * Imitates Claude Code. Each session costs 0.25 dollars. Developers wait while the file `wait` exists. The first review
 * asks for changes if the title contains "twice".
 */
const program = `#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
const { UMPIRE_ROLE: role, UMPIRE_CYCLE: cycle, UMPIRE_TASK: task, UMPIRE_TASK_TITLE: title, BENCH: bench } = process.env
readFileSync(0)
while (role === 'developer' && existsSync(bench + '/wait')) await sleep(20)
if (role === 'developer') appendFileSync('made-' + task + '.txt', cycle + '\\n')
const passes = cycle !== '1' || !title.includes('twice')
const review = { verdict: passes ? 'APPROVED' : 'CHANGES_REQUESTED', summary: 'Read.', issues: passes ? [] : ['Once more.'] }
const result = role === 'developer' ? 'Done.' : '\`\`\`json\\n' + JSON.stringify(review) + '\\n\`\`\`'
console.log(JSON.stringify({ type: 'result', is_error: false, num_turns: 1, result, total_cost_usd: 0.25 }))
`

function openWithCosts(budget: Record<string, number> = {}): Bench {
  const bench = openBench({ config: { roles: { developer: 'claude', reviewer: 'claude' }, parallel: 1 } })
  bench.write({ '../bin/claude': program, '../bin/package.json': '{"type":"module"}' })
  chmodSync(join(bench.folder, 'bin/claude'), 0o755)
  bench.env.PATH = `${join(bench.folder, 'bin')}:${bench.env.PATH}`
  setBudget(bench, budget)
  return bench
}

function setBudget(bench: Bench, budget: Record<string, number>): void {
  bench.write({ 'umpire.local.yaml': JSON.stringify({ budget }) })
}

async function sessionsOf(bench: Bench, task = 1): Promise<string[]> {
  const { sessions } = await bench.show(task)
  return sessions.map(({ role, iteration, cycle, attempt }) => `${role} ${iteration}/${cycle}/${attempt}`)
}

/** The sessions of a task with two reviews that no budget stops. */
const undisturbed = ['developer 1/1/1', 'reviewer 1/1/1', 'developer 2/2/1', 'reviewer 2/2/1']

test.each([
  // Each of these is the only key in umpire.local.yaml.
  'task',
  'run',
  'day',
])(
  'budget.%s parks a task before a session that does not fit; a higher budget lets it continue by itself',
  async (key) => {
    const bench = openWithCosts({ [key]: 0.6 })
    await bench.add('Do it twice')
    const parked = await bench.umpire('work', '--plain')
    expect(parked.code).toBe(3)
    expect(parked.stdout).toMatch(
      new RegExp(
        `Blocked \\(budget\\): The budget is too small for the reviewer, which is expected to cost \\$0\\.50: budget\\.${key}`,
      ),
    )
    // Reserved money does not count as spent, so there is no warning yet.
    expect(parked.stdout).not.toContain('Most of a budget')
    // A new run has its own money; the other budgets have no more room than before.
    for (const ids of key === 'run' ? [] : [[], ['1']])
      expect(await bench.umpire('work', '--plain', ...ids)).toMatchObject({
        ...{
          code: 3,
          stdout: expect.stringContaining(`Task 1 waits for a larger budget: budget.${key} is $0.60. Raise`),
        },
      })
    expect(await bench.show(1)).toMatchObject({
      ...{ status: 'blocked', reason: 'budget', verdict: null, phase: 'check', cycle: 0, iteration: 1 },
      ...{ costUsd: 0.25, revisionAttempts: 0 },
    })
    expect(bench.git('show', 'umpire/1-do-it-twice:made-1.txt')).toBe('1')
    expect((await bench.umpire('status')).stdout).toMatch(/blocked {2}budget \(0 cycles\) {2}\$0\.25/)
    expect((await bench.umpire('show', '1')).stdout).toMatch(
      /of \$0\.60 \(.*\): \$0\.25 spent, \$0\.00 reserved/,
    )

    setBudget(bench, { [key]: 5 })
    expect(await bench.umpire('work', '--plain')).toMatchObject({ code: 0, stderr: '' })
    expect(await sessionsOf(bench)).toEqual(undisturbed)
    expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
    const types = (await bench.events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'loop.freed' || type === 'loop.blocked')).toEqual([
      'loop.blocked',
      'loop.freed',
    ])
    expect((await bench.umpire('stats')).stdout).toMatch(
      new RegExp(
        `^budget\\.${key} of \\$5\\.00 \\(.*\\): \\$(1\\.00|0\\.75) spent, \\$0\\.00 reserved$`,
        'm',
      ),
    )
  },
)

test('work --budget limits the cost of each run separately, and overrides the file', async () => {
  const bench = openWithCosts({ run: 5 })
  await bench.add('Do it twice')
  expect((await bench.umpire('work', '--budget', '0.6')).code).toBe(3)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 1))
  const blocked = (await bench.events()).findLast(({ type }) => type === 'loop.blocked')
  expect(blocked?.data.recovery).toEqual(['umpire work --budget 2', 'umpire show 1'])
  // A dry run changes nothing.
  expect((await bench.umpire('work', '--budget', '0.6', '--dry-run')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked' })
  // Naming the task works, too. A reviewer's cost is known only now: the third session still fits into this run's own
  // budget, the fourth does not.
  expect((await bench.umpire('work', '1', '--budget', '0.6')).code).toBe(3)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 3))
  expect((await bench.umpire('status')).stdout).toContain('blocked  budget (CHANGES_REQUESTED, 1 cycle)')
  // With too small a budget the task stays parked.
  await bench.add('Comes after it', '--after', '1')
  expect(await bench.umpire('work', '--budget', '0.1')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining(
      'Task 1 waits for a larger budget: budget.run is $0.10. umpire work --budget N gives',
    ),
  })
  expect(await bench.umpire('work', '2', '--budget', '0.1')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /Task 1 is blocked: budget\.\nNext: umpire work --budget \d+, or umpire show 1\./,
    ),
  })
  await bench.umpire('delete', '2')
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'budget', phase: 'check' })
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await sessionsOf(bench)).toEqual(undisturbed)
})

test('umpire retry also reopens a parked task, and Umpire checks the budget again', async () => {
  const bench = openWithCosts({ task: 0.6 })
  await bench.add('Do it')
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 1))
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  setBudget(bench, {})
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 2))
})

test('an unknown cost counts as the amount reserved for it, and Umpire warns once', async () => {
  const bench = openBench({ config: { budget: { task: 1.7 }, parallel: 1 } })
  bench.play({
    reviewer: [
      { cycle: 1, do: [{ submit: { verdict: 'CHANGES_REQUESTED', summary: 'No.', issues: ['More.'] } }] },
    ],
  })
  await bench.add('Nobody says what it costs')
  const { code, stdout } = await bench.umpire('work', '--plain')
  expect(code).toBe(3)
  expect(stdout).toMatch(
    /budget\.task of \$1\.70 \(task 1\): \$1\.50 spent \(\$1\.50 of it estimated\), \$0\.00 reserved/,
  )
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 2))
  const warned = (await bench.events()).filter(({ type }) => type === 'budget.warned')
  expect(warned.map(({ data }) => data)).toMatchObject([
    { kind: 'unknown', of: '1', sessions: 1 },
    { kind: 'near', budget: 'task', of: '1', limit: 1.7, spent: 1.5 },
  ])
})

test('parks a task while another reserves all the money, and continues it when the other costs less', async () => {
  const bench = openWithCosts()
  bench.write({ '../wait': '' })
  await bench.add('The first')
  await bench.add('The second')
  // Each developer is expected to cost a dollar until the first one reports its real cost.
  const work = bench.start('work', '--parallel', '2', '--budget', '1.5', '--plain')
  await until(() => work.stdout().includes('Blocked (budget)'), 'a parked task')
  expect(work.stdout()).toMatch(/#[12] .*Blocked \(budget\).* \$0\.00 spent, \$1\.00 reserved/)
  rmSync(join(bench.folder, 'wait'))
  expect((await work.ended).code).toBe(0)
  for (const task of [1, 2])
    expect(await bench.show(task)).toMatchObject({ verdict: 'APPROVED', costUsd: 0.5 })
})

test('refuses a step by hand that exceeds the budget before anything changes', async () => {
  const bench = openWithCosts()
  await bench.add('Do it')
  expect((await bench.umpire('work')).code).toBe(0)
  const before = await bench.show(1)
  const events = await bench.events()
  setBudget(bench, { task: 0.6 })
  for (const [step, role] of [
    [['review', '1'], 'reviewer'],
    [['improve', '1', '--note', 'Shorter.'], 'developer'],
  ] as const) {
    const refused = await bench.umpire(...step)
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toBe(
      `umpire: The budget is too small for the ${role}, which is expected to cost $0.25: ` +
        'budget.task of $0.60 (task 1): $0.50 spent, $0.00 reserved.\n' +
        'The task stays as it was. Raise budget.task in umpire.yaml, then ask again.\n',
    )
  }
  expect(await bench.show(1)).toEqual(before)
  expect(await bench.events()).toEqual(events)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
})
