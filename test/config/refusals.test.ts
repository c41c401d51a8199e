import { describe, expect, test } from 'vitest'
import { problemsIn } from './project.ts'

const agents = 'agents: { mine: { command: [a] } }'

async function only(yaml: string): Promise<string> {
  const problems = await problemsIn(yaml)
  expect(problems).toHaveLength(1)
  return problems[0] ?? ''
}

describe('refuses what is not yet available, and says so', () => {
  test.each([
    ['roles.planner', 'roles: { planner: mine }'],
    ['roles.spec_reviewer', 'roles: { spec_reviewer: mine }'],
    ['roles.spec_editor', 'roles: { spec_editor: mine }'],
    ['vcs', 'vcs: jj'],
    ['spec', 'spec: { max_iterations: 3 }'],
    ['task_types.plan', 'task_types: { plan: {} }'],
    ['task_types.spec', 'task_types: { spec: {} }'],
  ])('%s: %s', async (key, yaml) => {
    const problem = await only(yaml)
    expect(problem.startsWith(`umpire.yaml:1: ${key}: `)).toBe(true)
    expect(problem).toContain('not yet available')
    expect(problem).not.toContain('unknown')
  })
})

describe('refuses panels, budgets and ports that can never work', () => {
  const agents = 'agents: { mine: { command: [a] } }\n'
  test.each([
    ['review: { panel: [nobody] }', 'review.panel: there is no agent "nobody"'],
    ['review: { panel: [{ model: big }] }', 'review.panel.agent: is missing'],
    ['review: { panel: [{ agnt: mine }] }', 'review.panel.agnt: unknown key, did you mean agent?'],
    ['review: { panel: mine }', 'review.panel: must be a list of reviewers'],
    ['review: { approve_by: most }', 'review.approve_by: must be all, any or { quorum: NUMBER }'],
    ['review: { approve_by: { quorum: 0 } }', 'review.approve_by'],
    [
      'review: { panel: [mine], approve_by: { quorum: 3 } }',
      'review.approve_by.quorum: 2 reviewers can never reach a quorum of 3',
    ],
    ['budget: { task: 0 }', 'budget.task: must be a number of dollars above 0'],
    ['budget: { day: "5" }', 'budget.day: must be a number of dollars above 0'],
    ['worktree: { ports: 0 }', 'worktree.ports: must be a whole number from 1 to 1000'],
  ])('%s', async (yaml, expected) => {
    expect(await only(agents + yaml)).toContain(`umpire.yaml:2: ${expected}`)
  })
})

describe('refuses unknown keys and suggests the nearest known one', () => {
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
    [
      'task_types: { review: { max_cycles: 2 } }',
      'task_types.review.max_cycles: unknown key here; it belongs at the top of the file',
    ],
    ['task_types: { implment: {} }', 'task_types.implment: unknown key, did you mean implement?'],
    ['"\\e[31mred": 1', '"\\u001b[31mred": unknown key; known here: roles, agents'],
  ])('%s', async (yaml, expected) => {
    expect(await only(yaml)).toContain(`umpire.yaml:1: ${expected}`)
  })
})

describe('refuses wrong values and names the rule and the value', () => {
  test.each([
    ['max_cycles: 0', 'max_cycles: must be a whole number of at least 1, found 0'],
    ['max_cycles: 2.5', 'max_cycles: must be a whole number of at least 1, found 2.5'],
    ['max_cycles: "3"', 'max_cycles: must be a whole number of at least 1, found "3"'],
    ['max_cycles: .inf', 'max_cycles: must be a whole number'],
    ['max_cycles:', 'max_cycles: must be a whole number of at least 1, but the value is empty'],
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
    ['land: trunk', 'land: must be one of branch, base, found "trunk"'],
    ['review: { channels: json }', 'review.channels: must be a list of channels, found "json"'],
    ['review: { command: review-task }', 'review.command: must be a command such as /review-task'],
    ["review: { command: '/ x' }", 'review.command: must be a command such as /review-task'],
    ['review: { command: "/x\\ny" }', 'review.command: must be a command such as /review-task'],
    ['review: { command: /../../x }', 'review.command: must be a command such as /review-task'],
    [
      'review: { command: /review-task hard }',
      'nothing reads "hard"; put {{arguments}} into umpire/prompts/review-task.md',
    ],
    ['review: { channels: [] }', 'review.channels: must name at least one channel'],
    ['review: { channels: [json, json] }', 'review.channels: names a channel twice'],
    ['limits: { idle: 60 }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 0s }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 10 m }', 'limits.idle: must be a duration such as 90s, 10m or 2h'],
    ['limits: { idle: 577h }', 'at most 576h, found "577h"'],
    ['gates: { test: }', 'gates.test: must be text that is not empty'],
    ['gates: { test: [npm, test] }', 'gates.test: must be text that is not empty'],
    ['gates: { "": make }', 'gates."": is not a valid name'],
    ['gates: { "a\\nb": make }', 'gates."a\\nb": is not a valid name'],
    ['gates: { 7: make }', 'gates.7: the name of a gate cannot be a number'],
    ['gates: { backpressure: make }', "gates.backpressure: is reserved for a task's own gates"],
    ['gates: { backpressure-2: make }', "gates.backpressure-2: is reserved for a task's own gates"],
    ['agents: { " x": { command: [a] } }', 'agents." x": is not a valid name'],
    ['agents: { x: { command: [] } }', 'agents.x.command: must be a list that begins with a program'],
    ['agents: { x: { command: node a.mjs } }', 'agents.x.command: must be a list that begins with a program'],
    ['agents: { x: { command: [""] } }', 'agents.x.command: must be text that is not empty'],
    [
      'agents: { x: { command: [sleep, 5] } }',
      'agents.x.command: must be text that is not empty (put numbers',
    ],
    ['agents: { x: { command: ["a\\0b"] } }', 'agents.x.command: must be text'],
    ['agents: { x: { command: [a], env: { "A=B": c } } }', 'is not a valid name for an environment variable'],
    [
      'agents: { x: { command: [a], env: { UMPIRE_TOKEN: c } } }',
      'is reserved: Umpire sets the variables that begin with UMPIRE_',
    ],
    ['agents: { x: 5 }', 'agents.x: must be a mapping: { command'],
    ['agents: { x: {} }', 'agents.x: needs a command'],
    ['agents: { x: { prompt: stdin } }', 'agents.x: needs a command'],
    ['agents: { x: { agent: scripted } }', 'agents.x: the scripted agent needs a script'],
    ['agents: { x: { script: a.yaml } }', 'agents.x.script: belongs to the scripted agent'],
    [
      'agents: { x: { command: [a], script: b } }',
      'agents.x: must be either a program (command) or the scripted agent',
    ],
    [
      'agents: { x: { agent: scripted, script: b, prompt: file } }',
      'agents.x.prompt: has no effect on the scripted',
    ],
    [
      'agents: { x: { agent: scripted, script: b, tools: http } }',
      'agents.x.tools: has no effect on the scripted',
    ],
    ['agents: { x: { command: [a], tools: stdio } }', 'agents.x.tools: must be one of none, http'],
    [
      'agents: { x: { agent: scripted, script: b, confine: true } }',
      'agents.x.confine: has no effect on the scripted',
    ],
    [
      'agents: { x: { agent: scriptd, script: b } }',
      'agents.x.agent: must be one of acp, scripted, found "scriptd"',
    ],
    [
      'agents: { x: { agent: claude } }',
      'to use a built-in agent, name it under roles and set its model, args',
    ],
    ['roles: { developer: 5 }', "roles.developer: must be an agent's name or a mapping"],
    ['roles: { developer: { model: big } }', 'roles.developer.agent: is missing'],
    ['roles: { developer: nobody }', 'roles.developer: there is no agent "nobody"; define it under agents'],
    ['roles: { developer: constructor }', 'roles.developer: there is no agent "constructor"'],
    ['agents: { x: { agent: acp } }', 'agents.x: an ACP agent needs the command that starts it'],
    [
      'agents: { x: { agent: acp, command: [a], script: b } }',
      'agents.x.script: has no effect on an ACP agent',
    ],
    [
      'agents: { x: { agent: acp, command: [a], prompt: file } }',
      'agents.x.prompt: has no effect on an ACP agent',
    ],
    ['agents: { x: { agent: acp, command: [a], tools: http } }', 'agents.x.tools: has no effect on an ACP'],
    ['agents: { x: { command: [a], mode: fast } }', 'agents.x.mode: belongs to an ACP agent; add agent: acp'],
    [
      'roles: { reviewer: acp }',
      'roles.reviewer: an ACP agent needs the command that starts it: define agents',
    ],
    ['roles: { reviewer: scripted }', 'roles.reviewer: the scripted agent needs a script'],
    ['review: { context: { session_log: true } }', 'review.context.session_log: shows the developer'],
    [
      'review: { channels: [structured] }',
      'review.channels: not every agent supports a schema, and none always follows it; add json',
    ],
    ['review: { trigger: sometimes }', 'must be one of script_completion, session_idle, explicit'],
    ['review: { idle_after: 0s }', 'review.idle_after: must be a duration such as 90s, 10m or 2h'],
    [
      'review: { trigger: session_idle, idle_after: 10m }',
      'review.idle_after: 10m is not shorter than limits.idle, 10m by default',
    ],
    [
      'limits: { idle: 90s }\nreview: { trigger: session_idle }',
      'umpire.yaml:2: review.idle_after: the default of 2m is not shorter than limits.idle, 90s on line 1',
    ],
    [
      'review: { trigger: session_idle }\ntask_types:\n  implement:\n    limits: { idle: 2m }',
      'not shorter than task_types.implement.limits.idle, 2m on line 4',
    ],
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
    ['notify: { bell: true }', 'notify: must be a list: [{ bell: true }'],
    ['notify: [bell]', 'notify: must be a mapping: { bell: true }'],
    ['notify: [{}]', 'notify: needs one of bell, command, webhook, desktop'],
    ['notify: [{ quiet: "22:00-07:00" }]', 'notify: needs one of bell, command, webhook, desktop'],
    [
      'notify: [{ bell: true, desktop: true }]',
      'notify: has bell and desktop; write a separate entry for each',
    ],
    ['notify: [{ bel: true }]', 'notify.bel: unknown key, did you mean bell?'],
    ['notify: [{ bell: true, events: [] }]', 'notify.events: unknown key; known here: bell, command'],
    ['notify: [{ bell: false }]', 'notify.bell: must be true; to switch it off, leave the entry out'],
    ['notify: [{ command: "  " }]', 'notify.command: must be text that is not empty'],
    ['notify: [{ command: [a, b] }]', 'notify.command: must be text that is not empty'],
    ['notify: [{ webhook: hooks.example.com }]', 'notify.webhook: must be an address that begins with https'],
    ['notify: [{ webhook: "file:///etc/hosts" }]', 'notify.webhook: must be an address that begins with'],
    ['notify: [{ webhook: "https://" }]', 'notify.webhook: must be an address that begins with'],
    ['notify: [{ bell: true, sound: true }]', 'notify.sound: belongs to desktop'],
    ['notify: [{ desktop: true, sound: loud }]', 'notify.sound: must be true or false'],
    ['notify: [{ bell: true, quiet: 22-7 }]', 'notify.quiet: must be hours of the day such as "22:00-07:00"'],
    ['notify: [{ bell: true, quiet: "22:00-22:00" }]', '"00:00-24:00" means always, found "22:00-22:00"'],
    ['notify: [{ bell: true, quiet: "24:00-07:00" }]', 'notify.quiet: must be hours of the day'],
    ['notify: [{ bell: true, quiet: "22:00-24:01" }]', 'notify.quiet: must be hours of the day'],
    ['notify: [{ bell: true }, { bell: true, quiet: "22:00-07:00" }]', 'notify: repeats an earlier entry'],
  ])('%s', async (yaml, expected) => {
    expect(await only(yaml)).toContain(expected)
  })

  test('suggests the right agent for a misspelt one', async () => {
    expect(await only(`${agents}\nroles: { developer: mien }`)).toBe(
      'umpire.yaml:2: roles.developer: there is no agent "mien", did you mean mine?',
    )
  })

  test('never repeats the address of a webhook', async () => {
    const secret = 'hooks.example.com/T0/s3cret'
    for (const entry of [`{ webhook: "ftp://${secret}" }`, `"${secret}"`, `{ webhok: "https://${secret}" }`])
      expect(await only(`notify: [${entry}]`)).not.toContain('s3cret')
    expect(
      await only(`notify: [{ webhook: "https://${secret}" }, { webhook: "https://${secret}" }]`),
    ).not.toContain('s3cret')
  })

  test('never repeats the value of an environment variable', async () => {
    const problem = await only('agents: { x: { command: [a], env: { SECRET: 12345 } } }')
    expect(problem).toContain('agents.x.env.SECRET: must be text')
    expect(problem).not.toContain('12345')
  })
})

test('reports all problems at once, in the order of the lines', async () => {
  const yaml = [
    'roles:',
    '  developer: nobody',
    '  reviewer: mine',
    'agents:',
    '  mine:',
    '    command: [a]',
    '    prompt: mail',
    'reviw: {}',
    'notify: {}',
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

test('does not report a problem that only follows from another one', async () => {
  const yaml =
    'agents: { mine: 5 }\nroles: { developer: mine }\nreview: { blind: no, context: { session_log: true } }'
  expect(await problemsIn(yaml)).toEqual([
    expect.stringContaining('agents.mine: must be a mapping'),
    expect.stringContaining('review.blind: must be true or false'),
  ])
})
