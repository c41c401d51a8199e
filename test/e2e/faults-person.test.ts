/** What a person does between two runs or during one counts. Unreviewed work never does. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, builtCommand, fileAppears, openBench } from '../support/umpire.ts'

const discuss = { reviewer: [{ cycle: 1, do: [{ say: '**Verdict: NEEDS_DISCUSSION**' } as Act] }] }

test('commits, gates and reviews a manual fix after a discussion, whether or not the person committed it', async () => {
  const bench = openBench({ scenario: discuss, config: { gates: { test: 'test ! -f broken.txt' } } })
  await bench.add('Left in the worktree')
  await bench.add('Committed on the branch')
  expect((await bench.umpire('work')).code).toBe(3)
  const worktree = (slug: string) => join(bench.home, 'worktrees', slug)
  writeFileSync(join(worktree('1-left-in-the-worktree'), 'by-hand.txt'), 'mine\n')
  writeFileSync(join(worktree('2-committed-on-the-branch'), 'by-hand.txt'), 'mine\n')
  bench.git('-C', worktree('2-committed-on-the-branch'), 'add', '.')
  bench.git('-C', worktree('2-committed-on-the-branch'), 'commit', '-qm', 'By hand')
  for (const id of ['1', '2']) await bench.umpire('retry', id)
  expect((await bench.umpire('work')).code).toBe(0)
  for (const id of [1, 2]) {
    const { branch, reviews, gates, sessions } = await bench.show(id)
    expect(bench.git('show', `${branch}:by-hand.txt`)).toBe('mine')
    expect(reviews.at(-1)).toMatchObject({
      verdict: 'APPROVED',
      tree: bench.git('rev-parse', `${branch}^{tree}`),
    })
    expect(gates.at(-1)).toMatchObject({ passed: true, tree: reviews.at(-1)?.tree })
    expect(sessions.filter(({ role }) => role === 'developer')).toHaveLength(1)
  }
})

test('a gate that is added while the task runs or waits must pass before anything is approved', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 2, do: [{ touch: '$BENCH/begun' }, { await: '$BENCH/edited' }, { write: { 'a.txt': 'a' } }] },
      ],
      reviewer: [{ task: 1, cycle: 1, do: [{ say: '**Verdict: NEEDS_DISCUSSION**' }] }],
    },
    config: { max_gate_failures: 1 },
  })
  await bench.add('Edited while it waits')
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await bench.umpire('edit', '1', '--gate', 'false')).code).toBe(0)
  await bench.umpire('retry', '1')
  await bench.add('Edited while it runs')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'begun'))
  expect((await bench.umpire('edit', '2', '--gate', 'false')).code).toBe(0)
  writeFileSync(join(bench.folder, 'edited'), '')
  expect((await work.ended).code).toBe(3)
  for (const id of [1, 2]) expect(await bench.show(id)).toMatchObject({ status: 'blocked', reason: 'gate' })
})

test('refuses a person’s commands to an agent’s script inside a gate or a hook', async () => {
  const bench = openBench({ scenario: discuss })
  const command = `"${process.execPath}" "${builtCommand}"`
  const moves = ['edit 1 --verdict APPROVED', 'add More'].map((move) => `${command} ${move} 2>> ../said`)
  const script = `cd "${bench.root}" || exit\n${moves.join('\n')}\ntrue\n`
  await bench.add('Waits for a person')
  expect((await bench.umpire('work')).code).toBe(3)
  bench.hook('pre-commit', script)
  bench.play({ developer: [{ do: [{ write: { 't.sh': script } }] }] })
  await bench.add('Has a gate', '--gate', 'sh t.sh')
  expect((await bench.umpire('work')).code).toBe(0)
  const said = readFileSync(join(bench.folder, 'said'), 'utf8')
  expect(said.match(/refused inside a command that Umpire runs/g)?.length).toBe(4)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'needs_discussion' })
  const { tasks } = (await bench.umpire('status', '--json')).json<{ tasks: object[] }>()
  expect(tasks).toHaveLength(2)
})

test('never commits files that a reviewer left in the worktree, even when the reviewer killed its keeper', async () => {
  const vandal = 'echo evil > "$BENCH/checkout/.umpire/worktrees/1-clean/evil.txt"; kill -9 $PPID'
  const bench = openBench({
    scenario: {
      reviewer: [{ session: 2, do: [{ run: ['sh', '-c', `${vandal}; kill -9 $(ps -o ppid= -p $PPID)`] }] }],
    },
    config: { limits: { agent_retries: 0 } },
  })
  await bench.add('Clean')
  const work = await bench.umpire('work')
  const shown = await bench.show(1)
  expect([work.code, shown.status, shown.reason]).toEqual([3, 'blocked', 'reviewer_tampered'])
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.git('ls-tree', '--name-only', '-r', 'umpire/1-clean')).not.toContain('evil.txt')
})

test('a person’s CHANGES_REQUESTED on approved work overrides the earlier approval', async () => {
  const bench = openBench()
  await bench.add('Approved too soon')
  expect((await bench.umpire('work')).code).toBe(0)
  await bench.umpire('edit', '1', '--verdict', 'CHANGES_REQUESTED', '--why', 'Say it in French, too.')
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  const { sessions, reviews, issues } = await bench.show(1)
  expect(sessions.map(({ role }) => role)).toEqual(['developer', 'reviewer', 'developer', 'reviewer'])
  for (const { prompt } of sessions.slice(2)) expect(prompt).toContain('Say it in French, too.')
  expect(reviews).toHaveLength(2)
  expect(issues).toMatchObject([{ description: 'Say it in French, too.', status: 'resolved' }])
})

test('does not report a task as done while another process works on it', async () => {
  const bench = openBench({
    scenario: { developer: [{ do: [{ touch: '$BENCH/begun' }, { await: '$BENCH/go' }] }] },
  })
  await bench.add('Held')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'begun'))
  const second = await bench.umpire('work', '1')
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('is already working on task 1') })
  writeFileSync(join(bench.folder, 'go'), '')
  await work.ended
})
