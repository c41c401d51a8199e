/** The completions at the cursor, derived from the real program. */
import { expect, test } from 'vitest'
import { type Candidate, completions } from '../../src/cli/complete/complete.ts'
import { createProgram } from '../../src/cli/run-cli.ts'
import { openInvocation } from '../support/invocation.ts'

const program = createProgram(openInvocation().invocation, () => {})
const lookup = {
  tasks: async (): Promise<Candidate[]> => [
    { value: '3', description: 'Greet' },
    { value: '31', description: 'Shout' },
  ],
  agents: async (): Promise<Candidate[]> =>
    ['mine', 'odd name', '$(rm -rf x)', '`x`', "a'b"].map((value) => ({ value, description: '' })),
}
const task = ['3', '31']

async function offered(...words: string[]): Promise<string[] | 'files'> {
  const { candidates, files } = await completions(program, words, lookup)
  return files ? 'files' : candidates.map(({ value }) => value)
}

const efforts = ['low', 'medium', 'high', 'max']
const cases: [string[], string[] | 'files'][] = [
  [['sta'], ['status', 'stats']],
  [['add', '--eff'], ['--effort']],
  [['add', '--effort', ''], efforts],
  [
    ['add', 'A title', '--effort', 'm'],
    ['medium', 'max'],
  ],
  [['add', '--effort=h'], ['high']],
  [['add', '--effort='], efforts],
  [
    ['add', '-t', 'imp'],
    ['implement', 'improve'],
  ],
  [['add', '-d', 'text', '--eff'], ['--effort']],
  [['add', ''], []],
  [['add', '--file', ''], 'files'],
  [['add', 'x', '--plan', 'docs/'], 'files'],
  [['submit', ''], 'files'],
  [['show', ''], task],
  [['show', '31'], ['31']],
  [['show', '3', ''], []],
  [['work', '3', ''], task],
  [['work', '--parallel', ''], []],
  [
    ['log', '3', '--role', ''],
    ['developer', 'reviewer', 'parser', 'resolver'],
  ],
  [['log', '--role', 'reviewer', ''], task],
  [['--verbose', 'log', ''], task],
  [['status', '--verb'], ['--verbose']],
  // Names that a shell would split or run are never offered.
  [['add', 'x', '--agent', ''], ['mine']],
  [['edit', '3', '--reviewer', ''], ['mine']],
  [['edit', '3', '--verdict', 'A'], ['APPROVED']],
  [['improve', '3', '--review', ''], 'files'],
  [['improve', '3', '--review', '--no'], ['--note']],
  [['add', '--', '--eff'], []],
  [
    ['complete', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['nonsense', ''], []],
  [['show', '\u001b[31m'], []],
]

test.each(cases)('%j', async (words, expected) => {
  expect(await offered(...words)).toEqual(expected)
})

test('offers all commands with their descriptions if nothing is typed yet', async () => {
  const { candidates } = await completions(program, [''], lookup)
  expect(candidates.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['add', 'work', 'status', 'complete']),
  )
  for (const { description } of candidates) expect(description).not.toBe('')
  expect((await completions(program, [], lookup)).candidates).toEqual(candidates)
})
