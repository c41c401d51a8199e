/** The questions of `umpire init`, drawn on a fake terminal. */
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askSetup } from '../../src/cli/setup/ask-setup.ts'
import { UserError } from '../../src/core/errors.ts'
import { type ChosenAgent, draftSetup } from '../../src/setup/draft.ts'
import type { FoundSetup } from '../../src/setup/set-up.ts'
import { until } from '../support/umpire.ts'

const enter = '\r'
const down = '\u001b[B'
const ctrlC = '\u0003'
const clearLine = '\u0015'

const found: FoundSetup = {
  draft: draftSetup(
    {
      found: ['JavaScript (npm)'],
      gates: [{ name: 'test', command: 'npm test' }],
      worktree: { setup: ['npm ci'], copy: [], link: [] },
      needs: [],
      unignored: [],
    },
    ['claude', 'codex'],
    null,
  ),
  found: ['JavaScript (npm)'],
  warnings: ['\u001b[31mmake is missing.'],
  drivable: ['claude', 'codex'],
}

function choose(name: string): ChosenAgent {
  if (name !== 'mine') throw new UserError('There is no such agent.', 'Name another.')
  return { kind: 'program', name, command: [name] }
}

/** Types each answer as soon as its question is on the screen. */
async function play(setup: FoundSetup, keys: [shown: string, typed: string][]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const output = Object.assign(new PassThrough(), { columns: 100, rows: 40, isTTY: true })
  let screen = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    screen += text
  })
  const answers = askSetup(setup, choose, { input, output })
  let seen = 0
  for (const [shown, typed] of keys) {
    await until(() => screen.includes(shown, seen), shown)
    seen = screen.indexOf(shown, seen) + shown.length
    if (typed === 'hang up') input.end()
    else input.write(typed)
  }
  return { answers: await answers, screen, input, output }
}

const claude = { kind: 'built-in', name: 'claude' }
const codex = { kind: 'built-in', name: 'codex' }

test('Enter accepts what was found', async () => {
  const { answers, screen } = await play(found, [
    ['Which agent does the work?', enter],
    ['Which agent reviews the work?', enter],
    ['Which command runs the tests?', enter],
    ['Which command runs the linter?', enter],
    ['Which command prepares a fresh checkout?', enter],
  ])
  expect(answers).toEqual({ developer: claude, reviewer: codex, test: 'npm test', lint: '', setup: 'npm ci' })
  expect(screen).toContain('Found: JavaScript (npm).')
  expect(screen).toContain('make is missing.')
  expect(screen).not.toContain('\u001b[31mmake')
})

test('every answer can be changed', async () => {
  const { answers } = await play(found, [
    ['Which agent does the work?', down + enter],
    ['Which agent reviews the work?', down + down + enter],
    ['Which command runs the tests?', `${clearLine}make test${enter}`],
    ['Which command runs the linter?', `make lint${enter}`],
    ['Which command prepares a fresh checkout?', clearLine + enter],
  ])
  expect(answers).toEqual({
    developer: codex,
    reviewer: null,
    test: 'make test',
    lint: 'make lint',
    setup: '',
  })
})

test('asks for a program until it is a valid one, and then offers it for the other role, too', async () => {
  const nobody = { ...found, draft: draftSetup({ ...found, ...emptyProposal }, [], null), drivable: [] }
  const { answers } = await play(nobody, [
    ['Which agent does the work?', `\u001b[A${enter}`],
    ['Which program?', `none${enter}`],
    ['There is no such agent. Name another.', `${clearLine}mine${enter}`],
    ['Which agent reviews the work?', enter],
    ['Which command runs the tests?', enter],
    ['Which command runs the linter?', enter],
    ['Which command prepares a fresh checkout?', enter],
  ])
  const mine = { kind: 'program', name: 'mine', command: ['mine'] }
  expect(answers).toEqual({ developer: mine, reviewer: mine, test: '', lint: '', setup: '' })
})

const emptyProposal = { gates: [], worktree: { setup: [], copy: [], link: [] }, needs: [], unignored: [] }

test('offers the person’s own settings if they name an agent', async () => {
  const elsewhere = { developer: 'own-agent', reviewer: 'own-agent' }
  const draft = draftSetup({ ...found, ...emptyProposal }, [], null, elsewhere)
  const { answers } = await play({ ...found, draft, drivable: [] }, [
    ['own-agent, from your own settings', enter],
    ['own-agent, from your own settings', enter],
    ['Which command runs the tests?', enter],
    ['Which command runs the linter?', enter],
    ['Which command prepares a fresh checkout?', enter],
  ])
  expect(answers).toMatchObject({ developer: null, reviewer: null })
})

test.each([
  ['Ctrl-C at the first question', [['Which agent does the work?', ctrlC]]],
  [
    'Ctrl-C at a later one',
    [
      ['Which agent does the work?', enter],
      ['Which agent reviews the work?', enter],
      ['Which command runs the tests?', `x${ctrlC}`],
    ],
  ],
  [
    'a terminal that is closed',
    [
      ['Which agent does the work?', enter],
      ['Which agent reviews the work?', 'hang up'],
    ],
  ],
] as [string, [string, string][]][])('%s cancels the questions', async (_, keys) => {
  const { answers, input, output } = await play(found, keys)
  expect(answers).toBe('cancelled')
  expect([input.listenerCount('keypress'), output.listenerCount('resize')]).toEqual([0, 0])
})
