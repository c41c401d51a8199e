/** Every key of umpire.yaml has a test that shows its effect in a real loop. */
import { expect, test } from 'vitest'
import { configKeys } from '../../src/config/config-keys.ts'
import { faultsIn, type ShownBy } from '../support/shown-by.ts'

const roleKeys = ['agent', 'model', 'args', 'env.*']
const agentKeys = ['command', 'prompt', 'env.*', 'agent', 'script']
const limitKeys = ['develop', 'review', 'improve', 'gate', 'idle', 'agent_retries']
const contextKeys = ['task_definition', 'git_diff', 'test_results', 'lint_results', 'session_log', 'plan']

const shownBy: ShownBy = {
  'roles and agents: programs with arguments, environment, model and any way to get the prompt': [
    ...roleKeys.flatMap((key) => [`roles.developer.${key}`, `roles.reviewer.${key}`]),
    ...agentKeys.map((key) => `agents.*.${key}`),
  ],
  'continue_session goes on with the role’s own last session, and with no other': [
    ...['roles.developer.continue_session', 'roles.reviewer.continue_session'],
  ],
  'confine: true puts a program into the sandbox: it works and commits there, and writes nowhere else': [
    'agents.*.confine',
  ],
  'agents.NAME.tools, %s: work is reported, checked, judged and completed by the tools of each session': [
    'agents.*.tools',
  ],
  'agents.*.agent: acp develops, is sent back and approved by tool calls, and works in the mode that it was told':
    ['agents.*.mode'],
  'develop.until: claim goes on until the developer says it is done, at most max_iterations times': [
    ...['develop.until', 'max_iterations'],
  ],
  'review.enabled: false ends tasks as completed without a verdict': ['review.enabled'],
  'review.context says what the reviewer is shown; by default neither lint nor the developer’s words': [
    ...contextKeys.map((key) => `review.context.${key}`),
    'review.blind',
  ],
  'review.channels, retries and min_score decide which answers count': [
    'review.channels',
    'review.min_score',
  ],
  'roles.parser plays the role with its own model, arguments and environment; else the reviewer’s agent, without a model':
    roleKeys.map((key) => `roles.parser.${key}`),
  'roles.resolver is who settles a conflict; what two of them leave is a person’s, with the branch as it was approved':
    roleKeys.map((key) => `roles.resolver.${key}`),
  'review.command names another of the project’s prompts, or a command of the agent’s own, and every review says which':
    ['review.command'],
  'review.retries is how often an unreadable review is asked for again': ['review.retries'],
  'review.proof: %s says which issues need a witness that fails to block': ['review.proof'],
  'review.panel and approve_by: all: every reviewer of it judges at the same time in a clone of its own, and all must approve':
    roleKeys.map((key) => `review.panel.*.${key}`),
  'review.approve_by: any and quorum let enough approvals pass; who was outvoted is heard': [
    'review.approve_by',
  ],
  'review.trigger: session_idle takes a developer that is quiet for idle_after with its files unchanged as done':
    ['review.trigger', 'review.idle_after'],
  'vcs takes git and refuses what is still to come; approved work stays on its branch by default': ['vcs'],
  'land: base brings approved work and a clean checkout along; files that git does not know stay': ['land'],
  'gates run in order on every result, and max_gate_failures in a row need a person': [
    ...['gates.*', 'max_gate_failures'],
  ],
  'gate.baseline tries a task’s own gate on the base and tells the person; it is no result of the task': [
    'gate.baseline',
  ],
  'worktree.copy and worktree.link give every checkout what the person’s has, and no commit holds it': [
    ...['worktree.copy', 'worktree.link'],
  ],
  'worktree.setup runs in order in every new checkout, once, before anybody works there': ['worktree.setup'],
  'worktree.ports gives each loop free ports of its own, in the environment of all that runs for it': [
    'worktree.ports',
  ],
  'budget.%s parks a task before a session that it has no room for; a higher one lets it go on there by itself':
    ['budget.task', 'budget.run', 'budget.day'],
  'max_cycles and effort: at most so many reviews, of such a depth': ['max_cycles', 'effort'],
  'parallel is how many tasks run at once': ['parallel'],
  'what waited for the same files starts from the approved work that it waited for, and merges without conflict':
    ['schedule.avoid_conflicts'],
  'with schedule.avoid_conflicts: false it is only said': ['schedule.avoid_conflicts'],
  'notify: the bell rings on a terminal, and writes nothing into a file': ['notify.*.bell'],
  'notify: a command is told of each task that needs a person, and of the end of the run': [
    'notify.*.command',
  ],
  'notify: a webhook that fails twice is tried until it answers well, once for each event': [
    'notify.*.webhook',
  ],
  'notify: the desktop is told by its own program, with a sound when there shall be one': [
    ...['notify.*.desktop', 'notify.*.sound'],
  ],
  'notify: quiet hours hold everything back, and the first run afterwards tells it': ['notify.*.quiet'],
  'task_types.implement sets cycles, effort, models and whether there is a review': [
    ...['auto_review', 'max_cycles', 'effort', 'model', 'review_model'].map(
      (key) => `task_types.implement.${key}`,
    ),
  ],
  'task_types.improve sets cycles, effort, models and whether there is a review': [
    ...['auto_review', 'max_cycles', 'effort', 'model', 'review_model'].map(
      (key) => `task_types.improve.${key}`,
    ),
  ],
  'task_types.improve.limits hold for improvements': limitKeys.map(
    (key) => `task_types.improve.limits.${key}`,
  ),
  'task_types.review sets the effort and the model of reviews that are tasks of their own': [
    ...['task_types.review.effort', 'task_types.review.review_model'],
  ],
  'task_types.review.limits hold for reviews that are tasks of their own': [
    ...['review', 'gate', 'idle', 'agent_retries'].map((key) => `task_types.review.limits.${key}`),
  ],
  '%s: sessions, gates and silence end at their limits, and failures are retried that often': [
    ...limitKeys.flatMap((key) => [`limits.${key}`, `task_types.implement.limits.${key}`]),
  ],
}

test('every key of the configuration is in the table, and nothing else', () => {
  const shown = Object.values(shownBy).flat()
  expect(configKeys().filter((key) => !shown.includes(key))).toEqual([])
  expect(shown.filter((key) => !configKeys().includes(key))).toEqual([])
})

/**
 * A key as tests write it: behind the one that it stands in, and not far from it; or named by itself, where the one that it
 * stands in is given a variable (`{ [key]: 1 }`, `limits }`, `context: off }`).
 */
function written(key: string): RegExp {
  const [last, within] = key
    .split('.')
    .filter((step) => step !== '*')
    .toReversed()
  if (within === undefined) return new RegExp(`\\b${last}\\b['"]?:`)
  const near = `\\b${within}\\b[^;]{0,400}?\\b${last}\\b`
  const given = `\\b${within}(?:: \\{ \\[|: \\w+ \\}| \\})`
  return new RegExp(`${near}|^(?=[^]*${given})(?=[^]*(?:'${last}'|\\b${last}:))`)
}

test('the tests of the table exist and set the keys they show', () => {
  expect(faultsIn(shownBy, written)).toEqual([])
  // A key of the same name elsewhere is not it.
  const [name] = Object.keys(shownBy).filter((each) => shownBy[each]?.includes('worktree.ports'))
  expect(faultsIn({ [name ?? '']: ['worktree.ports', 'schedule.ports'] }, written)).toHaveLength(1)
})
