/** Developers that fail, hang, do nothing, rewrite history, or never say that they are done. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, isRunning, openBench, type Part, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) =>
  sessions.map(({ role, iteration, attempt, status }) => `${role} ${iteration}.${attempt} ${status}`)

const git = (...args: string[]): Act => ({ run: ['git', ...args] })

test('retries a failed developer in the same iteration as often as configured, and then fails the task', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'fails', do: [{ say: 'Done.' }, { complain: 'no such model' }, { exit: 1 }] },
        { task: 'recovers', session: 1, do: [{ write: { 'begun.txt': 'begun\n' } }, { exit: 9 }] },
      ],
    },
    config: { limits: { agent_retries: 1 } },
  })
  const fails = await bench.add('fails')
  const recovers = await bench.add('recovers')
  const work = await bench.umpire('work')
  expect(work.code).toBe(1)
  expect(work.stdout).toContain('exit code 1: no such model')
  expect(work.stdout).toContain(`umpire retry ${fails}`)
  const failed = await bench.show(fails)
  expect(failed).toMatchObject({ status: 'failed', reason: 'crash', iteration: 1, cycle: 0, reviews: [] })
  expect(turns(failed)).toEqual(['developer 1.1 failed', 'developer 1.2 failed'])
  expect(failed.sessions.map(({ exitCode }) => exitCode)).toEqual([1, 1])

  const recovered = await bench.show(recovers)
  expect(recovered).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 1, cycle: 1 })
  expect(turns(recovered)).toEqual(['developer 1.1 failed', 'developer 1.2 done', 'reviewer 1.1 done'])
  expect(bench.git('show', `${recovered.branch}:begun.txt`)).toBe('begun')
  expect(bench.played().filter(({ role }) => role === 'developer')).toHaveLength(4)
})

test('ends a silent developer together with every process that it started', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { do: [{ ignore: ['SIGTERM', 'SIGHUP'] }, { leave: 'setsid' }, { await: '$BENCH/never' }] },
      ],
    },
    config: { limits: { agent_retries: 0, idle: '1s' } },
  })
  const id = await bench.add('Be quiet')
  expect((await bench.umpire('work')).code).toBe(1)
  expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'idle', cycle: 0, iteration: 1 })
  expect(isRunning(readFileSync(join(bench.folder, 'left-behind'), 'utf8'))).toBe(false)
})

test('keeps the work of a developer that reaches its time limit, and a retry continues from there', async () => {
  const bench = openBench({
    scenario: {
      developer: [{ session: 1, do: [{ write: { 'half.txt': 'half\n' } }, { await: '$BENCH/never' }] }],
    },
    config: { limits: { agent_retries: 2, develop: '3s' } },
  })
  const id = await bench.add('Take too long')
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)
  const blocked = await bench.show(id)
  expect(blocked).toMatchObject({ status: 'blocked', reason: 'timeout', verdict: null, cycle: 0 })
  expect(turns(blocked)).toEqual(['developer 1.1 failed'])
  expect(bench.git('show', `${blocked.branch}:half.txt`)).toBe('half')

  await bench.umpire('retry', String(id))
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(id)
  expect(turns(shown)).toEqual(['developer 1.1 failed', 'developer 2.1 done', 'reviewer 2.1 done'])
  const files = bench.git('diff', '--name-only', 'main', shown.branch ?? '').split('\n')
  expect(files).toEqual(['half.txt', `work-${id}.txt`])
})

test('does not review work that changes nothing: tells the developer once, then a person', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'empty', do: [{ say: 'There is nothing to do.' }] },
        { task: 'empty at first', iteration: 1, do: [] },
        { task: 'same again', do: [{ write: { 'same.txt': 'same\n' } }] },
      ],
      reviewer: [{ task: 'same again', do: [{ submit: { verdict: 'CHANGES_REQUESTED', issues: ['No.'] } }] }],
    },
  })
  const empty = await bench.add('empty')
  const second = await bench.add('empty at first')
  const same = await bench.add('same again')
  expect((await bench.umpire('work')).code).toBe(3)
  const shown = await bench.show(empty)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'stalled', cycle: 0, iteration: 2, reviews: [] })
  expect(turns(shown)).toEqual(['developer 1.1 done', 'developer 2.1 done'])
  expect(shown.sessions[1]?.prompt).toContain('Nothing was changed')
  expect(await bench.show(second)).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 2 })
  const stalled = await bench.show(same)
  expect(stalled).toMatchObject({
    status: 'blocked',
    reason: 'stalled',
    verdict: 'CHANGES_REQUESTED',
    cycle: 1,
  })
  expect(turns(stalled)).toEqual(['developer 1.1 done', 'reviewer 1.1 done', 'developer 2.1 done'])
})

test("accepts a developer's own commits, but restores history that it rewrote and counts that as a failure", async () => {
  const write: Act = { write: { 'kept.txt': 'kept\n' } }
  const rewrites: Record<string, Act[]> = {
    amends: [write, git('add', '.'), git('commit', '-q', '--amend', '-m', 'Mine')],
    resets: [git('reset', '-q', '--hard', 'HEAD~1'), write],
    switches: [git('switch', '-q', '-c', 'elsewhere'), write],
    detaches: [git('switch', '-q', '--detach'), write, git('add', '.'), git('commit', '-q', '-m', 'Away')],
  }
  const names = Object.keys(rewrites)
  const developer = names.map((task): Part => ({ task, session: 1, do: rewrites[task] ?? [] }))
  const commits = [
    write,
    git('add', '.'),
    git('commit', '-q', '-m', 'My own words'),
    { write: { 'more.txt': 'more\n' } },
  ]
  const bench = openBench({ scenario: { developer: [...developer, { task: 'commits', do: commits }] } })
  bench.commit('Second commit', { 'second.txt': 'second\n' })
  for (const name of names) await bench.add(name)
  const own = await bench.add('commits')
  expect((await bench.umpire('work')).code).toBe(1)
  expect(bench.played().filter(({ code }) => code)).toEqual([])

  for (const id of names.keys()) {
    const shown = await bench.show(id + 1)
    expect(shown).toMatchObject({ status: 'failed', reason: 'crash', cycle: 0, iteration: 1 })
    expect(turns(shown)).toEqual(['developer 1.1 failed'])
    expect(bench.git('rev-parse', shown.branch ?? '')).toBe(bench.git('rev-parse', 'main'))
    expect(readFileSync(join(bench.home, `worktrees/${shown.branch?.slice(7)}/kept.txt`), 'utf8')).toBe(
      'kept\n',
    )
    await bench.umpire('retry', String(id + 1))
  }
  expect((await bench.umpire('work')).code).toBe(0)
  for (const id of names.keys()) {
    const { status, branch } = await bench.show(id + 1)
    expect(status).toBe('completed')
    expect(bench.git('show', `${branch}:kept.txt`)).toBe('kept')
    expect(bench.git('merge-base', 'main', branch ?? '')).toBe(bench.git('rev-parse', 'main'))
  }

  const shown = await bench.show(own)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 1, cycle: 1 })
  const subjects = bench.git('log', '--format=%s', `main..${shown.branch}`).split('\n')
  expect(subjects).toEqual(['commits', 'My own words'])
  // The reviewer does not see the developer's commit message.
  expect(shown.sessions[1]?.prompt).not.toContain('My own words')
})

test('with develop.until: claim, continues until the developer says that it is done, within a limit', async () => {
  const step = (name: string): Act => ({ write: { [name]: `${name}\n` } })
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'says', iteration: 1, do: [step('one'), { say: 'Not TASK_COMPLETE yet: `TASK_COMPLETE`' }] },
        { task: 'says', do: [step('two'), { say: 'All there.\nTASK_COMPLETE' }] },
        { task: 'hands in', do: [step('one'), { submit: { complete: true } }] },
      ],
    },
    config: { develop: { until: 'claim' }, max_iterations: 3 },
  })
  const says = await bench.add('says')
  const handsIn = await bench.add('hands in')
  const never = await bench.add('never')
  expect((await bench.umpire('work')).code).toBe(3)

  const said = await bench.show(says)
  expect(said).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 2, cycle: 1 })
  expect(turns(said)).toEqual(['developer 1.1 done', 'developer 2.1 done', 'reviewer 2.1 done'])
  expect(said.sessions[1]?.prompt).toContain('## Continue')
  expect(await bench.show(handsIn)).toMatchObject({ status: 'completed', iteration: 1, cycle: 1 })
  const blocked = await bench.show(never)
  expect(blocked).toMatchObject({ status: 'blocked', reason: 'stalled', iteration: 3, cycle: 0, reviews: [] })
  expect(turns(blocked)).toHaveLength(3)
})
