/** Budgets: what a session is expected to cost is reserved before it starts, and where that is too much the task is parked. */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench, until } from '../support/umpire.ts'

/**
 * Stands for Claude Code. Each session costs 0.25 dollars. Developers wait where there is something to wait for; the
 * reviewer asks for changes where the task says so.
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

/** As they come when nothing stops them. */
const undisturbed = ['developer 1/1/1', 'reviewer 1/1/1', 'developer 2/2/1', 'reviewer 2/2/1']

test.each([
  // Each in a file of its own, with nothing else in it.
  'task',
  'run',
  'day',
])(
  'budget.%s parks a task before a session that it has no room for; a higher one lets it go on there by itself',
  async (key) => {
    const bench = openWithCosts({ [key]: 0.6 })
    await bench.add('Do it twice')
    const parked = await bench.umpire('work', '--plain')
    expect(parked.code).toBe(3)
    expect(parked.stdout).toMatch(
      new RegExp(
        `Blocked \\(budget\\): The budget does not allow the reviewer, which is expected to cost \\$0\\.50: budget\\.${key}`,
      ),
    )
    // Nothing near all of it is spent, however much was reserved.
    expect(parked.stdout).not.toContain('Most of a budget')
    // A new run has money of its own; the other budgets are as empty as before.
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

test('work --budget is what the run may cost, over the file’s, and each run has its own', async () => {
  const bench = openWithCosts({ run: 5 })
  await bench.add('Do it twice')
  expect((await bench.umpire('work', '--budget', '0.6')).code).toBe(3)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 1))
  const blocked = (await bench.events()).findLast(({ type }) => type === 'loop.blocked')
  expect(blocked?.data.recovery).toEqual(['umpire work --budget 2', 'umpire show 1'])
  // By number, too; and a dry run changes nothing.
  expect((await bench.umpire('work', '--budget', '0.6', '--dry-run')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked' })
  // What the reviewers cost is known only now: the third session still fits into this run's own budget, the fourth does not.
  expect((await bench.umpire('work', '1', '--budget', '0.6')).code).toBe(3)
  expect(await sessionsOf(bench)).toEqual(undisturbed.slice(0, 3))
  expect((await bench.umpire('status')).stdout).toContain('blocked  budget (CHANGES_REQUESTED, 1 cycle)')
  // Still no room: it stays parked.
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

test('umpire retry takes a parked task up, too, and the budget is asked again', async () => {
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

test('a cost that nobody knows counts as what was reserved for it, and the person is told once', async () => {
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

test('a task that finds all money reserved for another one is parked, and goes on when that one was cheaper', async () => {
  const bench = openWithCosts()
  bench.write({ '../wait': '' })
  await bench.add('The first')
  await bench.add('The second')
  // Both developers are expected to cost a dollar, until the first has told what it really is.
  const work = bench.start('work', '--parallel', '2', '--budget', '1.5', '--plain')
  await until(() => work.stdout().includes('Blocked (budget)'), 'a parked task')
  expect(work.stdout()).toMatch(/#[12] .*Blocked \(budget\).* \$0\.00 spent, \$1\.00 reserved/)
  rmSync(join(bench.folder, 'wait'))
  expect((await work.ended).code).toBe(0)
  for (const task of [1, 2])
    expect(await bench.show(task)).toMatchObject({ verdict: 'APPROVED', costUsd: 0.5 })
})

test('a step by hand that there is no money for is refused before anything changes', async () => {
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
      `umpire: The budget does not allow the ${role}, which is expected to cost $0.25: ` +
        'budget.task of $0.60 (task 1): $0.50 spent, $0.00 reserved.\n' +
        'The task stays as it was. Raise budget.task in umpire.yaml, then ask again.\n',
    )
  }
  expect(await bench.show(1)).toEqual(before)
  expect(await bench.events()).toEqual(events)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
})
