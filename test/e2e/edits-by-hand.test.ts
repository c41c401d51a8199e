/** Umpire never discards a person's edits in a worktree, never approves them unseen, and never leaves them behind. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, fileAppears, openBench } from '../support/umpire.ts'

const approves = { do: [{ submit: { verdict: 'APPROVED', summary: 'Fine.' } }] }
const asks = {
  do: [{ submit: { verdict: 'CHANGES_REQUESTED', summary: 'Mend it.', issues: ['Mend it.'] } }],
}
const writes = { do: [{ write: { 'a.txt': 'a\n' } }] }

const worktree = (bench: Bench, file: string) => join(bench.root, '.umpire/worktrees/1-write-a', file)

test('approves and merges a manual fix in the worktree together with the work', async () => {
  const bench = openBench({ scenario: { developer: [writes], reviewer: [asks] } })
  await bench.add('Write a', '--max-cycles', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  writeFileSync(worktree(bench, 'a.txt'), 'fixed\n')
  expect((await bench.umpire('edit', '1', '--verdict', 'APPROVED', '--why', 'I fixed it')).code).toBe(0)
  expect((await bench.umpire('diff', '1')).stdout).toContain('+fixed')
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(readFileSync(join(bench.root, 'a.txt'), 'utf8')).toBe('fixed\n')
  expect((await bench.umpire('diff', '1')).stdout).toContain('+fixed')
  expect((await bench.umpire('doctor', '--deep')).stdout).toContain('everything holds')
})

test('approves and merges a commit that a person made on the branch', async () => {
  const bench = openBench({ scenario: { developer: [writes], reviewer: [asks] } })
  await bench.add('Write a', '--max-cycles', '1')
  await bench.umpire('work')
  writeFileSync(worktree(bench, 'a.txt'), 'fixed\n')
  bench.git('-C', worktree(bench, ''), 'commit', '-q', '-a', '-m', 'Fix it myself')
  expect((await bench.umpire('edit', '1', '--verdict', 'APPROVED')).code).toBe(0)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(bench.git('log', '--format=%s', 'main')).toContain('Fix it myself')
})

test('refuses a merge when the worktree has unapproved changes', async () => {
  const bench = openBench({ scenario: { developer: [writes], reviewer: [approves] } })
  await bench.add('Write a')
  await bench.umpire('work')
  writeFileSync(worktree(bench, 'a.txt'), 'later\n')
  const refused = await bench.umpire('merge', '1')
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/has changes that are not approved[\s\S]*umpire review 1/),
  ])
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', landed: null })
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(readFileSync(join(bench.root, 'a.txt'), 'utf8')).toBe('later\n')
})

test('keeps and reviews an edit made between an interruption and the next run', async () => {
  const bench = openBench({
    scenario: { developer: [writes], reviewer: [approves] },
    config: {
      gates: {
        test: 'touch litter; touch "$BENCH/checking"; until test -e "$BENCH/go"; do sleep 0.05; done',
      },
    },
  })
  await bench.add('Write a')
  const working = bench.start('work')
  await fileAppears(join(bench.folder, 'checking'))
  working.kill('SIGINT')
  expect((await working.ended).code).toBe(130)
  expect(existsSync(worktree(bench, 'litter'))).toBe(false)
  writeFileSync(worktree(bench, 'a.txt'), 'mine\n')
  writeFileSync(worktree(bench, 'mine.txt'), 'mine\n')
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await bench.umpire('work')).code).toBe(0)
  const { stdout } = await bench.umpire('diff', '1')
  expect(stdout).toContain('mine.txt')
  expect(stdout).toContain('+mine')
  expect(stdout).not.toContain('litter')
})

test('runs the gates on an edit in the worktree of a review task', async () => {
  const bench = openBench({
    scenario: { developer: [writes], reviewer: [approves] },
    config: { gates: { test: 'test ! -e bad.txt' } },
  })
  await bench.add('Write a', '--no-review')
  await bench.umpire('work')
  await bench.add('Look at it', '-t', 'review', '--of', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  writeFileSync(join(bench.root, '.umpire/worktrees/2-look-at-it/bad.txt'), 'bad\n')
  expect((await bench.umpire('review', '2')).code).toBe(3)
  expect(await bench.show(2)).toMatchObject({ status: 'blocked', reason: 'gate' })
})

test('merges a conflict that a person resolved with --ours, and does not report it again', async () => {
  const bench = openBench({ scenario: { developer: [writes], reviewer: [approves] } })
  await bench.add('Write a')
  await bench.umpire('work')
  bench.commit('Mine', { 'a.txt': 'theirs\n' })
  expect((await bench.umpire('merge', '1')).code).toBe(3)
  expect(await bench.show(1)).toMatchObject({ status: 'blocked', reason: 'conflict', verdict: 'APPROVED' })
  const folder = worktree(bench, '')
  expect(() => bench.git('-C', folder, 'merge', '-q', 'main')).toThrow()
  bench.git('-C', folder, 'checkout', '-q', '--ours', 'a.txt')
  bench.git('-C', folder, 'add', '-A')
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(readFileSync(join(bench.root, 'a.txt'), 'utf8')).toBe('a\n')
})
