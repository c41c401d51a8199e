import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { configKeys } from '../../src/config/config-keys.ts'
import { configOf } from './project.ts'

const agents = 'agents: { mine: { command: [node, agent.mjs] } }\n'

/** The keys that a task type may have, each with its YAML and the value that it becomes. */
const typeRows: Record<string, [yaml: string, read: (type: Type) => unknown, expected: unknown]> = {
  auto_review: ['auto_review: false', (t) => t?.autoReview, false],
  max_cycles: ['max_cycles: 9', (t) => t?.maxCycles, 9],
  effort: ['effort: low', (t) => t?.effort, 'low'],
  model: ['model: big', (t) => t?.model, 'big'],
  review_model: ['review_model: small', (t) => t?.reviewModel, 'small'],
  'limits.develop': ['limits: { develop: 1s }', (t) => t?.limits, { developMs: 1000 }],
  'limits.review': ['limits: { review: 1s }', (t) => t?.limits, { reviewMs: 1000 }],
  'limits.improve': ['limits: { improve: 1s }', (t) => t?.limits, { improveMs: 1000 }],
  'limits.gate': ['limits: { gate: 1s }', (t) => t?.limits, { gateMs: 1000 }],
  'limits.idle': ['limits: { idle: 1s }', (t) => t?.limits, { idleMs: 1000 }],
  'limits.agent_retries': ['limits: { agent_retries: 10 }', (t) => t?.limits, { agentRetries: 10 }],
}

/** A panel reviewer that sets only its agent. */
const seat = { agent: 'mine', model: null, args: [], env: {}, continueSession: false }

/** One row per key: its YAML, where it ends up in the configuration, and its value there. No value is the default. */
const rows: [key: string, yaml: string, read: (config: Config) => unknown, expected: unknown][] = [
  ...(['developer', 'reviewer', 'parser', 'resolver'] as const).flatMap((role): typeof rows => [
    [`roles.${role}.agent`, `roles: { ${role}: { agent: mine } }`, (c) => c.roles[role]?.agent, 'mine'],
    [
      `roles.${role}.model`,
      `roles: { ${role}: { agent: mine, model: big } }`,
      (c) => c.roles[role]?.model,
      'big',
    ],
    [
      `roles.${role}.args`,
      `roles: { ${role}: { agent: mine, args: [-v] } }`,
      (c) => c.roles[role]?.args,
      ['-v'],
    ],
    [
      `roles.${role}.env.*`,
      `roles: { ${role}: { agent: mine, env: { A: '' } } }`,
      (c) => c.roles[role]?.env,
      { A: '' },
    ],
  ]),
  ...(['developer', 'reviewer'] as const).map((role): (typeof rows)[number] => [
    `roles.${role}.continue_session`,
    `roles: { ${role}: { agent: mine, continue_session: true } }`,
    (c) => c.roles[role]?.continueSession,
    true,
  ]),
  ['agents.*.command', 'agents: { x: { command: [a, b] } }', (c) => command(c)?.command, ['a', 'b']],
  ['agents.*.prompt', 'agents: { x: { command: [a], prompt: file } }', (c) => command(c)?.prompt, 'file'],
  ['agents.*.tools', 'agents: { x: { command: [a], tools: http } }', (c) => command(c)?.tools, 'http'],
  ['agents.*.env.*', 'agents: { x: { command: [a], env: { A: b } } }', (c) => command(c)?.env, { A: 'b' }],
  ['agents.*.confine', 'agents: { x: { command: [a], confine: true } }', (c) => command(c)?.confine, true],
  [
    'agents.*.agent',
    'agents: { x: { agent: scripted, script: /s.yaml } }',
    (c) => c.agents.x?.kind,
    'scripted',
  ],
  [
    'agents.*.mode',
    'agents: { x: { agent: acp, command: [a, --acp], mode: careful } }',
    (c) => c.agents.x,
    { kind: 'acp', command: ['a', '--acp'], mode: 'careful', env: {}, confine: null },
  ],
  [
    'agents.*.script',
    'agents: { x: { agent: scripted, script: /s.yaml } }',
    (c) => c.agents.x,
    { kind: 'scripted', script: '/s.yaml' },
  ],
  ['develop.until', 'develop: { until: claim }', (c) => c.develop.until, 'claim'],
  ['max_iterations', 'max_iterations: 7', (c) => c.maxIterations, 7],
  ['review.enabled', 'review: { enabled: false }', (c) => c.review.enabled, false],
  ['review.trigger', 'review: { trigger: session_idle }', (c) => c.review.trigger, 'session_idle'],
  ['review.idle_after', 'review: { idle_after: 30s }', (c) => c.review.idleAfterMs, 30_000],
  ['review.command', 'review: { command: /mine now }', (c) => c.review.command, '/mine now'],
  ['review.channels', 'review: { channels: [marker, json] }', (c) => c.review.channels, ['marker', 'json']],
  ['review.retries', 'review: { retries: 0 }', (c) => c.review.retries, 0],
  ['review.blind', 'review: { blind: false }', (c) => c.review.blind, false],
  ['review.min_score', 'review: { min_score: 100 }', (c) => c.review.minScore, 100],
  ['review.proof', 'review: { proof: require }', (c) => c.review.proof, 'require'],
  ['review.panel.*.agent', 'review: { panel: [mine] }', (c) => c.review.panel, [seat]],
  [
    'review.panel.*.model',
    'review: { panel: [{ agent: mine, model: big }] }',
    (c) => c.review.panel,
    [{ ...seat, model: 'big' }],
  ],
  [
    'review.panel.*.args',
    'review: { panel: [{ agent: mine, args: [-v] }] }',
    (c) => c.review.panel,
    [{ ...seat, args: ['-v'] }],
  ],
  [
    'review.panel.*.env.*',
    'review: { panel: [{ agent: mine, env: { A: b } }] }',
    (c) => c.review.panel,
    [{ ...seat, env: { A: 'b' } }],
  ],
  ['review.approve_by', 'review: { approve_by: any }', (c) => c.review.approveBy, 'any'],
  [
    'review.context.task_definition',
    'review: { context: { task_definition: false } }',
    (c) => c.review.context.taskDefinition,
    false,
  ],
  [
    'review.context.git_diff',
    'review: { context: { git_diff: false } }',
    (c) => c.review.context.gitDiff,
    false,
  ],
  [
    'review.context.test_results',
    'review: { context: { test_results: false } }',
    (c) => c.review.context.testResults,
    false,
  ],
  [
    'review.context.lint_results',
    'review: { context: { lint_results: true } }',
    (c) => c.review.context.lintResults,
    true,
  ],
  [
    'review.context.session_log',
    'review: { blind: false, context: { session_log: true } }',
    (c) => c.review.context.sessionLog,
    true,
  ],
  ['review.context.plan', 'review: { context: { plan: false } }', (c) => c.review.context.plan, false],
  ['gates.*', 'gates: { test: npm test }', (c) => c.gates, { test: 'npm test' }],
  ['gate.baseline', 'gate: { baseline: false }', (c) => c.gate.baseline, false],
  ['max_gate_failures', 'max_gate_failures: 1', (c) => c.maxGateFailures, 1],
  ['worktree.setup', 'worktree: { setup: [npm ci, make] }', (c) => c.worktree.setup, ['npm ci', 'make']],
  ['worktree.copy', 'worktree: { copy: [./.env, a//b/] }', (c) => c.worktree.copy, ['.env', 'a/b']],
  ['worktree.link', 'worktree: { link: [node_modules] }', (c) => c.worktree.link, ['node_modules']],
  ['worktree.ports', 'worktree: { ports: 10 }', (c) => c.worktree.ports, 10],
  ['max_cycles', 'max_cycles: 4', (c) => c.maxCycles, 4],
  ['effort', 'effort: max', (c) => c.effort, 'max'],
  ['parallel', 'parallel: 100', (c) => c.parallel, 100],
  [
    'schedule.avoid_conflicts',
    'schedule: { avoid_conflicts: false }',
    (c) => c.schedule.avoidConflicts,
    false,
  ],
  ['budget.task', 'budget: { task: 0.5 }', (c) => c.budget.task, 0.5],
  ['budget.run', 'budget: { run: 50 }', (c) => c.budget.run, 50],
  ['budget.day', 'budget: { day: 100 }', (c) => c.budget.day, 100],
  ['limits.develop', 'limits: { develop: 2h }', (c) => c.limits.developMs, 7_200_000],
  ['limits.review', 'limits: { review: 90s }', (c) => c.limits.reviewMs, 90_000],
  ['limits.improve', 'limits: { improve: 5m }', (c) => c.limits.improveMs, 300_000],
  ['limits.gate', 'limits: { gate: 500ms }', (c) => c.limits.gateMs, 500],
  ['limits.idle', 'limits: { idle: 1s }', (c) => c.limits.idleMs, 1000],
  ['limits.agent_retries', 'limits: { agent_retries: 0 }', (c) => c.limits.agentRetries, 0],
  ['land', 'land: branch', (c) => c.land, 'branch'],
  ['vcs', 'vcs: git', (c) => c.vcs, 'git'],
  ['notify.*.bell', 'notify: [{ bell: true }]', (c) => c.notify, [{ kind: 'bell', quiet: null }]],
  [
    'notify.*.command',
    'notify: [{ command: say hello }]',
    (c) => c.notify,
    [{ kind: 'command', command: 'say hello', quiet: null }],
  ],
  [
    'notify.*.webhook',
    'notify: [{ webhook: "https://hooks.example.com/a" }]',
    (c) => c.notify,
    [{ kind: 'webhook', url: 'https://hooks.example.com/a', quiet: null }],
  ],
  [
    'notify.*.desktop',
    'notify: [{ desktop: true }]',
    (c) => c.notify,
    [{ kind: 'desktop', sound: false, quiet: null }],
  ],
  [
    'notify.*.sound',
    'notify: [{ desktop: true, sound: true }]',
    (c) => c.notify,
    [{ kind: 'desktop', sound: true, quiet: null }],
  ],
  [
    'notify.*.quiet',
    'notify: [{ bell: true, quiet: 22:00-07:30 }]',
    (c) => c.notify,
    [{ kind: 'bell', quiet: { from: 1320, to: 450 } }],
  ],
  ...forType('implement', Object.keys(typeRows)),
  ...forType('improve', Object.keys(typeRows)),
  ...forType('review', [
    ...['effort', 'review_model'],
    ...['review', 'gate', 'idle', 'agent_retries'].map((key) => `limits.${key}`),
  ]),
]

type Type = Config['taskTypes']['implement']

function forType(type: 'implement' | 'improve' | 'review', keys: string[]): typeof rows {
  return keys.flatMap((key): typeof rows => {
    const [yaml, read, expected] = typeRows[key] ?? []
    if (yaml === undefined || !read) return []
    const whole = `task_types: { ${type}: { ${yaml} } }`
    return [[`task_types.${type}.${key}`, whole, (config) => read(config.taskTypes[type]), expected]]
  })
}

function command(config: Config) {
  const agent = config.agents.x
  return agent?.kind === 'command' ? agent : null
}

test.each(rows)('%s arrives in the configuration', async (_key, yaml, read, expected) => {
  expect(read(await configOf(yaml.startsWith('agents') ? yaml : agents + yaml))).toEqual(expected)
})

test.each(['script_completion', 'explicit'])('review.trigger may also be %s', async (trigger) => {
  expect((await configOf(`review: { trigger: ${trigger} }`)).review.trigger).toBe(trigger)
})

test('the table above has every key of the schema and no other', () => {
  expect(rows.map(([key]) => key).sort()).toEqual(configKeys().sort())
})

test('a role may be written as the name of an agent alone', async () => {
  const { roles } = await configOf(`${agents}roles: { developer: mine }`)
  expect(roles).toEqual({
    developer: { agent: 'mine', model: null, args: [], env: {}, continueSession: false },
    reviewer: null,
    parser: null,
    resolver: null,
  })
})

test('an empty file means the documented defaults', async () => {
  const minute = 60_000
  expect(await configOf('')).toEqual({
    roles: { developer: null, reviewer: null, parser: null, resolver: null },
    agents: {},
    develop: { until: 'session_end' },
    maxIterations: 20,
    review: {
      enabled: true,
      trigger: 'script_completion',
      idleAfterMs: 2 * minute,
      command: '/review-task',
      channels: ['tool', 'structured', 'json', 'verdict-line', 'marker'],
      retries: 1,
      blind: true,
      minScore: 70,
      proof: 'prefer',
      panel: [],
      approveBy: 'all',
      context: {
        taskDefinition: true,
        gitDiff: true,
        testResults: true,
        lintResults: false,
        sessionLog: false,
        plan: true,
      },
    },
    gates: {},
    gate: { baseline: true },
    maxGateFailures: 3,
    worktree: { setup: [], copy: [], link: [], ports: null },
    maxCycles: undefined,
    effort: undefined,
    parallel: 2,
    schedule: { avoidConflicts: true },
    limits: {
      developMs: 60 * minute,
      reviewMs: 10 * minute,
      improveMs: 30 * minute,
      gateMs: 10 * minute,
      idleMs: 10 * minute,
      agentRetries: 2,
    },
    budget: { task: null, run: null, day: null },
    land: 'branch',
    vcs: 'auto',
    notify: [],
    templates: { review: null, develop: null },
    taskTypes: {},
  })
})

test('gates keep the order of the file', async () => {
  const { gates } = await configOf('gates: { zebra: a, lint: b, apple: c, test: d }')
  expect(Object.keys(gates)).toEqual(['zebra', 'lint', 'apple', 'test'])
})

test('an agent named after a JavaScript built-in exists only if it is defined', async () => {
  expect((await configOf('')).agents.constructor).toBeUndefined()
  expect((await configOf('agents: { constructor: { command: [a] } }')).agents.constructor).toMatchObject({
    command: ['a'],
  })
})

test('headings with nothing below them change nothing', async () => {
  const yaml =
    'gates:\nreview:\n  context:\nroles:\n  developer:\nagents:\ntask_types:\n  implement:\n    limits:\n'
  expect(await configOf(yaml)).toMatchObject({ gates: {}, agents: {}, roles: { developer: null } })
})
