/** Plan files as people write them, and everything that can be wrong with one. */
import { describe, expect, test } from 'vitest'
import { parsePlan } from '../../src/plan/format/parse-plan.ts'

function file(...lines: string[]): string {
  return `${lines.join('\n')}\n`
}

function read(text: string) {
  const parsed = parsePlan('plans/01.md', text)
  if (parsed.kind !== 'task') throw new Error(JSON.stringify(parsed))
  return parsed.plan
}

function problemsOf(text: string): string[] {
  const parsed = parsePlan('01.md', text)
  return parsed.kind === 'malformed'
    ? parsed.problems.map(({ line, text: why }) => `${line}: ${why}`)
    : [parsed.kind]
}

const whole = file(
  '---',
  'task: 6',
  'status: pending',
  'backpressure: "go test ./internal/review/... -run Loop"',
  'depends_on: [1, 2, 5]',
  'group: 2',
  '---',
  '',
  '# Review loop orchestration',
  '',
  '**Parent**: `specs/review.md`',
  '',
  '## Objective',
  '',
  'Lead the review loop.',
  '',
  '### Why',
  '',
  'Nobody does.',
  '',
  '## SCOPE:',
  '',
  'Only `internal/review`.',
  '',
  '## Deliverables',
  '',
  '```markdown',
  '## Scope',
  'not this one',
  '```',
  '',
  '## acceptance criteria',
  '',
  'All of these:',
  '',
  '- [ ] passes at once',
  '- [x] passes after a revision,',
  '  also a late one',
  '* blocks',
  '1. tells why',
  '',
  '## NOT In Scope',
  '',
  '- the CLI',
)

test('reads a whole plan file without losing any of it', () => {
  expect(read(whole)).toEqual({
    task: 6,
    title: 'Review loop orchestration',
    status: 'pending',
    description: [
      'Lead the review loop.\n\n### Why\n\nNobody does.',
      '**Parent**: `specs/review.md`',
      '## Deliverables\n\n```markdown\n## Scope\nnot this one\n```',
      '## acceptance criteria\n\nAll of these:',
      '## NOT In Scope\n\n- the CLI',
    ].join('\n\n'),
    scope: 'Only `internal/review`.',
    accept: ['passes at once', 'passes after a revision,\nalso a late one', 'blocks', 'tells why'],
    gates: ['go test ./internal/review/... -run Loop'],
    dependsOn: [1, 2, 5],
    group: 2,
    of: null,
    settings: {},
    mark: null,
  })
})

test('Windows line endings and a byte order mark change nothing', () => {
  expect(read(`\ufeff${whole.replaceAll('\n', '\r\n')}`)).toEqual(read(whole))
})

test('the front matter can also contain the settings of the task', () => {
  const text = file(
    ...['---', 'task: 0', 'title: "Look at it: again"', 'type: review', 'of: 3', 'review: false'],
    ...['max_cycles: 2', 'effort: high', 'agent: a', 'model: b', 'reviewer: c', 'review_model: d'],
    ...['backpressure:', '  - npm test', '  - npm run lint', 'depends_on: 4', '---', '# Heading', 'Text'],
  )
  expect(read(text)).toMatchObject({
    ...{ task: 0, title: 'Look at it: again', of: 3, dependsOn: [4], gates: ['npm test', 'npm run lint'] },
    description: '# Heading\nText',
    settings: {
      ...{ type: 'review', autoReview: false, maxCycles: 2, effort: 'high' },
      ...{ agent: 'a', model: 'b', reviewer: 'c', reviewModel: 'd' },
    },
  })
})

test.each([
  ['done', 'completed'],
  ['Complete', 'completed'],
  ['in-progress', 'in_progress'],
  ['In Progress', 'in_progress'],
  ['canceled', 'cancelled'],
  ['todo', 'pending'],
])('the status %s means %s', (word, status) => {
  expect(read(file('---', 'task: 1', 'title: X', `status: ${word}`, '---')).status).toBe(status)
})

test('drops a first heading that repeats the title', () => {
  expect(read(file('---', 'task: 1', 'title: Do it', '---', '# Do it #', '', 'Now.')).description).toBe(
    'Now.',
  )
})

describe('another kind of file', () => {
  test.each([
    ['without front matter', '# Read me\n'],
    [
      'with front matter of another program',
      file('---', 'layout: page', 'depends_on: [x]', '---', '# A page'),
    ],
  ])('%s is not a plan file', (_, text) => {
    expect(parsePlan('README.md', text).kind).toBe('other')
  })
})

describe('problems are reported with their line', () => {
  const withKeys = (...keys: string[]) => file('---', 'task: 1', 'title: X', ...keys, '---')
  test.each<[string, string, string[]]>([
    [
      'no end',
      '---\ntask: 1\n',
      ['1: the front matter has no end; close it with a line that contains only ---'],
    ],
    [
      'no title',
      file('---', 'task: 1', '---', 'Text'),
      ['4: there is no title; add a key title or a first heading'],
    ],
    [
      'a section as title',
      file('---', 'task: 1', '---', '## Objective', 'X'),
      ['4: there is no title; add a key title or a first heading'],
    ],
    [
      'no number',
      file('---', 'backpressure: x', '---', '# X'),
      ['1: task: is missing; give the task a number within its plan'],
    ],
    [
      'a slip of the pen',
      file('---', 'taks: 1', '---', '# X'),
      [
        '2: taks: unknown key, did you mean task?',
        '1: task: is missing; give the task a number within its plan',
      ],
    ],
    [
      'no text',
      file('---', 'task: 1', 'title: 7', '---'),
      ['3: title: must be text that is not empty, found 7'],
    ],
    [
      'a number in quotes',
      file('---', 'task: "1"', 'title: X', '---'),
      ['2: task: must be a whole number from 0 to 1000000000, found "1"'],
    ],
    ['an unknown key', withKeys('dependson: [2]'), ['4: dependson: unknown key, did you mean depends_on?']],
    [
      'a key of nobody',
      withKeys('colour: red'),
      [expect.stringMatching(/^4: colour: unknown key; known keys: task, title, /)],
    ],
    ['a key twice', withKeys('group: 1', 'group: 2'), ['5: group: is written twice, first on line 4']],
    [
      'an empty command',
      withKeys('backpressure: " "'),
      ['4: backpressure: must be a non-empty command, or a list of them, found " "'],
    ],
    [
      'no command',
      withKeys('backpressure:'),
      ['4: backpressure: must be a non-empty command, or a list of them, but the value is empty'],
    ],
    [
      'a command that is no text',
      withKeys('backpressure: true'),
      ['4: backpressure: must be a non-empty command, or a list of them, found true'],
    ],
    [
      'no list of numbers',
      withKeys('depends_on: [1, two]'),
      ['4: depends_on: must be a list of task numbers, as in [1, 2], found "two"'],
    ],
    ['a wrong group', withKeys('group: 0'), ['4: group: must be a whole number from 1 to 1000000, found 0']],
    [
      'a wrong status',
      withKeys('status: complte'),
      [
        '4: status: must be pending, in_progress, completed or another status word (did you mean complete?), found "complte"',
      ],
    ],
    [
      'a wrong type',
      withKeys('type: spec'),
      [expect.stringMatching(/^4: type: must be one of implement, improve, review/)],
    ],
    [
      'a forged mark',
      withKeys('umpire: mine'),
      ['4: umpire: is written by umpire export; leave it unchanged or remove it, found "mine"'],
    ],
    ['no YAML', file('---', 'task: [1', '---', '# X'), [expect.stringMatching(/^\d: not valid YAML/)]],
    ['a list', file('---', '- 1', '---', '# X'), ['2: must be a mapping of keys to values, not a list']],
    [
      'several things at once',
      file('---', 'task: one', 'group: x', 'nope: 1', '---', 'no heading'),
      [
        expect.stringMatching(/^4: nope: unknown key/),
        '2: task: must be a whole number from 0 to 1000000000, found "one"',
        '3: group: must be a whole number from 1 to 1000000, found "x"',
        '6: there is no title; add a key title or a first heading',
      ],
    ],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })
})
