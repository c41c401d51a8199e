/**
 * When approved tasks do not land together, Umpire finds the task to blame. It tries each combination in a checkout
 * that is set up for exactly that combination, and never blames a task for something that failed only once.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, openBench } from '../support/umpire.ts'

const writes = (task: string, write: Record<string, string>): { task: string; do: Act[] } => ({
  task,
  do: [{ write }],
})
const own = (...titles: string[]) => titles.map((title) => writes(title, { [`${title}.txt`]: 'x\n' }))
const filesOf = ({ git }: Bench, branch = 'main') => git('ls-tree', '--name-only', branch).split('\n')
const statuses = async (bench: Bench, ids: number[]) =>
  Promise.all(ids.map(async (id) => (await bench.show(id)).status))

/** Runs the independent checker, which shares no code with Umpire. */
function expectEverythingHolds({ root }: Bench): void {
  const checker = resolve(import.meta.dirname, '../../checker/check.mjs')
  expect(spawnSync('node', [checker, root], { encoding: 'utf8' }).stdout).toMatch(/everything holds/)
}

async function approved(bench: Bench, titles: string[]): Promise<void> {
  for (const title of titles) await bench.add(title)
  expect(await bench.umpire('work', '--parallel', '3')).toMatchObject({ code: 0, stderr: '' })
}

test('tries each suspect with what worktree.setup installs for it, not for all of them', async () => {
  const fits = 'grep -q v1 installed/lock || test -e adapted.txt'
  const bench = openBench({
    files: { '.gitignore': 'installed/\n', lock: 'v1\n' },
    config: {
      worktree: { setup: ['mkdir installed && cp lock installed/lock'] },
      gates: { fits: `(${fits}) && { test ! -e one.txt || test ! -e three.txt; }` },
    },
    scenario: {
      developer: [...own('one', 'three'), writes('two', { lock: 'v2\n', 'adapted.txt': 'x\n' })],
    },
  })
  await approved(bench, ['one', 'two', 'three'])
  expect(await bench.umpire('merge', '1', '2', '3')).toMatchObject({ code: 3, stderr: '' })
  expect(await statuses(bench, [1, 2, 3])).toEqual(['completed', 'completed', 'blocked'])
  expect((await bench.show(3)).detail).toBe(
    'Gate fits fails after the merge with main. main was not changed.',
  )
  expectEverythingHolds(bench)
})

test('treats a failing worktree.setup on the merged tree like a gate: blocks one task and lands the others', async () => {
  const bench = openBench({
    config: { worktree: { setup: ['echo CHECKED; test ! -e one.txt || test ! -e two.txt'] } },
    scenario: { developer: own('one', 'two', 'three') },
  })
  await approved(bench, ['one', 'two', 'three'])
  expect(await bench.umpire('merge', '1', '2', '3')).toMatchObject({ code: 3, stderr: '' })
  expect(await statuses(bench, [1, 2, 3])).toEqual(['completed', 'blocked', 'completed'])
  expect(await bench.show(2)).toMatchObject({ reason: 'gate', verdict: 'APPROVED' })
  expect((await bench.show(2)).detail).toContain('Gate worktree.setup fails')
  expect(filesOf(bench)).toEqual(['README.md', 'one.txt', 'three.txt', 'umpire.yaml'])
  expectEverythingHolds(bench)
})

test.each([1, 2])('blames none of %i tasks for a gate that fails only once', async (number) => {
  const once = 'case $PWD in */scratch/*) mkdir "$BENCH/failed" && exit 1;; esac; true'
  const titles = ['one', 'two'].slice(0, number)
  const bench = openBench({ config: { gates: { once } }, scenario: { developer: own(...titles) } })
  await approved(bench, titles)
  expect(await bench.umpire('merge', ...titles.map((_, at) => `${at + 1}`))).toMatchObject({
    code: 0,
    stderr: '',
  })
  for (const title of titles) expect(filesOf(bench)).toContain(`${title}.txt`)
  // The failure is recorded, too.
  expect((await bench.show(1)).gates.filter(({ passed }) => !passed)).toHaveLength(1)
  expectEverythingHolds(bench)
})

test('work that conflicts with other work waiting for the checkout waits behind it, and both land once it is clean', async () => {
  const keepsBoth: Act = {
    run: ['sh', '-c', "grep -v '^[<=>]\\{7\\}' line.txt > kept; cat kept > line.txt; rm kept"],
  }
  const bench = openBench({
    config: { land: 'base', parallel: 1 },
    files: { 'line.txt': 'as it was\n' },
    scenario: {
      developer: ['one', 'two', 'three'].map((title) =>
        writes(title, title === 'three' ? { 'three.txt': 'x\n' } : { 'line.txt': `${title}\n` }),
      ),
      resolver: [{ do: [keepsBoth] }],
    },
  })
  bench.write({ 'README.md': 'mine\n' })
  for (const title of ['one', 'two', 'three']) await bench.add(title)
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  for (const id of [1, 2, 3])
    expect(await bench.show(id)).toMatchObject({ status: 'blocked', reason: 'checkout_dirty' })
  expect(bench.git('show', 'umpire/landed:line.txt')).toBe('one')
  expect(filesOf(bench, 'umpire/landed')).toContain('three.txt')
  const { detail, recovery } = await bench.show(2)
  expect(detail).toMatch(
    /^It conflicts with the work of task 1: line\.txt\. It can land after that work, which /,
  )
  expect(recovery.at(-1)).toBe('umpire merge 2')
  // After a retry, task 2 still does not take the place of task 1.
  await bench.umpire('retry', '2')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(bench.git('show', 'umpire/landed:line.txt')).toBe('one')

  bench.git('stash', '-q')
  for (const id of [1, 2, 3]) expect((await bench.umpire('retry', `${id}`)).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('show', 'main:line.txt').split('\n').toSorted()).toEqual(['one', 'two'])
  expectEverythingHolds(bench)
})

test('lands a conflicting task together with another one that contains its resolution', async () => {
  const bench = openBench({
    files: { 'line.txt': 'as it was\n' },
    scenario: {
      developer: [
        writes('one', { 'line.txt': 'one\n' }),
        writes('two', { 'line.txt': 'two\n' }),
        ...own('three'),
      ],
      resolver: [{ do: [{ write: { 'line.txt': 'one\ntwo\n' } }] }],
    },
  })
  await bench.add('one')
  await bench.add('two')
  await bench.add('three', '--after', '1,2')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.umpire('merge', '1', '2', '3')).toMatchObject({ code: 0, stderr: '' })
  expect(await statuses(bench, [1, 2, 3])).toEqual(['completed', 'completed', 'completed'])
  expect(bench.git('show', 'main:line.txt')).toBe('one\ntwo')
  expect((await bench.show(2)).landed).toBe(bench.git('rev-parse', 'main'))
  expectEverythingHolds(bench)
})

test('runs a waiting task’s own gates on any work that is added to it', async () => {
  const bench = openBench({
    config: { land: 'base', parallel: 1 },
    scenario: { developer: own('one', 'two', 'three') },
  })
  bench.write({ 'README.md': 'mine\n' })
  await bench.add('one', '--gate', 'test ! -e two.txt')
  for (const title of ['two', 'three']) await bench.add(title)
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  expect(filesOf(bench, 'umpire/landed')).toEqual(['README.md', 'one.txt', 'three.txt', 'umpire.yaml'])
  const two = await bench.show(2)
  expect(two).toMatchObject({ status: 'blocked', reason: 'checkout_dirty', verdict: 'APPROVED' })
  expect(two.detail).toMatch(/^Gate backpressure fails after a merge with the work of task 1\. /)
  expect(readFileSync(join(bench.root, 'README.md'), 'utf8')).toBe('mine\n')
  expectEverythingHolds(bench)
})

test('gives up on a worktree.setup that keeps failing on the merged tree and passing on a retry', async () => {
  // Fails at every other run outside the task's own worktree, and counts those runs.
  const setup =
    'case "$PWD" in */worktrees/*) exit 0;; esac; echo run >> "$BENCH/runs"; test $(($(wc -l < "$BENCH/runs") % 2)) = 0'
  const bench = openBench({ config: { land: 'base', worktree: { setup: [setup] } } })
  await bench.add('Lands badly')
  const { code } = await bench.umpire('work')
  const { status, reason } = await bench.show(1)
  expect([code, status, reason]).toEqual([1, 'failed', 'vcs'])
  // Three merges are tried again, and the fourth is not.
  expect(readFileSync(join(bench.folder, 'runs'), 'utf8')).toBe('run\n'.repeat(8))
})
