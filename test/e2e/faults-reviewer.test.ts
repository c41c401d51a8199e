/** Reviewers that fail, never approve, or change what they must not change. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, openBench, type Part, type Shown } from '../support/umpire.ts'

const approves: Act = { say: '**Verdict: APPROVED**' }

const roles = ({ sessions }: Shown) => sessions.map(({ role }) => role)

test('reviews every task by default, in a clone separate from the worktree', async () => {
  const bench = openBench({
    scenario: { reviewer: [{ do: [{ run: ['git', 'rev-parse', '--git-common-dir', 'HEAD'] }, approves] }] },
  })
  const id = await bench.add('Say hello')
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 0, stderr: '' })
  expect(work.stdout).toContain(`✓ ${id}. implement Say hello  completed  APPROVED (1 cycle)`)

  const shown = await bench.show(id)
  expect(roles(shown)).toEqual(['developer', 'reviewer'])
  const [developer, reviewer, asked] = bench.played()
  expect(developer?.cwd).toBe(join(bench.home, 'worktrees/1-say-hello'))
  expect(reviewer?.cwd).toMatch(`${bench.home}/`)
  expect(reviewer?.cwd).not.toBe(developer?.cwd)
  const [gitFolder, head] = asked?.stdout?.trim().split('\n') ?? []
  expect(gitFolder).toBe('.git')
  const branch = shown.branch ?? ''
  expect(head).not.toBe(bench.git('rev-parse', branch))
  expect(shown.reviews[0]?.tree).toBe(bench.git('rev-parse', `${branch}^{tree}`))
  expect(shown.reviews[0]?.sessionId).toBe('1-2')
  expect(existsSync(reviewer?.cwd ?? '')).toBe(false)
})

test('retries a failed reviewer as often as configured; that costs no cycle and no developer, and approves nothing', async () => {
  const failing: Record<string, Act[]> = {
    silent: [],
    crashed: [approves, { exit: 1 }],
    killed: [approves, { die: 'SIGKILL' }],
    'handed in, then crashed': [
      { submit: { verdict: 'APPROVED' } },
      { complain: 'out of credit' },
      { exit: 7 },
    ],
  }
  const titles = Object.keys(failing)
  const bench = openBench({
    scenario: { reviewer: titles.map((task): Part => ({ task, do: failing[task] ?? [] })) },
    config: { limits: { agent_retries: 1 }, parallel: 4 },
  })
  for (const title of titles) await bench.add(title)
  const work = await bench.umpire('work')
  expect(work.code).toBe(1)
  expect(work.stdout).toContain('out of credit')
  for (const id of [1, 2, 3, 4]) {
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'failed', reason: 'crash', verdict: null, cycle: 0, iteration: 1 })
    expect(shown.reviews).toEqual([])
    expect(roles(shown)).toEqual(['developer', 'reviewer', 'reviewer'])
    expect(shown.sessions.slice(1)).toMatchObject([
      { status: 'failed', cycle: 1, attempt: 1 },
      { status: 'failed', cycle: 1, attempt: 2 },
    ])
    expect(work.stdout).toContain(`umpire retry ${id}`)
  }
  // Every session that started is recorded: no agent ran without a record.
  expect(bench.played().filter(({ argv }) => argv === undefined)).toHaveLength(12)

  // Nothing is ready any more, so work exits with 0. That is no success of these tasks: they are still failed.
  expect(await bench.umpire('work')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing to do/),
  })

  await bench.umpire('retry', '1')
  await bench.umpire('retry', '2')
  bench.play({ reviewer: [{ task: 'crashed', do: [approves, { exit: 1 }] }] })
  const again = await bench.umpire('work')
  expect(again.code).toBe(1)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
  expect(roles(await bench.show(1))).toEqual(['developer', 'reviewer', 'reviewer', 'reviewer'])
  const crashed = await bench.show(2)
  expect(crashed).toMatchObject({ status: 'failed', reason: 'crash', cycle: 0, iteration: 1 })
  expect(roles(crashed).filter((role) => role === 'developer')).toHaveLength(1)
  expect(roles(crashed).filter((role) => role === 'reviewer')).toHaveLength(4)
})

test('stops at the cycle limit when the reviewer never approves, and stays there until a person decides', async () => {
  const bench = openBench({
    scenario: {
      reviewer: [
        {
          do: [
            { run: ['sh', '-c', 'echo "- $UMPIRE_CYCLE" >> $BENCH/cycles'] },
            { say: 'FEEDBACK: still wrong' },
          ],
        },
      ],
    },
  })
  const id = await bench.add('Never good enough', '--max-cycles', '3')
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)
  expect(work.stdout).toContain(
    `! ${id}. implement Never good enough  blocked  MAX_CYCLES_REACHED (3 cycles)`,
  )
  expect(work.stdout).toContain(`umpire edit ${id} --max-cycles 4`)
  const shown = await bench.show(id)
  expect(shown).toMatchObject({
    status: 'blocked',
    reason: 'max_cycles',
    verdict: 'MAX_CYCLES_REACHED',
    cycle: 3,
    maxCycles: 3,
    iteration: 3,
    revisionAttempts: 2,
  })
  expect(roles(shown)).toEqual(['developer', 'reviewer', 'developer', 'reviewer', 'developer', 'reviewer'])
  expect(shown.sessions[2]?.prompt).toContain('still wrong')
  expect(readFileSync(join(bench.folder, 'cycles'), 'utf8')).toBe('- 1\n- 2\n- 3\n')
  expect(bench.git('log', '--format=%s', `main..${shown.branch}`).split('\n')).toEqual([
    'Address review feedback (cycle 2)',
    'Address review feedback (cycle 1)',
    'Never good enough',
  ])

  // A retry alone grants no further review.
  expect((await bench.umpire('retry', String(id))).code).toBe(0)
  const resumed = await bench.umpire('work')
  expect(resumed.code).toBe(3)
  expect(resumed.stdout).not.toContain('✓')
  expect(roles(await bench.show(id))).toHaveLength(6)

  await bench.umpire('edit', String(id), '--max-cycles', '4')
  await bench.umpire('retry', String(id))
  bench.play({})
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(id)).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    cycle: 4,
    iteration: 4,
  })
})

const worktree = 'cd "$BENCH"/checkout/.umpire/worktrees/$UMPIRE_TASK-*'
const misdeeds: Record<string, { script: string; said: RegExp }> = {
  commits: {
    script: `${worktree} && echo evil > evil.txt && git add . && git commit -q -m evil`,
    said: /branch umpire\/1-commits was moved/,
  },
  'edits the worktree': { script: `${worktree} && echo evil >> README.md`, said: /worktree were changed/ },
  'adds a hook': {
    script: 'cd "$BENCH"/checkout/.git && mkdir -p hooks && printf "#!/bin/sh\\n" > hooks/pre-push',
    said: /hooks were changed/,
  },
  'changes the config': {
    script: 'git -C "$BENCH"/checkout config alias.evil "!touch $BENCH/evil"',
    said: /config was changed/,
  },
  'edits its clone': { script: 'echo evil >> README.md', said: /"README.md" in the reviewer's clone/ },
  'commits in its clone': {
    script: 'git -c user.name=x -c user.email=x@y commit -q --allow-empty -m evil',
    said: /refs, config or attributes of the reviewer's clone/,
  },
  'resets the branch': { script: `${worktree} && git reset -q --hard main`, said: /was moved/ },
}

test('discards the review of a reviewer that tampers, and keeps its changes out of the work', async () => {
  const titles = Object.keys(misdeeds)
  const reviewer = titles.map((task): Part => {
    return { task, do: [{ run: ['sh', '-c', misdeeds[task]?.script ?? ''] }, approves] }
  })
  const bench = openBench({ scenario: { reviewer }, config: { parallel: 1 } })
  for (const title of titles) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  expect(bench.played().filter(({ code }) => code !== undefined && code !== 0)).toEqual([])

  for (const [index, title] of titles.entries()) {
    const shown = await bench.show(index + 1)
    const said = { detail: expect.stringMatching(misdeeds[title]?.said ?? '') }
    expect(shown).toMatchObject({ status: 'blocked', reason: 'reviewer_tampered', verdict: null, ...said })
    expect(roles(shown)).toEqual(['developer', 'reviewer'])
    expect(shown.reviews).toEqual([])
  }

  // The reviewer's changes are out of the way, but not lost.
  expect(bench.git('show', 'refs/umpire/kept/1-2:evil.txt')).toBe('evil')
  expect(bench.git('show', 'refs/umpire/kept/2-2:README.md')).toContain('evil')
  expect((await bench.show(1)).detail).toContain('refs/umpire/kept/1-2')

  // The person retries. The reviewer now approves what the developer left, and the branch holds exactly that.
  bench.play({})
  for (const id of titles.keys()) await bench.umpire('retry', String(id + 1))
  expect((await bench.umpire('work')).code).toBe(0)
  for (const id of titles.keys()) expectDevelopersWork(bench, await bench.show(id + 1))
})

test('discards files that a reviewer leaves in its clone', async () => {
  const bench = openBench({
    scenario: { reviewer: [{ do: [{ write: { 'notes/review.txt': 'mine\n' } }, approves] }] },
  })
  const id = await bench.add('Leave notes')
  expect((await bench.umpire('work')).code).toBe(0)
  expectDevelopersWork(bench, await bench.show(id))
  expect(existsSync(bench.played()[1]?.cwd ?? '')).toBe(false)
})

/** The branch is exactly the tree that was approved: the base and the developer's one file. */
function expectDevelopersWork(bench: Bench, { id, status, verdict, branch, reviews }: Shown) {
  expect({ id, status, verdict }).toEqual({ id, status: 'completed', verdict: 'APPROVED' })
  expect(bench.git('diff', '--name-only', 'main', branch ?? '')).toBe(`work-${id}.txt`)
  expect(bench.git('rev-parse', `${branch}^{tree}`)).toBe(reviews.at(-1)?.tree)
}
