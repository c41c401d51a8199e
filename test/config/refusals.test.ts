import { describe, expect, test } from 'vitest'
import { problemsIn } from './project.ts'

const agents = 'agents: { mine: { command: [a] } }'

async function only(yaml: string): Promise<string> {
  const problems = await problemsIn(yaml)
  expect(problems).toHaveLength(1)
  return problems[0] ?? ''
}

describe('what is not yet available is refused in these words', () => {
  test.each([
    ['roles.parser', 'roles: { parser: mine }'],
    ['roles.planner', 'roles: { planner: mine }'],
    ['roles.spec_reviewer', 'roles: { spec_reviewer: mine }'],
    ['roles.spec_editor', 'roles: { spec_editor: mine }'],
    ['roles.resolver', 'roles: { resolver: mine }'],
    [
      'roles.developer.continue_session',
      '{ agents: { mine: { command: [a] } }, roles: { developer: { agent: mine, continue_session: false } } }',
    ],
    ['agents.x.confine', 'agents: { x: { command: [a], confine: false } }'],
    ['review.trigger', 'review: { trigger: session_idle }'],
    ['review.trigger', 'review: { trigger: explicit }'],
    ['review.idle_after', 'review: { idle_after: 2m }'],
    ['review.command', 'review: { command: /review-task }'],
    ['review.channels', 'review: { channels: [json, parser] }'],
    ['review.channels', 'review: { channels: [parser] }'],
    ['review.proof', 'review: { proof: prefer }'],
    ['review.panel', 'review: { panel: [] }'],
    ['review.approve_by', 'review: { approve_by: { quorum: 2 } }'],
    ['worktree.ports', 'worktree: { ports: 10 }'],
    ['schedule', 'schedule: { avoid_conflicts: true }'],
    ['budget', 'budget: { task: 5 }'],
    ['land', 'land: base'],
    ['vcs', 'vcs: jj'],
    ['spec', 'spec: { max_iterations: 3 }'],
    ['notify', 'notify: [{ bell: true }]'],
    ['task_types.improve', 'task_types: { improve: { effort: low } }'],
    ['task_types.review', 'task_types: { review: {} }'],
    ['task_types.plan', 'task_types: { plan: {} }'],
    ['task_types.spec', 'task_types: { spec: {} }'],
  ])('%s: %s', async (key, yaml) => {
    const problem = await only(yaml)
    expect(problem.startsWith(`umpire.yaml:1: ${key}: `)).toBe(true)
    expect(problem).toContain('not yet available')
    expect(problem).not.toContain('unknown')
  })

  test.each(['claude', 'codex', 'gemini', 'opencode', 'acp'])('the built-in agent %s', async (name) => {
    for (const yaml of [`roles: { developer: ${name} }`, `agents: { x: { agent: ${name} } }`]) {
      const problem = await only(yaml)
      expect(problem).toContain(`${name}`)
      expect(problem).toContain('not yet available')
      expect(problem).toContain('command: [program')
    }
  })
})

describe('unknown keys are refused with the nearest right one', () => {
  test.each([
    ['reviews: {}', 'reviews: unknown key, did you mean review?'],
    ['max_cycle: 3', 'max_cycle: unknown key, did you mean max_cycles?'],
    ['maxCycles: 3', 'maxCycles: unknown key, did you mean max_cycles?'],
    ['paralell: 3', 'paralell: unknown key, did you mean parallel?'],
    [
      'review: { context: { gti_diff: true } }',
      'review.context.gti_diff: unknown key, did you mean git_diff?',
    ],
    ['roles: { develper: mine }', 'roles.develper: unknown key, did you mean developer?'],
    ['retries: 3', 'retries: unknown key, did you mean review.retries?'],
    ['gate: { zzz: 1 }', 'gate.zzz: unknown key; known here: baseline'],
    ['agents: { x: { command: [a], promt: file } }', 'agents.x.promt: unknown key, did you mean prompt?'],
    ['task_types: { implment: {} }', 'task_types.implment: unknown key, did you mean implement?'],
    ['"\\e[31mred": 1', '"\\u001b[31mred": unknown key; known here: roles, agents'],
  ])('%s', async (yaml, expected) => {
    expect(await only(yaml)).toContain(`umpire.yaml:1: ${expected}`)
  })
})

describe('wrong values are refused with the rule and what was found', () => {
  test.each([
    ['max_cycles: 0', 'max_cycles: must be a whole number of at least 1, found 0'],
    ['max_cycles: 2.5', 'max_cycles: must be a whole number of at least 1, found 2.5'],
    ['max_cycles: "3"', 'max_cycles: must be a whole number of at least 1, found "3"'],
    ['max_cycles: .inf', 'max_cycles: must be a whole number'],
    ['max_cycles:', 'max_cycles: must be a whole number of at least 1, but nothing is written'],
    ['max_iterations: 0', 'max_iterations: must be a whole number of at least 1, found 0'],
    ['max_gate_failures: 0', 'max_gate_failures: must be a whole number of at least 1, found 0'],
    ['parallel: 0', 'parallel: must be a whole number from 1 to 100, found 0'],
    ['parallel: 101', 'parallel: must be a whole number from 1 to 100, found 101'],
    ['review: { min_score: 101 }', 'review.min_score: must be a whole number from 0 to 100, found 101'],
    ['review: { retries: 11 }', 'review.retries: must be a whole number from 0 to 10, found 11'],
    ['limits: { agent_retries: -1 }', 'limits.agent_retries: must be a whole number from 0 to 10, found -1'],
    ['review: { blind: yes }', 'review.blind: must be true or false, found "yes"'],
    ['review: 5', 'review: must be a mapping, found 5'],
    ['effort: hgih', 'effort: must be one of low, medium, high, max, found "hgih"; did you mean high?'],
    ['land: trunk', 'land: must be branch, found "trunk"'],
    ['review: { channels: json }', 'review.channels: must be a list of channels, found "json"'],
    ['review: { channels: [] }', 'review.channels: must name at least one channel'],
    ['review: { channels: [json, json] }', 'review.channels: names a channel twice'],
    ['limits: { idle: 60 }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 0s }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 10 m }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 577h }', 'at most 576h, found "577h"'],
    ['gates: { test: }', 'gates.test: must be text that is not empty'],
    ['gates: { test: [npm, test] }', 'gates.test: must be text that is not empty'],
    ['gates: { "": make }', 'gates."": is no name'],
    ['gates: { "a\\nb": make }', 'gates."a\\nb": is no name'],
    ['gates: { 7: make }', 'gates.7: the name of a gate cannot be a number'],
    ['gates: { backpressure: make }', "gates.backpressure: is the name of a task's own gates"],
    ['gates: { backpressure-2: make }', "gates.backpressure-2: is the name of a task's own gates"],
    ['agents: { " x": { command: [a] } }', 'agents." x": is no name'],
    ['agents: { x: { command: [] } }', 'agents.x.command: must be a list that begins with a program'],
    ['agents: { x: { command: node a.mjs } }', 'agents.x.command: must be a list that begins with a program'],
    ['agents: { x: { command: [""] } }', 'agents.x.command: must be text that is not empty'],
    [
      'agents: { x: { command: [sleep, 5] } }',
      'agents.x.command: must be text that is not empty (put numbers',
    ],
    ['agents: { x: { command: ["a\\0b"] } }', 'agents.x.command: must be text'],
    ['agents: { x: { command: [a], env: { "A=B": c } } }', 'is no name for an environment variable'],
    [
      'agents: { x: { command: [a], env: { UMPIRE_TOKEN: c } } }',
      'begin with UMPIRE_ are set by Umpire itself',
    ],
    ['agents: { x: 5 }', 'agents.x: must be a mapping: { command'],
    ['agents: { x: {} }', 'agents.x: needs a command'],
    ['agents: { x: { prompt: stdin } }', 'agents.x: needs a command'],
    ['agents: { x: { agent: scripted } }', 'agents.x: the scripted agent needs a script'],
    ['agents: { x: { script: a.yaml } }', 'agents.x.script: belongs to the scripted agent'],
    [
      'agents: { x: { command: [a], script: b } }',
      'agents.x: is either a program (command) or the scripted agent',
    ],
    [
      'agents: { x: { agent: scripted, script: b, prompt: file } }',
      'agents.x.prompt: means nothing to the scripted',
    ],
    ['agents: { x: { agent: scriptd, script: b } }', 'agents.x.agent: must be scripted, found "scriptd"'],
    ['roles: { developer: 5 }', "roles.developer: must be an agent's name or a mapping"],
    ['roles: { developer: { model: big } }', 'roles.developer.agent: is missing'],
    ['roles: { developer: nobody }', 'roles.developer: there is no agent "nobody"; define it under agents'],
    ['roles: { developer: constructor }', 'roles.developer: there is no agent "constructor"'],
    ['roles: { reviewer: scripted }', 'roles.reviewer: the scripted agent needs a script'],
    ['review: { context: { session_log: true } }', 'review.context.session_log: shows the developer'],
    ['worktree: { setup: npm ci }', 'worktree.setup: must be a list of text, found "npm ci"'],
    ['worktree: { copy: [../x] }', 'worktree.copy: must not contain .., found "../x"'],
    ['worktree: { copy: [a/../../x] }', 'worktree.copy: must not contain ..'],
    ['worktree: { copy: [/etc/hosts] }', 'worktree.copy: must be a path relative to the repository'],
    ['worktree: { copy: [~/.env] }', 'worktree.copy: must be a path relative to the repository'],
    ['worktree: { copy: [.] }', 'worktree.copy: must name something inside the repository'],
    ['worktree: { link: [.git/hooks] }', 'worktree.link: must not be in .git'],
    ['worktree: { link: [./.GIT] }', 'worktree.link: must not be in .git'],
    ['worktree: { link: [.umpire/x] }', "worktree.link: must not be in Umpire's own folder"],
    ['worktree: { copy: [a/b], link: [a] }', 'worktree.link: a overlaps with a/b in worktree.copy'],
  ])('%s', async (yaml, expected) => {
    expect(await only(yaml)).toContain(expected)
  })

  test('a role with a misspelt agent is told the right one', async () => {
    expect(await only(`${agents}\nroles: { developer: mien }`)).toBe(
      'umpire.yaml:2: roles.developer: there is no agent "mien", did you mean mine?',
    )
  })

  test('the value of an environment variable is never repeated', async () => {
    const problem = await only('agents: { x: { command: [a], env: { SECRET: 12345 } } }')
    expect(problem).toContain('agents.x.env.SECRET: must be text')
    expect(problem).not.toContain('12345')
  })
})

test('all problems are told at once, in the order of the lines', async () => {
  const yaml = [
    'roles:',
    '  developer: nobody',
    '  reviewer: mine',
    'agents:',
    '  mine:',
    '    command: [a]',
    '    prompt: mail',
    'reviw: {}',
    'notify: []',
    'max_cycles: 0',
    'max_cycles: 3',
    'worktree:',
    '  copy:',
    '    - .env',
    '    - ../secret',
  ]
  const places = (await problemsIn(yaml.join('\n'))).map((problem) =>
    problem.split(': ').slice(0, 2).join(' '),
  )
  expect(places).toEqual([
    'umpire.yaml:2 roles.developer',
    'umpire.yaml:7 agents.mine.prompt',
    'umpire.yaml:8 reviw',
    'umpire.yaml:9 notify',
    'umpire.yaml:10 max_cycles',
    'umpire.yaml:11 max_cycles',
    'umpire.yaml:15 worktree.copy',
  ])
})

test('what is only wrong because of another problem is not told', async () => {
  const yaml =
    'agents: { mine: 5 }\nroles: { developer: mine }\nreview: { blind: no, context: { session_log: true } }'
  expect(await problemsIn(yaml)).toEqual([
    expect.stringContaining('agents.mine: must be a mapping'),
    expect.stringContaining('review.blind: must be true or false'),
  ])
})
