/** Every key of umpire.yaml has a test that shows its effect in a real loop. */
import { expect, test } from 'vitest'
import { configKeys } from '../../src/config/config-keys.ts'
import { faultsIn, type ShownBy } from '../support/shown-by.ts'

const roleKeys = ['agent', 'model', 'args', 'env.*']
const agentKeys = ['command', 'prompt', 'env.*', 'agent', 'script']
const limitKeys = ['develop', 'review', 'improve', 'gate', 'idle', 'agent_retries']
const contextKeys = ['task_definition', 'git_diff', 'test_results', 'lint_results', 'session_log', 'plan']

const shownBy: ShownBy = {
  'roles and agents set a program’s arguments, environment, model and how it gets the prompt': [
    ...roleKeys.flatMap((key) => [`roles.developer.${key}`, `roles.reviewer.${key}`]),
    ...agentKeys.map((key) => `agents.*.${key}`),
  ],
  'continue_session resumes the role’s own last session and no other': [
    ...['roles.developer.continue_session', 'roles.reviewer.continue_session'],
  ],
  'confine: true puts a program into the sandbox: it works and commits there, and writes nowhere else': [
    'agents.*.confine',
  ],
  'agents.NAME.tools, %s: agents report, check, review and complete work with the tools of their session': [
    'agents.*.tools',
  ],
  'agents.*.agent: acp develops, revises and is approved through tool calls, in the configured mode': [
    'agents.*.mode',
  ],
  'develop.until: claim continues until the developer says it is done, at most max_iterations times': [
    ...['develop.until', 'max_iterations'],
  ],
  'review.enabled: false completes tasks without a verdict': ['review.enabled'],
  'review.context sets what the reviewer sees; by default neither lint nor the developer’s words': [
    ...contextKeys.map((key) => `review.context.${key}`),
    'review.blind',
  ],
  'review.channels, retries and min_score decide which answers count': [
    'review.channels',
    'review.min_score',
  ],
  'roles.parser has its own model, arguments and environment; without it the reviewer’s agent parses, without a model':
    roleKeys.map((key) => `roles.parser.${key}`),
  'roles.resolver resolves a conflict; after two failed resolvers a person decides, and the branch stays as approved':
    roleKeys.map((key) => `roles.resolver.${key}`),
  'review.command names another project prompt or a command of the agent, and every review records it': [
    'review.command',
  ],
  'review.retries sets how often Umpire asks again after an unreadable review': ['review.retries'],
  'review.proof: %s decides which issues block only with a failing witness': ['review.proof'],
  'review.panel and approve_by: all: all reviewers judge in parallel, each in its own clone, and all must approve':
    roleKeys.map((key) => `review.panel.*.${key}`),
  'review.approve_by: any and quorum accept enough approvals, and keep the issues of outvoted reviewers': [
    'review.approve_by',
  ],
  'review.trigger: session_idle treats a developer as done when it is quiet and changes no file for idle_after':
    ['review.trigger', 'review.idle_after'],
  'vcs accepts git and refuses what is not yet available; approved work stays on its branch by default': [
    'vcs',
  ],
  'land: base merges approved work and updates a clean checkout; untracked files stay': ['land'],
  'gates run in order on every result, and max_gate_failures in a row need a person': [
    ...['gates.*', 'max_gate_failures'],
  ],
  'gate.baseline runs a task’s own gate on the base and tells the person; the task’s results do not include it':
    ['gate.baseline'],
  'worktree.copy and worktree.link give every checkout files of the person’s, and no commit contains them': [
    ...['worktree.copy', 'worktree.link'],
  ],
  'worktree.setup runs once in every new checkout, in order, before any agent works there': [
    'worktree.setup',
  ],
  'worktree.ports gives each loop its own free ports, in the environment of everything that runs for it': [
    'worktree.ports',
  ],
  'budget.%s parks a task before a session that does not fit; a higher budget lets it continue by itself': [
    'budget.task',
    'budget.run',
    'budget.day',
  ],
  'max_cycles and effort limit the number of reviews and set their depth': ['max_cycles', 'effort'],
  'parallel sets how many tasks run at once': ['parallel'],
  'a task that waited for the same files starts from the approved work and merges without conflict': [
    'schedule.avoid_conflicts',
  ],
  'with schedule.avoid_conflicts: false, work only warns of a likely conflict': ['schedule.avoid_conflicts'],
  'notify: the bell rings on a terminal, and writes nothing to a file': ['notify.*.bell'],
  'notify: runs a command for each task that needs a person, and at the end of the run': ['notify.*.command'],
  'notify: retries a webhook that fails twice until it succeeds, and delivers each event once': [
    'notify.*.webhook',
  ],
  'notify: shows a desktop notification with the system’s own program, with sound if configured': [
    ...['notify.*.desktop', 'notify.*.sound'],
  ],
  'notify: quiet hours hold everything back, and the first run afterwards delivers it': ['notify.*.quiet'],
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
  'task_types.improve.limits apply to improvements': limitKeys.map(
    (key) => `task_types.improve.limits.${key}`,
  ),
  'task_types.review sets the effort and the model of review tasks': [
    ...['task_types.review.effort', 'task_types.review.review_model'],
  ],
  'task_types.review.limits apply to review tasks': [
    ...['review', 'gate', 'idle', 'agent_retries'].map((key) => `task_types.review.limits.${key}`),
  ],
  '%s: sessions, gates and silence end at their limits, and agent_retries limits the retries': [
    ...limitKeys.flatMap((key) => [`limits.${key}`, `task_types.implement.limits.${key}`]),
  ],
}

test('every key of the configuration is in the table, and nothing else', () => {
  const shown = Object.values(shownBy).flat()
  expect(configKeys().filter((key) => !shown.includes(key))).toEqual([])
  expect(shown.filter((key) => !configKeys().includes(key))).toEqual([])
})

/**
 * Matches a key as tests write it: shortly after its parent key. The key may also stand alone if the parent key gets a
 * variable (`{ [key]: 1 }`, `limits }`, `context: off }`).
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
  // A key of the same name under another parent does not count.
  const [name] = Object.keys(shownBy).filter((each) => shownBy[each]?.includes('worktree.ports'))
  expect(faultsIn({ [name ?? '']: ['worktree.ports', 'schedule.ports'] }, written)).toHaveLength(1)
})
