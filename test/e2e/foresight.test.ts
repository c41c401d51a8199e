/** Tasks that seem to touch the same files: which one waits, what it starts from, and when Umpire only warns. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { begun, gated, go, statuses } from '../support/gated.ts'
import { openBench, type Part, until } from '../support/umpire.ts'

const checker = resolve(import.meta.dirname, '../../checker/check.mjs')

/** Writes a documentation file, signals that, and continues when the test releases it. */
const writer: Part = {
  task: 1,
  do: [{ write: { 'docs/tea.md': 'hot\n' } }, { touch: '$BENCH/begun-1' }, { await: '$BENCH/go-1' }],
}

test('a task waits while a running one touches the same files, and other tasks start meanwhile', async () => {
  const bench = openBench({ scenario: { developer: [writer, gated(2), gated(3), gated(5)] } })
  await bench.add('Write about tea')
  await bench.add('Occupy the other place')
  await bench.add('Mend the documentation', '--scope', 'docs/')
  await bench.add('Also of the documentation', '--scope', 'docs/*.md')
  await bench.add('Something else', '--scope', 'src/')
  const work = bench.start('work', '--parallel', '2')
  await begun(bench, 1, 2)
  go(bench, 2)
  await begun(bench, 5)
  expect(await statuses(bench)).toEqual(
    expect.arrayContaining(['1 in_progress', '3 pending', '4 pending', '5 in_progress']),
  )
  expect((await bench.umpire('status')).stdout).toContain(
    'pending  (waits for 1, which touches the same files)',
  )
  go(bench, 5)
  await expect.poll(() => statuses(bench), { timeout: 20_000 }).toContain('5 completed')
  // A slot is free, but task 3 still waits.
  expect(await statuses(bench)).toEqual(expect.arrayContaining(['1 in_progress', '3 pending', '4 pending']))
  go(bench, 1)
  await begun(bench, 3)
  go(bench, 3)
  expect((await work.ended).code).toBe(0)
  expect(work.stdout()).toContain('#3 Waiting. Task 1 is running and touches the same files: docs/tea.md\n')
  const told = (await bench.events()).filter(({ type }) => type === 'task.overlaps')
  expect(told.map(({ task, data }) => [task, data.with, data.does])).toEqual([
    [3, 1, 'waits'],
    [4, 1, 'waits'],
    // Then the fourth waits for the third, because their scopes overlap.
    [4, 3, 'waits'],
  ])
}, 90_000)

test('a task that waited for the same files starts from the approved work and merges without conflict', async () => {
  const writes = (task: number, text: string): Part => ({
    task,
    do: [{ run: ['git', 'show', 'HEAD:src/a.txt'] }, { write: { 'src/a.txt': text } }, ...pauses(task)],
  })
  const pauses = (task: number) => (task === 1 ? [{ touch: '$BENCH/begun-1' }, { await: '$BENCH/go-1' }] : [])
  const bench = openBench({
    config: { schedule: { avoid_conflicts: true } },
    scenario: { developer: [writes(1, 'one\n'), writes(2, 'one\ntwo\n')] },
  })
  await bench.add('Write one', '--scope', 'src/a.txt')
  await bench.add('Write two', '--scope', 'src/a.txt')
  const work = bench.start('work', '--parallel', '2')
  await begun(bench, 1)
  await until(() => work.stdout().includes('#2 Waiting. Task 1 is running'), 'the second to wait')
  go(bench, 1)
  expect((await work.ended).code).toBe(0)
  const [read] = bench.played().filter(({ task, argv }) => task === 2 && argv?.[0] === 'git')
  expect(read?.stdout).toBe('one\n')
  const { sessions } = await bench.show(2)
  expect(sessions[0]?.prompt).toMatch(/## What it builds on\n\n.*\n\n```\n- Task 1: Write one\n```/)
  expect((await bench.umpire('diff', '2')).stdout).not.toContain('+one')
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 0 })
  expect(bench.git('show', 'main:src/a.txt')).toBe('one\ntwo')
  await promisify(execFile)(process.execPath, [checker, bench.root])
}, 60_000)

test('with schedule.avoid_conflicts: false, work only warns of a likely conflict', async () => {
  const bench = openBench({
    config: { schedule: { avoid_conflicts: false } },
    scenario: { developer: [gated(1), gated(2)] },
  })
  await bench.add('One', '--scope', 'src/tea.ts')
  await bench.add('Other', '-d', 'Mend src/tea.ts too.')
  const work = bench.start('work', '--parallel', '2')
  await begun(bench, 1, 2)
  go(bench, 1, 2)
  expect((await work.ended).code).toBe(0)
  expect(work.stdout()).toContain(
    '#2 Likely conflict. Task 1 is running and touches the same files: src/tea.ts\n',
  )
}, 60_000)
