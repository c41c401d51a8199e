/** Umpire tells the reviewer how the work weakens tests, in its own or the project's prompt, and lists it in `show`. */
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

const before = "it('adds', () => {\n  expect(add(1, 2)).toBe(3)\n  expect(add(2, 2)).toBe(4)\n})\n"
const after = "it.skip('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n"
const facts = [
  { kind: 'removed-assertion', file: 'add.test.js', line: 3, text: 'expect(add(2, 2)).toBe(4)' },
  { kind: 'skipped-test', file: 'add.test.js', line: 1, text: "it.skip('adds', () => {" },
]

test('the reviewer gets the facts with and without the diff and in a template, and show lists them', async () => {
  const bench = openBench({
    files: { 'add.test.js': before },
    config: { review: { context: { git_diff: false } } },
    scenario: { developer: [{ do: [{ write: { 'add.test.js': after } }] }] },
  })
  const first = await bench.add('Mend the sum')
  await bench.umpire('work')
  const shown = (await bench.umpire('show', `${first}`, '--json')).json<Record<string, unknown>>()
  expect(shown).toMatchObject({ weakenedTests: facts, moreWeakenedTests: 0 })
  const page = (await bench.umpire('show', `${first}`)).stdout
  expect(page).toContain(
    'Weakened tests\n  removed-assertion add.test.js:3: expect(add(2, 2)).toBe(4)\n  skipped-test add.test.js:1:',
  )
  const own = (await bench.show(first)).sessions.at(-1)?.prompt ?? ''
  expect(own).toMatch(
    /## Facts about the tests\n\n.*Answer each[^`]+```\n1\. removed-assertion "add\.test\.js":3: expect/,
  )
  expect(own).not.toContain('## The change')

  bench.write({
    'umpire/prompts/review-task.md': 'Be fair.\n\n{{weakened}}\n\nThat was it.\n',
    'umpire.local.yaml': JSON.stringify({ review: { context: { git_diff: true } } }),
  })
  const second = await bench.add('Mend it by template')
  await bench.umpire('work')
  const templated = (await bench.show(second)).sessions.at(-1)?.prompt ?? ''
  expect(templated).toMatch(
    /^Be fair\.\n\n## Facts about the tests[\s\S]+2\. skipped-test[\s\S]+That was it\.[\s\S]+## The change/,
  )
})

test('show prints what it can when the work is gone', async () => {
  const bench = openBench({
    files: { 'add.test.js': before },
    scenario: { developer: [{ do: [{ write: { 'add.test.js': after } }] }] },
  })
  const id = await bench.add('Mend the sum')
  const filed = (await bench.umpire('show', `${id}`, '--json')).json<Record<string, unknown>>()
  expect(filed.weakenedTests).toEqual([])
  await bench.umpire('work')
  bench.git('worktree', 'remove', '--force', `.umpire/worktrees/${id}-mend-the-sum`)
  bench.git('reflog', 'expire', '--expire=now', '--all')
  bench.git('branch', '-D', (await bench.show(id)).branch ?? '')
  bench.git('gc', '--quiet', '--prune=now')
  const { code, stdout } = await bench.umpire('show', `${id}`, '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ id, weakenedTests: null })
})
