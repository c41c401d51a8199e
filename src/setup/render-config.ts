/** The text of a new `umpire.yaml`: what was found, each key with a word on what it does. */
import { yamlScalar } from '../lib/text/yaml-scalar.ts'
import type { Draft } from './draft.ts'

export function renderConfig(draft: Draft): string {
  return [
    [
      '# Settings of Umpire for this repository. "umpire config" shows every key with its value and where it is from.',
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
    '# Who does the work, and who judges it. A second, different agent sees what the first overlooks.'
  if (developer === null && reviewer === null) {
    if (elsewhere.developer !== null && elsewhere.reviewer !== null)
      return [
        heading,
        '# Nobody is named here: that is left to the settings of each person.',
        ...exampleRoles,
      ]
    return [
      heading,
      '# No agent is set yet: take away the marks here and below, and put in yours.',
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
      '# Programs of your own. Each gets its prompt on standard input, and what it prints is its answer.',
      'agents:',
      ...programs.flatMap(({ name, command }) => [`  ${yamlScalar(name)}:`, `    command: ${list(command)}`]),
    ]
  }
  if (developer !== null || reviewer !== null) return []
  return [
    '# Any program that takes a prompt on standard input and prints its answer is an agent.',
    '# agents:',
    '#   mine:',
    '#     command: [my-agent, --some-flag]',
  ]
}

function renderGates({ gates }: Draft): string[] {
  const heading = [
    '# Commands that must pass before anybody reviews. Umpire runs them itself, on every result.',
    '# The reviewer sees the output of "test"; that of "lint" with review: { context: { lint_results: true } }.',
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
    '# Every task is worked on in a checkout of its own. What such a checkout needs first:',
    'worktree:',
    ...part('setup', 'Run in order in each new checkout.', setup),
    ...part(
      'copy',
      'Files that git does not track, copied from your checkout. They are never committed.',
      copy,
    ),
    ...part('link', 'Shared with your checkout by a symbolic link.', link),
  ]
}

const more = [
  '# Also often set; what is shown is the default.',
  '# effort: medium              # low, medium, high, max: how often work may be revised, how closely it is read',
  '# parallel: 2                 # tasks at a time',
  '# limits: { develop: 60m, review: 10m, gate: 10m, idle: 10m }',
]

function list(words: readonly string[]): string {
  return `[${words.map(yamlScalar).join(', ')}]`
}
