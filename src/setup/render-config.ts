/** The text of a new `umpire.yaml`: what `init` found, with a comment on what each key does. */
import { yamlScalar } from '../lib/text/yaml-scalar.ts'
import type { Draft } from './draft.ts'

export function renderConfig(draft: Draft): string {
  return [
    [
      '# Umpire settings for this repository. "umpire config" shows every key, its value and where the value comes from.',
    ],
    renderRoles(draft),
    renderAgents(draft),
    renderGates(draft),
    renderWorktree(draft),
    more,
  ]
    .filter((section) => section.length > 0)
    .map((section) => `${section.join('\n')}\n`)
    .join('\n')
}

function renderRoles({ developer, reviewer, elsewhere }: Draft): string[] {
  const heading =
    '# The agents that do the work and review it. A second, different agent sees what the first one misses.'
  if (developer === null && reviewer === null) {
    if (elsewhere.developer !== null && elsewhere.reviewer !== null)
      return [heading, '# Not set here, because your own settings already name the agents.', ...exampleRoles]
    return [
      heading,
      '# No agent is set yet. Uncomment the lines here and below, and fill in your agent.',
      ...exampleRoles,
    ]
  }
  return [
    heading,
    'roles:',
    developer === null ? '  # developer: NAME' : `  developer: ${yamlScalar(developer)}`,
    reviewer === null ? '  # reviewer: NAME' : `  reviewer: ${yamlScalar(reviewer)}`,
  ]
}

const exampleRoles = ['# roles:', '#   developer: mine', '#   reviewer: mine']

function renderAgents({ developer, reviewer, programs }: Draft): string[] {
  if (programs.length > 0) {
    return [
      '# Your own programs. Each gets its prompt on standard input and prints its answer.',
      'agents:',
      ...programs.flatMap(({ name, command }) => [`  ${yamlScalar(name)}:`, `    command: ${list(command)}`]),
    ]
  }
  if (developer !== null || reviewer !== null) return []
  return [
    '# Any program that reads a prompt from standard input and prints its answer can be an agent.',
    '# agents:',
    '#   mine:',
    '#     command: [my-agent, --some-flag]',
  ]
}

function renderGates({ gates }: Draft): string[] {
  const heading = [
    '# Commands that must pass before a review. Umpire runs them on every result.',
    '# The reviewer sees the output of "test". To show "lint" too: review: { context: { lint_results: true } }.',
  ]
  if (gates.length === 0) return [...heading, '# gates:', '#   test: make test']
  return [
    ...heading,
    'gates:',
    ...gates.map(({ name, command }) => `  ${yamlScalar(name)}: ${yamlScalar(command)}`),
  ]
}

function renderWorktree({ worktree: { setup, copy, link } }: Draft): string[] {
  if (setup.length + copy.length + link.length === 0) return []
  const part = (key: string, comment: string, values: string[]) =>
    values.length === 0
      ? []
      : [`  # ${comment}`, `  ${key}:`, ...values.map((value) => `    - ${yamlScalar(value)}`)]
  return [
    '# Every task gets its own worktree. This prepares a new one:',
    'worktree:',
    ...part('setup', 'Commands that run in order in each new worktree.', setup),
    ...part(
      'copy',
      'Files that git does not track, copied from your checkout. They are never committed.',
      copy,
    ),
    ...part('link', 'Symbolic links to files and folders of your checkout.', link),
  ]
}

const more = [
  '# Other common settings, with their defaults:',
  '# effort: medium              # low, medium, high, max: how many revisions are allowed, how closely reviewers read',
  '# parallel: 2                 # tasks that run at the same time',
  '# limits: { develop: 60m, review: 10m, gate: 10m, idle: 10m }',
]

function list(words: readonly string[]): string {
  return `[${words.map(yamlScalar).join(', ')}]`
}
