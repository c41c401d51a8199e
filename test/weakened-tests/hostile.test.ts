/** Diffs of an attacker who wants to hide something, fake something, or stop the reader. */
import { describe, expect, test } from 'vitest'
import { findWeakened } from '../../src/weakened-tests/find-weakened.ts'
import { readDiff } from '../../src/weakened-tests/read-diff.ts'
import { diffOf } from './diff-of.ts'

const plain = "it('a', () => {\n  expect(f()).toBe(1)\n})\n"
const skipped = plain.replace('it(', 'it.skip(')

test.each(['a b.test.ts', 'ä "quoted"\t\\.test.ts', 'b/a b/b.test.ts', '-- a.test.ts'])(
  'the path %j is read unchanged',
  (file) => {
    expect(findWeakened(diffOf({ [file]: plain }, { [file]: skipped }), 9).facts).toEqual([
      { kind: 'skipped-test', file, line: 1, text: "it.skip('a', () => {" },
    ])
    expect(findWeakened(diffOf({ [file]: '' }, { x: 'x' }), 9).facts).toMatchObject([
      { kind: 'deleted-test-file', file },
    ])
  },
)

test('content that looks like a diff header stays content', () => {
  const lines = 'x\n-- a/other.test.ts\n++ b/other.test.ts\n@@ -1 +1 @@\ndiff --git a/o.test.ts b/o.test.ts\n'
  const files = readDiff(diffOf({ 'a.test.ts': lines, z: '1' }, { 'a.test.ts': 'x\n', z: '2' }), () => true)
  expect(files.map(({ to }) => to)).toEqual(['a.test.ts', 'z'])
  expect(files[0]?.hunks[0]?.lines.map(({ side }) => side)).toEqual(['both', 'old', 'old', 'old', 'old'])
})

test('carriage returns and a missing final newline make no difference', () => {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')
  expect(findWeakened(diffOf({ 'a.test.ts': plain }, { 'a.test.ts': crlf(plain) }), 9).facts).toEqual([])
  const facts = findWeakened(
    diffOf({ 'a.test.ts': plain.trimEnd() }, { 'a.test.ts': crlf(skipped) }),
    9,
  ).facts
  expect(facts).toEqual([{ kind: 'skipped-test', file: 'a.test.ts', line: 1, text: "it.skip('a', () => {" }])
})

test('reads binary files, cut-off diffs and non-diffs as far as possible', () => {
  const binary = Buffer.from([0, 1, 2])
  expect(findWeakened(diffOf({ 'a.test.ts': binary }, { 'a.test.ts': plain }), 9).facts).toEqual([])
  expect(findWeakened(diffOf({ 'a.test.ts': binary }, { x: '' }), 9).facts).toMatchObject([
    { kind: 'deleted-test-file' },
  ])
  const whole = diffOf({ 'a.test.ts': plain }, { 'a.test.ts': skipped })
  for (let end = 0; end <= whole.length; end++)
    expect(() => findWeakened(whole.slice(0, end), 9)).not.toThrow()
  expect(
    findWeakened(`${whole.slice(0, whole.indexOf('+') + 3)}\n[The diff was cut off here.]\n`, 9).more,
  ).toBe(0)
  for (const text of [
    '',
    '\n',
    'diff --git ',
    'diff --git "a/\\',
    '@@ -1 +1 @@\n-a',
    'diff --git a/x b/x\n@@ nothing @@\n',
  ])
    expect(findWeakened(text, 9)).toEqual({ facts: [], more: 0 })
})

test('lists at most the requested number of facts, each on one short line, and counts the rest', () => {
  const many = Array.from({ length: 60 }, (_, at) => `it('${at}', () => {\n  run(${at})\n})\n`).join('\n')
  const { facts, more } = findWeakened(
    diffOf({ 'a.test.ts': many }, { 'a.test.ts': many.replaceAll('it(', 'xit(') }),
    25,
  )
  expect(facts).toHaveLength(25)
  expect(more).toBe(35)
  const long = `it.only('${'x'.repeat(5_000)}', () => {})\n`
  const [fact] = findWeakened(diffOf({ 'a.test.ts': 'a\n' }, { 'a.test.ts': `a\n${long}` }), 9).facts
  expect(fact?.text).toHaveLength(200)
})

describe('time is linear in the size of the diff', () => {
  const repeated = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / unit.length))
  const heading = (file: string, lines: number) =>
    `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1,${lines} +1,${lines} @@\n`
  const change = (file: string, line: string, count: number) =>
    heading(file, count) + repeated(`-${line}\n+${line.replace(/\w/, 'z')}\n`, count * (2 * line.length + 4))

  const files = [
    'a.test.ts',
    'test_a.py',
    'a_test.go',
    'tests/a.rs',
    'ATest.java',
    'a_spec.rb',
    'ATests.cs',
    'package.json',
    'Makefile',
    'pyproject.toml',
    '.gitlab-ci.yml',
    'umpire.yaml',
  ]
  const lines = {
    spaces: ' '.repeat(999),
    'spaces and a word': `a${' '.repeat(990)}b`,
    braces: '{ '.repeat(490),
    'opened calls': 'expect('.repeat(140),
    'asserts in a row': 'assert '.repeat(140),
    'attributes that do not end': `[Fact(${'x, '.repeat(300)}`,
    modifiers: 'public static async '.repeat(45),
    'backslashes and quotes': '\\"'.repeat(490),
    numbers: 'timeout 1 '.repeat(95),
    'names and dots': `it${'.a'.repeat(480)}`,
    letters: 'a'.repeat(999),
  }
  test.each(Object.entries(lines))('%s', (_, line) => {
    // If a line took more than linear time, these would take hours and hit the test's timeout.
    for (const file of files) findWeakened(change(file, line, 100), 9)
  })

  test('one line of 32 MB, very many short ones, and very many files', () => {
    expect(
      findWeakened(`${heading('a.test.ts', 1)}-${'x'.repeat(16 << 20)}\n+${'y'.repeat(16 << 20)}\n`, 9).facts,
    ).toEqual([])
    const skips = Array.from({ length: 50_000 }, (_, at) => `+it.skip('${at}', () => {})\n`).join('')
    const found = findWeakened(
      `diff --git a/a.test.ts b/a.test.ts\n--- a/a.test.ts\n+++ b/a.test.ts\n@@ -1,0 +1,50000 @@\n${skips}`,
      9,
    )
    expect(found.facts.length + found.more).toBe(50_000)
    const equal = `${heading('b.test.ts', 20_000)}${'-  expect(a).toBe(1)\n'.repeat(20_000)}${'+  expect(a).toBeTruthy()\n'.repeat(20_000)}`
    expect(findWeakened(equal, 9).more).toBe(20_000 - 9)
    const emptied = Array.from(
      { length: 20_000 },
      (_, at) => `diff --git a/${at}.test.ts b/${at}.test.ts\ndeleted file mode 100644\nindex 1..0\n`,
    )
    expect(findWeakened(emptied.join(''), 9).more).toBe(20_000 - 9)
  })
})
