/** Work that nobody approved as it is never gets into the base on the back of a task that is built on it. */
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

/** By the independent check, which shares no code with Umpire. */
function expectEverythingHolds({ root }: Bench): void {
  const checker = resolve(import.meta.dirname, '../../checker/check.mjs')
  expect(spawnSync('node', [checker, root], { encoding: 'utf8' }).stdout).toMatch(/everything holds/)
}

test('land: base holds back what is built on unreviewed work, and lands it once that is approved', async () => {
  const bench = openBench({ config: { land: 'base' }, scenario })
  await bench.add('one', '--no-review')
  await bench.add('two', '--after', '1')
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  expect(await bench.show(2)).toMatchObject({
    status: 'blocked',
    reason: 'dependency',
    verdict: 'APPROVED',
    detail:
      'Task 1 was never reviewed. This task is built on its work, so merging it would also merge that into main.',
    recovery: ['umpire merge 1', 'umpire review 1', 'umpire edit 1 --verdict APPROVED'],
  })
  expect(filesOf(bench)).toEqual([])
  expect((await bench.umpire('edit', '1', '--verdict', 'APPROVED')).code).toBe(0)
  // It goes on by itself.
  expect(await bench.show(2)).toMatchObject({ status: 'pending', reason: null })
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(filesOf(bench)).toEqual(['one.txt', 'two.txt'])
  expectEverythingHolds(bench)
})

test('merge refuses a group’s task with unreviewed work below it, unless both are named', async () => {
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

test('merge refuses what is built on work that was rejected, sent back or changed since', async () => {
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
  expect(await refusal()).toBe('2 Task 1 was changed since.')
  expect(filesOf(bench)).toEqual([])
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('show', 'main:one.txt')).toBe('better')
  expect(filesOf(bench)).toEqual(['one.txt', 'two.txt'])
  expectEverythingHolds(bench)
})
