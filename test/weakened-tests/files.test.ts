/** Whole files: deleted, moved, renamed and snapshot files, and files that define which checks run. */
import { expect, test } from 'vitest'
import { findWeakened } from '../../src/weakened-tests/find-weakened.ts'
import { diffOf, type Tree } from './diff-of.ts'

const facts = (before: Tree, after: Tree) => findWeakened(diffOf(before, after), 50).facts
const told = (before: Tree, after: Tree) => facts(before, after).map(({ kind, file }) => `${kind} ${file}`)

const tests = (...names: string[]) =>
  names.map((name) => `it('${name}', () => {\n  expect(${name}(1)).toBe('${name}')\n})\n`).join('\n')

test('reports a deleted test file once, without its assertions', () => {
  expect(facts({ 'a.test.ts': tests('one', 'two') }, { 'a.ts': '' })).toEqual([
    { kind: 'deleted-test-file', file: 'a.test.ts', line: null, text: 'deleted, with 2 tests' },
  ])
  for (const [file, text] of [
    ['test_a.py', 'def test_a():\n    assert f() == 1\n'],
    ['a_test.go', 'package a\n\nfunc TestA(t *testing.T) {\n}\n'],
    ['tests/a.rs', '#[test]\nfn a() {}\n'],
    ['src/a.rs', 'fn a() {}\n\nmod tests {\n    #[test]\n    fn b() {}\n}\n'],
    ['src/test/java/ATest.java', 'class ATest {}\n'],
    ['spec/a_spec.rb', "it 'adds' do\nend\n"],
    ['A.Tests/ATests.cs', 'public class ATests {}\n'],
    ['empty.spec.js', ''],
  ] as const)
    expect(told({ [file]: text }, { other: 'x' })).toEqual([`deleted-test-file ${file}`])
})

test('reports neither tests that moved to one or several files, nor a deleted test helper', () => {
  const [one, two] = [tests('one', 'two', 'three'), tests('four', 'five', 'six')]
  expect(told({ 'a.test.ts': one + two }, { 'b/a.test.ts': one + two })).toEqual([])
  expect(told({ 'a.test.ts': `${one}\n${two}` }, { 'b.test.ts': one, 'c.test.ts': two })).toEqual([])
  expect(
    told(
      { 'a.test.ts': one, 'b.test.ts': two },
      { 'a.test.ts': tests('one'), 'b.test.ts': two + tests('two', 'three') },
    ),
  ).toEqual([])
  expect(told({ 'test/support/open.ts': 'export const open = 1\n' }, { x: '' })).toEqual([])
  expect(told({ 'tests/common/mod.rs': 'fn a() {}\n' }, { x: '' })).toEqual([])
  expect(told({ 'test/fixtures/a.test.ts': one }, { x: '' })).toEqual([])
})

test('reports a test that lost an assertion while moving, under its old file', () => {
  const other = tests('four', 'five', 'six', 'seven')
  const before = {
    'a.test.ts': `${other}\nit('adds', () => {\n  expect(f(1)).toBe(1)\n  expect(f(2)).toBe(2)\n})\n`,
    'b.test.ts': other,
  }
  const after = {
    'a.test.ts': other,
    'b.test.ts': `${other}\nit('adds', () => {\n  expect(f(1)).toBe(1)\n})\n`,
  }
  expect(told(before, after)).toEqual(['removed-assertion a.test.ts'])
})

test('reports a file renamed so that no runner finds it, but not one with another test file name', () => {
  const text = tests('one', 'two', 'three')
  expect(told({ 'a.test.ts': text }, { 'a.test.ts.bak': text })).toEqual(['skipped-test a.test.ts.bak'])
  expect(
    told({ 'test_a.py': 'def test_a():\n    run(1)\n' }, { 'old_a.py': 'def test_a():\n    run(1)\n' }),
  ).toEqual(['skipped-test old_a.py'])
  expect(told({ 'a.test.ts': text }, { 'a.spec.ts': text })).toEqual([])
  expect(told({ 'a.ts': text }, { 'b.ts': text })).toEqual([])
})

test('reports snapshots that were replaced, but not new ones', () => {
  const snap = 'exports[`a 1`] = `1`;\n'
  const file = 'src/__snapshots__/a.test.ts.snap'
  expect(told({ [file]: snap }, { [file]: 'exports[`a 1`] = `2`;\n' })).toEqual([
    `loosened-expectation ${file}`,
  ])
  expect(told({ [file]: snap }, { [file]: `${snap}exports[\`b 1\`] = \`2\`;\n` })).toEqual([])
  expect(told({ x: '' }, { x: '', [file]: snap })).toEqual([])
  const picture = 'e2e/a.spec.ts-snapshots/a.png'
  expect(facts({ [picture]: Buffer.from([0, 1]) }, { [picture]: Buffer.from([0, 2]) })).toEqual([
    { kind: 'loosened-expectation', file: picture, line: null, text: 'a recorded result was replaced' },
  ])
})

const scripts = (test: string, more = '') =>
  `{\n  "name": "a",\n  "scripts": {\n    "build": "tsc",\n    "test": "${test}"${more}\n  }\n}\n`
const make = (test: string, build = 'cc') => `build:\n\t${build}\n\tdone\n\tdone\n\ntest: build\n\t${test}\n`
const pyproject = (options: string) => `[project]\nname = "a"\n\n[tool.pytest.ini_options]\n${options}\n`

test.each<[string, string, string, string, string[]]>([
  [
    'umpire.yaml',
    'a gate',
    'gates:\n  test: npm test\n',
    'gates:\n  test: "true"\n',
    ['test: npm test → test: "true"'],
  ],
  ['umpire.yaml', 'only a comment', 'gates:\n  test: npm test\n', '# Ours\ngates:\n  test: npm test\n', []],
  [
    'package.json',
    'a script',
    scripts('vitest run'),
    scripts('vitest run || true'),
    ['"test": "vitest run" → "test": "vitest run || true"'],
  ],
  [
    'package.json',
    'another script beside it',
    scripts('vitest run'),
    scripts('vitest run', ',\n    "test:e2e": "playwright"'),
    [],
  ],
  ['package.json', 'a dependency', '{\n  "vitest": "^1.0.0"\n}\n', '{\n  "vitest": "^2.0.0"\n}\n', []],
  [
    'package.json',
    'a threshold',
    '{\n  "branches": 90\n}\n',
    '{\n  "branches": 10\n}\n',
    ['"branches": 90 → "branches": 10'],
  ],
  ['Makefile', 'a target', make('go test ./...'), make('-go test ./...'), ['go test ./... → -go test ./...']],
  ['Makefile', 'another target', make('go test'), make('go test', 'gcc'), []],
  [
    'pytest.ini',
    'an option',
    '[pytest]\naddopts = -x\n',
    '[pytest]\naddopts = --ignore=tests\n',
    ['addopts = -x → addopts = --ignore=tests'],
  ],
  [
    'pyproject.toml',
    'coverage',
    pyproject('fail_under = 90'),
    pyproject('fail_under = 10'),
    ['fail_under = 90 → fail_under = 10'],
  ],
  [
    'pyproject.toml',
    'the version',
    pyproject('fail_under = 90'),
    pyproject('fail_under = 90').replace('"a"', '"b"'),
    [],
  ],
  [
    'vitest.config.ts',
    'an exclusion',
    'export default {\n  a: 1,\n}\n',
    "export default {\n  a: 1,\n  exclude: ['a'],\n}\n",
    ["exclude: ['a'],"],
  ],
  ['Cargo.toml', 'no tests', '[lib]\nname = "a"\n', '[lib]\nname = "a"\ntest = false\n', ['test = false']],
  [
    'pom.xml',
    'no tests',
    '<p>\n</p>\n',
    '<p>\n<skipTests>true</skipTests>\n</p>\n',
    ['<skipTests>true</skipTests>'],
  ],
  [
    'build.gradle',
    'no failures',
    'test {\n}\n',
    'test {\n  ignoreFailures = true\n}\n',
    ['ignoreFailures = true'],
  ],
  [
    'scripts/run-tests.sh',
    'no failures',
    'npm test\n',
    'npm test || true\n',
    ['npm test → npm test || true'],
  ],
  ['.coveragerc', 'an omission', '[run]\n', '[run]\nomit = a\n', ['omit = a']],
])('%s: %s', (file, _, before, after, texts) => {
  const found = facts({ [file]: before }, { [file]: after })
  expect(found.map(({ text }) => text)).toEqual(texts)
  for (const fact of found) expect(fact).toMatchObject({ kind: 'changed-gate', file })
})

test.each([
  '.github/workflows/test.yml',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
  'azure-pipelines.yml',
  'ci/Jenkinsfile',
  '.ci/run',
])('reports every change of %s except comments, and when it is new or deleted', (file) => {
  const before = 'name: a\nrun: npm test\n'
  expect(facts({ [file]: before }, { [file]: 'name: b\nrun: npm test || true\n' })).toEqual([
    { kind: 'changed-ci', file, line: 2, text: 'run: npm test || true' },
  ])
  expect(told({ [file]: before }, { [file]: `# A comment.\n${before}` })).toEqual([])
  expect(told({ [file]: before }, { x: '' })).toEqual([`changed-ci ${file}`])
  expect(told({ x: '' }, { x: '', [file]: before })).toEqual([`changed-ci ${file}`])
})
