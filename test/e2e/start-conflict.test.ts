/** A task builds on the work of two others that conflict: nothing of either gets lost. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { violationsAfter } from '../checker/played-repository.ts'
import { openBench } from '../support/umpire.ts'

const checker = resolve(import.meta.dirname, '../../checker/check.mjs')

test('rejects a resolver that drops one side, and shows the reviewer what the next one made of both', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 1, do: [{ write: { 'tea.txt': 'green\n', 'one.txt': '1\n' } }] },
        { task: 2, do: [{ write: { 'tea.txt': 'black\n', 'two.txt': '2\n' } }] },
        { task: 3, do: [{ write: { 'three.txt': '3\n' } }] },
      ],
      resolver: [{ task: 3, do: [{ run: ['git', 'reset', '-q', '--hard', 'HEAD'] }] }],
    },
  })
  await bench.add('Green tea')
  await bench.add('Black tea')
  await bench.add('Serve both', '--after', '1,2')
  expect((await bench.umpire('work', '--parallel', '1')).code).toBe(3)
  const dropped = await bench.show(3)
  expect(dropped).toMatchObject({ status: 'blocked', reason: 'conflict' })
  expect(dropped.detail).toContain('There is no conflict in two.txt')
  expect(dropped.sessions.map(({ role }) => role)).toEqual(['resolver', 'resolver'])
  expect(dropped.sessions[1]?.prompt).toMatch(/Restore a file with `git checkout [0-9a-f]{40} -- FILE`/)

  bench.play({
    developer: [{ task: 3, do: [{ write: { 'three.txt': '3\n' } }] }],
    resolver: [{ task: 3, do: [{ write: { 'tea.txt': 'green\n' } }] }],
  })
  await bench.umpire('retry', '3')
  expect((await bench.umpire('work', '--parallel', '1')).code).toBe(0)
  const { sessions, branch } = await bench.show(3)
  expect(bench.git('show', `${branch}:two.txt`)).toBe('2')
  const prompt = sessions.findLast(({ role }) => role === 'reviewer')?.prompt
  expect(prompt).toContain('"tea.txt" (text)')
  expect(prompt).toContain('2. Black tea')
  expect(prompt).toContain('All other files are exactly as git merged them.')
  expect(prompt).toContain('-black\n+green')
  execFileSync(process.execPath, [checker, bench.root])
  // Pretends that git's own merge already had a file that was added only later.
  const damaged = await violationsAfter(bench.root, (it) => {
    const left = it.git('rev-parse', `${branch}^{tree}`)
    const merges = (data: Record<string, unknown>) => Object.assign(data, { left })
    it.edit(3, 'loop.merging', merges, 1)
  })
  expect(damaged).toContainEqual(
    expect.stringMatching(
      /^resolving task\/3: the merge \w+ has lost three\.txt, in which nothing conflicted$/,
    ),
  )
}, 60_000)
