/** Work that is not approved in its current state never reaches the base through a task that is built on it. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

const writes = (task: string) => ({ task, do: [{ write: { [`${task}.txt`]: `${task}\n` } }] })
const scenario = { developer: ['one', 'two'].map(writes) }
const filesOf = ({ git }: Bench) =>
  git('ls-tree', '--name-only', 'main')
    .split('\n')
    .filter((name) => name.endsWith('.txt'))

/** Runs the independent checker, which shares no code with Umpire. */
function expectEverythingHolds({ root }: Bench): void {
  const checker = resolve(import.meta.dirname, '../../checker/check.mjs')
  expect(spawnSync('node', [checker, root], { encoding: 'utf8' }).stdout).toMatch(/everything holds/)
}

test('land: base holds back a task built on unreviewed work, and lands it once that work is approved', async () => {
  const bench = openBench({ config: { land: 'base' }, scenario })
  await bench.add('one', '--no-review')
  await bench.add('two', '--after', '1')
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  expect(await bench.show(2)).toMatchObject({
    status: 'blocked',
    reason: 'dependency',
    verdict: 'APPROVED',
    detail:
      'Task 1 was never reviewed. This task builds on its work, so a merge would also bring that work into main.',
    recovery: ['umpire merge 1', 'umpire review 1', 'umpire edit 1 --verdict APPROVED'],
  })
  expect(filesOf(bench)).toEqual([])
  expect((await bench.umpire('edit', '1', '--verdict', 'APPROVED')).code).toBe(0)
  // Task 2 continues by itself.
  expect(await bench.show(2)).toMatchObject({ status: 'pending', reason: null })
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(filesOf(bench)).toEqual(['one.txt', 'two.txt'])
  expectEverythingHolds(bench)
})

test('merge refuses a task built on unreviewed work of an earlier group, unless both are named', async () => {
  const bench = openBench({ scenario })
  await bench.add('one', '--group', '1', '--no-review')
  await bench.add('two', '--group', '2')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const alone = await bench.umpire('merge', '2')
  expect(alone.code).toBe(2)
  expect(alone.stderr).toContain("Task 2 can't be merged. Task 1 was never reviewed.")
  expect(alone.stderr).toContain('umpire merge 1 2 merges both.')
  expect(filesOf(bench)).toEqual([])
  const both = await bench.umpire('merge', '2', '1')
  expect(both).toMatchObject({ code: 0, stderr: '' })
  expect(both.stdout).toContain('Task 1 was never reviewed. It is merged because you asked for it.')
  expect(filesOf(bench)).toEqual(['one.txt', 'two.txt'])
  expectEverythingHolds(bench)

  const clean = await bench.umpire('clean')
  expect(clean.stdout).toMatch(/^removed {2}umpire\/run-1\/group-1 \(was \w{10}\)$/m)
  expect(clean.stdout).toMatch(/^removed {2}umpire\/run-1\/group-2 \(was \w{10}\)$/m)
  expect(bench.git('for-each-ref', 'refs/heads/umpire', 'refs/umpire/groups')).toBe('')
  expectEverythingHolds(bench)
})

test('merge refuses a task built on work that was rejected, sent back or changed since', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'one', iteration: 2, do: [{ write: { 'one.txt': 'better\n' } }] },
        ...scenario.developer,
      ],
    },
  })
  await bench.add('one')
  await bench.add('two', '--after', '1')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const refusal = async () => {
    const { code, stderr } = await bench.umpire('merge', '2')
    return `${code} ${/Task 1 [^.]*\./.exec(stderr)?.[0]}`
  }
  await bench.umpire('edit', '1', '--verdict', 'REJECTED', '--why', 'no')
  expect(await refusal()).toBe('2 Task 1 was rejected.')
  expect((await bench.umpire('improve', '1', '--note', 'better')).code).toBe(3)
  expect(await refusal()).toBe('2 Task 1 waits for a review.')
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect(await refusal()).toBe('2 Task 1 has changed since this task was built on it.')
  expect(filesOf(bench)).toEqual([])
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('show', 'main:one.txt')).toBe('better')
  expect(filesOf(bench)).toEqual(['one.txt', 'two.txt'])
  expectEverythingHolds(bench)
})
