import { describe, expect, test } from 'vitest'
import { configOf, problemsIn, project } from './project.ts'

describe('files without settings', () => {
  test.each(['', '\n\n', '# only a comment\n', '---\n', 'null\n', '{}', '\uFEFF', '~'])(
    '%j',
    async (yaml) => {
      expect((await configOf(yaml)).parallel).toBe(2)
    },
  )
})

describe('files that are read', () => {
  test('with a byte order mark', async () => {
    expect((await configOf('\uFEFFparallel: 3')).parallel).toBe(3)
  })

  test('with Windows line endings, and with the right line numbers', async () => {
    expect((await configOf('parallel: 3\r\nmax_cycles: 5\r\n')).maxCycles).toBe(5)
    expect(await problemsIn('parallel: 3\r\nmax_cycles: 0\r\n')).toEqual([
      expect.stringMatching(/^umpire\.yaml:2: /),
    ])
  })

  test('with anchors and aliases', async () => {
    const { agents } = await configOf(
      'agents:\n  a: &a { command: [x], env: &e { A: b } }\n  b: { command: [y], env: *e }',
    )
    expect(agents.b).toMatchObject({ env: { A: 'b' } })
  })

  test('with commands over several lines', async () => {
    expect((await configOf('gates:\n  test: |\n    a\n    b\n')).gates).toEqual({ test: 'a\nb\n' })
  })
})

describe('files that are refused as a whole', () => {
  test.each([
    ['a list', '- a', /^umpire\.yaml:1: must be a mapping of keys to values, not a list$/],
    ['plain text', '\n\nhello', /^umpire\.yaml:3: must be a mapping of keys to values, not "hello"$/],
    ['a NUL', '\0', /^umpire\.yaml:1: must be a mapping of keys to values, not "\\u0000"$/],
    ['tabs', 'review:\n\tblind: true', /^umpire\.yaml:2: tabs cannot be used for indentation/],
    ['an open bracket', 'a: [1\nb: 2', /^umpire\.yaml:2: not valid YAML: /],
    ['an open quote', 'a: "x\nb: 2', /^umpire\.yaml:\d: not valid YAML: /],
    ['two documents', 'parallel: 1\n---\nparallel: 2', /^umpire\.yaml:2: only one document is read/],
    ['a tag', 'parallel: !!js/function "f"', /^umpire\.yaml:1: not valid YAML: Unresolved tag/],
    ['a date', '%YAML 1.1\n---\neffort: 2001-01-01', /^umpire\.yaml:3: a value must be text/],
    ['a mapping as a key', '? { a: b }\n: c', /^umpire\.yaml:1: a key must be plain text$/],
    ['no key', ': c', /^umpire\.yaml:1: a key must be plain text$/],
    [
      'an alias without an anchor',
      'parallel: 1\neffort: *x',
      /^umpire\.yaml:2: an alias has no anchor before it$/,
    ],
    [
      'an alias that contains itself',
      'gates: &a { b: *a }',
      /^umpire\.yaml:1: nested too deeply, or an alias/,
    ],
    ['thousands of brackets', '['.repeat(100_000), /^umpire\.yaml: is nested too deeply$/],
    ['thousands of dashes', '- '.repeat(100_000), /^umpire\.yaml: is nested too deeply$/],
    ['thousands of braces', '{a: '.repeat(50_000), /^umpire\.yaml: is nested too deeply$/],
    ['too much', `# ${'x'.repeat(300_000)}`, /^umpire\.yaml: is larger than 256 KiB$/],
    ['many aliases', `a: &a 1\nb: [${'*a,'.repeat(200)}]`, /^umpire\.yaml:2: too many aliases$/],
  ])('%s', async (_what, yaml, expected) => {
    expect(await problemsIn(yaml)).toEqual([expect.stringMatching(expected)])
  })

  test('an alias bomb', async () => {
    const levels = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
    for (let level = 1; level < 10; level++) {
      levels.push(
        `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(',')}]`,
      )
    }
    expect(await problemsIn(levels.join('\n'))).toEqual([expect.stringMatching(/too many (aliases|values)$/)])
  })

  test('text in another encoding', async () => {
    const { problems } = await project({ 'umpire.yaml': Buffer.from('\uFEFFparallel: 3', 'utf16le') })
    expect(await problems()).toEqual(['umpire.yaml: is not UTF-8 text'])
  })
})

describe('keys that are refused', () => {
  test('one that is written twice, with both lines', async () => {
    expect(await problemsIn('gates:\n  test: a\n  lint: b\n  test: c')).toEqual([
      'umpire.yaml:4: gates.test: is written twice, first on line 2',
    ])
    expect(await problemsIn('gates:\n  true: a\n  "true": c')).toEqual([
      'umpire.yaml:3: gates.true: is written twice, first on line 2',
    ])
  })

  test('one that would change a prototype', async () => {
    expect(await problemsIn('agents: { __proto__: { command: [a] } }')).toEqual([
      'umpire.yaml:1: agents.__proto__: cannot be used as a key',
    ])
  })

  test('a merge key, which this version of YAML does not have', async () => {
    expect(
      await problemsIn('limits: &l { gate: 1s }\ntask_types: { implement: { limits: { <<: *l } } }'),
    ).toEqual([expect.stringContaining('umpire.yaml:2: task_types.implement.limits."<<": unknown key')])
  })
})
