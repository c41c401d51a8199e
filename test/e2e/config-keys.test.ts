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
  'review.retries is how often an unreadable review is asked for again': ['review.retries'],
  'review.trigger, land and vcs take what there is and refuse what is still to come': [
    ...['review.trigger', 'land', 'vcs'],
  ],
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
  'max_cycles and effort: at most so many reviews, of such a depth': ['max_cycles', 'effort'],
  'parallel is how many tasks run at once': ['parallel'],
  'task_types.implement sets cycles, effort, models and whether there is a review': [
    ...['auto_review', 'max_cycles', 'effort', 'model', 'review_model'].map(
      (key) => `task_types.implement.${key}`,
    ),
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

test('the tests of the table exist and set the keys they show', () => {
  expect(faultsIn(shownBy, (key) => key.replace(/\.\*$/, '').split('.').at(-1) ?? key)).toEqual([])
})
