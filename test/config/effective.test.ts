import { expect, test } from 'vitest'
import { configKeys } from '../../src/config/config-keys.ts'
import { parseDuration, renderDuration } from '../../src/config/duration.ts'
import { effectiveValues } from '../../src/config/effective.ts'
import { project } from './project.ts'

async function effective(files: Record<string, string>) {
  const rows = effectiveValues(await (await project(files)).load())
  return Object.fromEntries(rows.map(({ key, value, source }) => [key, { value, source }]))
}

/** Whether a schema key, with `*` for any name, is shown: itself, or as the empty map that would hold such names. */
function isShown(key: string, shown: string[]): boolean {
  const steps = key.split('.')
  return shown.some((other) => {
    const found = other.split('.')
    const fits = found.every((step, place) => steps[place] === '*' || steps[place] === step)
    return fits && (found.length === steps.length || steps[found.length] === '*')
  })
}

test.each([
  ['nothing', ''],
  [
    'something of everything',
    [
      'roles: { developer: { agent: mine, env: { A: b } }, reviewer: script }',
      'agents: { mine: { command: [a], env: { A: b } }, gem: { agent: acp, command: [g] }, script: { agent: scripted, script: s.yaml } }',
      'gates: { test: a }',
      'notify: [{ bell: true }]',
    ].join('\n'),
  ],
])('every key has a value when %s is written', async (_, yaml) => {
  const rows = await effective({ 'umpire.yaml': yaml })
  const shown = Object.keys(rows)
  expect(configKeys().filter((key) => !isShown(key, shown))).toEqual([])
  expect(Object.values(rows).filter(({ value }) => value === undefined)).toEqual([])
})

test('values are printed as in the files, with the file that they come from', async () => {
  const rows = await effective({
    'home/config.yaml': 'parallel: 7',
    'umpire.yaml': 'agents:\n  mine:\n    command: [a]\nroles:\n  developer: mine\nlimits: { gate: 90s }',
    'umpire.local.yaml': '\nreview: { min_score: 80 }',
  })
  const at = (file: string, line: number) => ({ file: expect.stringContaining(file), line })
  expect(rows).toMatchObject({
    parallel: { value: 7, source: at('home/config.yaml', 1) },
    'agents.mine.command': { value: ['a'], source: at('umpire.yaml', 3) },
    'agents.mine.prompt': { value: 'stdin', source: 'default' },
    'agents.mine.env': { value: {}, source: 'default' },
    'agents.mine.confine': { value: false, source: 'default' },
    'roles.developer.agent': { value: 'mine', source: at('umpire.yaml', 5) },
    'roles.developer.model': { value: null, source: 'default' },
    'roles.reviewer.agent': { value: null, source: 'default' },
    'roles.reviewer.args': { value: [], source: 'default' },
    'limits.gate': { value: '90s', source: at('umpire.yaml', 6) },
    'limits.develop': { value: '60m', source: 'default' },
    'review.min_score': { value: 80, source: at('umpire.local.yaml', 2) },
    gates: { value: {}, source: 'default' },
    notify: { value: [], source: 'default' },
  })
})

test('a value derived from another key names that key', async () => {
  const rows = await effective({
    'umpire.yaml': 'effort: high\nlimits: { idle: 1m }\nreview: { enabled: false }',
  })
  expect(rows).toMatchObject({
    effort: { value: 'high', source: { line: 1 } },
    max_cycles: { value: 5, source: { from: 'effort' } },
    'task_types.implement.max_cycles': { value: 5, source: { from: 'effort' } },
    'task_types.implement.limits.idle': { value: '1m', source: { from: 'limits.idle' } },
    'task_types.improve.auto_review': { value: false, source: { from: 'review.enabled' } },
    'task_types.improve.limits.gate': { value: '10m', source: 'default' },
  })
  const typed = await effective({ 'umpire.yaml': 'max_cycles: 2\ntask_types: { improve: { effort: low } }' })
  expect(typed).toMatchObject({
    max_cycles: { value: 2, source: { line: 1 } },
    'task_types.implement.max_cycles': { value: 2, source: { from: 'max_cycles' } },
    'task_types.improve.max_cycles': { value: 3, source: { from: 'task_types.improve.effort' } },
    'task_types.implement.effort': { value: 'medium', source: 'default' },
  })
})

test.each(['500ms', '90s', '1m', '60m', '119m', '2h', '36h'])(
  'the duration %s is printed as a person would write it',
  (text) => {
    expect(renderDuration(parseDuration(text) ?? 0)).toBe(text)
  },
)
