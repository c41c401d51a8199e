/** What people do while Umpire works: close the terminal, delete its folders, keep working in their own checkout. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, until } from '../support/patient.ts'
import { type Act, type Bench, isRunning, openBench, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, status }) => `${role} ${status}`)

const waits: Act[] = [
  { say: 'before' },
  { touch: '$BENCH/arrived' },
  { await: '$BENCH/go' },
  { say: 'after' },
]
const works: Act = { write: { 'work-1.txt': 'iteration 1\n' } }
const approves: Act = { say: '**Verdict: APPROVED**' }

/** Starts work on one task and returns when the agent waits for `go`. */
async function startWaiting(bench: Bench) {
  const id = await bench.add('Go on')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'arrived'))
  return { id, work, go: () => writeFileSync(join(bench.folder, 'go'), '') }
}

async function expectDone(bench: Bench, id: number): Promise<Shown> {
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(bench.git('show', `${shown.branch}:work-1.txt`)).toBe('iteration 1')
  return shown
}

test('a closed terminal stops Umpire but not its agents, and the next work adopts them', async () => {
  const bench = openBench({ scenario: { developer: [{ do: [works, ...waits] }] } })
  const { id, work, go } = await startWaiting(bench)
  const agent = bench.played()[0]?.pid ?? 0
  work.kill('SIGHUP')
  await work.ended
  expect(isRunning(agent)).toBe(true)
  const next = bench.start('work')
  await until(
    async () => (await bench.events()).filter(({ type }) => type === 'loop.claimed').length === 2,
    'the second claim',
  )
  expect(isRunning(agent)).toBe(true)
  go()
  expect(await next.ended).toMatchObject({ code: 0, stderr: '' })
  expect(turns(await expectDone(bench, id))).toEqual(['developer done', 'reviewer done'])
  expect((await bench.umpire('log', '1', '--role', 'developer', '--raw')).stdout).toBe('before\nafter\n')
})

test('reports a worktree deleted under a developer clearly, and retry creates it again', async () => {
  const bench = openBench({ scenario: { developer: [{ session: 1, do: waits }] } })
  const { id, work, go } = await startWaiting(bench)
  rmSync(join(bench.home, 'worktrees/1-go-on'), { recursive: true })
  go()
  expect(await work.ended).toMatchObject({ code: 1, stderr: '' })
  expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'crash', cycle: 0 })
  expect((await bench.umpire('status')).stdout).toContain('The developer failed: the worktree was deleted: ')
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  await expectDone(bench, id)
})

test('ignores the review and its approval if the clone is deleted under a reviewer', async () => {
  const bench = openBench({ scenario: { reviewer: [{ session: 2, do: [...waits, approves] }] } })
  const { id, work, go } = await startWaiting(bench)
  const [clone = ''] = readdirSync(join(bench.home, 'clones'))
  rmSync(join(bench.home, 'clones', clone), { recursive: true })
  go()
  const ran = await work.ended
  expect(ran.stderr).toBe('')
  expect(await bench.show(id)).toMatchObject({ verdict: null })
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  await expectDone(bench, id)
})

test('stops an agent whose attempt folder is deleted, records a lost session and starts another', async () => {
  const bench = openBench({ scenario: { developer: [{ session: 1, do: [works, ...waits] }] } })
  const { id, work, go } = await startWaiting(bench)
  const agent = bench.played()[0]?.pid ?? 0
  rmSync(join(bench.home, 'attempts'), { recursive: true })
  const ran = await work.ended
  // Two developers must never work in one worktree.
  expect(isRunning(agent)).toBe(false)
  go()
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(turns(await expectDone(bench, id))).toEqual(['developer lost', 'developer done', 'reviewer done'])
})

test('a person who switches branches, commits and leaves files around does not disturb the loop, nor the loop them', async () => {
  const bench = openBench({
    scenario: { developer: [{ do: [works, ...waits] }] },
    files: { 'a.txt': 'one\n' },
  })
  const { id, work, go } = await startWaiting(bench)
  const started = bench.git('rev-parse', 'HEAD')
  bench.git('switch', '-q', '-c', 'mine')
  bench.write({ 'mine.txt': 'mine\n' })
  bench.git('add', 'mine.txt')
  bench.git('commit', '-q', '-m', 'Mine')
  bench.write({ 'a.txt': 'staged\n' })
  bench.git('add', 'a.txt')
  bench.write({ 'a.txt': 'unstaged\n', 'untracked.txt': '' })
  const state = () =>
    [
      ['status', '--porcelain=v2', '--branch'],
      ['diff'],
      ['diff', '--cached'],
      ['stash', 'list'],
      ['rev-parse', 'main'],
    ].map((args) => bench.git(...args))
  const before = state()
  go()
  expect(await work.ended).toMatchObject({ code: 0, stderr: '' })
  expect(state()).toEqual(before)
  const shown = await expectDone(bench, id)
  expect(shown.base).toBe('main')
  expect(bench.git('merge-base', shown.branch ?? '', 'mine')).toBe(started)
  expect(bench.git('diff', '--name-only', 'main', shown.branch ?? '')).toBe('work-1.txt')
  expect(existsSync(join(bench.root, 'work-1.txt'))).toBe(false)
})
