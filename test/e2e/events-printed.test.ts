/**
 * A program that reads the `--json` output of a working command must not have to query the journal as well. The command
 * prints every event that it appended, once and in order. Nothing else writes during these tests, so all events that
 * are new in the journal are the command's own.
 */
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/run-cli.ts'
import type { EventView } from '../../src/view/event-view.ts'
import { openInvocation } from '../support/invocation.ts'
import { type Bench, openBench, type Ran, type Scenario } from '../support/umpire.ts'

interface Printed {
  ran: Ran
  /** `type task` of each event. */
  types: string[]
}

/** Runs the command with `--json` and compares the printed events with the new ones in the journal. */
async function compare(bench: Bench, ...args: string[]): Promise<Printed> {
  const before = await bench.events()
  const ran = await bench.umpire(...args, '--json')
  const appended = (await bench.events()).slice(before.length)
  const printed: EventView[] = ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  expect(printed).toEqual(appended)
  return { ran, types: printed.map(({ type, task }) => `${type} ${task}`) }
}

const disapproves: Scenario = {
  reviewer: [
    {
      do: [
        { submit: { verdict: 'REJECTED', summary: 'Not like this.', issues: ['It is the wrong thing.'] } },
      ],
    },
  ],
}

test('work prints that a person merged the work that waited for their checkout', async () => {
  const bench = openBench({ config: { land: 'base' } })
  bench.write({ 'README.md': 'in use\n' })
  await bench.add('Waits')
  const blocked = await compare(bench, 'work')
  expect(blocked).toMatchObject({ ran: { code: 3 }, types: expect.arrayContaining(['loop.blocked 1']) })
  await bench.add('Comes after it', '--after', '1')
  bench.git('stash', '-q')
  bench.git('merge', '-q', '--ff-only', 'umpire/landed')
  const { ran, types } = await compare(bench, 'work')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(types.slice(0, 4)).toEqual([
    ...['loop.integrated 1', 'loop.landed 1', 'loop.freed 2'],
    'run.started null',
  ])
  expect(types).toContain('loop.landed 2')
  // Nothing is left to do, so nothing is printed.
  expect((await compare(bench, 'work')).types).toEqual([])
})

test('work and review print which tasks they hold and free because of others', async () => {
  const bench = openBench({ scenario: disapproves, config: { parallel: 1 } })
  await bench.add('Is rejected')
  await bench.add('Comes after it', '--after', '1')
  const held = await compare(bench, 'work')
  expect(held.types.slice(-2)).toEqual(['loop.blocked 2', 'run.ended null'])
  bench.play({})
  const { ran, types } = await compare(bench, 'review', '1')
  expect({ ran, types }).toMatchObject({ ran: { code: 0 }, types: expect.arrayContaining(['loop.freed 2']) })
  expect((await compare(bench, 'work', '2')).types).toContain('loop.approved 2')
})

test('review, improve and merge print the decision that a person makes by calling them', async () => {
  const bench = openBench()
  await bench.add('By hand')
  await bench.umpire('work')
  for (const [command, flags, ends] of [
    ['review', [], 'loop.approved'],
    ['improve', ['--note', 'Say more.'], 'session.ended'],
    ['review', [], 'loop.approved'],
    ['merge', [], 'loop.landed'],
  ] as const) {
    const { ran, types } = await compare(bench, command, '1', ...flags)
    expect([command, ran.code, ran.stderr]).toEqual([command, expect.any(Number), ''])
    expect([command, types[0]]).toEqual([command, 'person.decided 1'])
    expect([command, types]).toEqual([command, expect.arrayContaining([`${ends} 1`])])
  }
})

test('merge of several tasks prints the decision on each of them before the first merge', async () => {
  const bench = openBench()
  for (const title of ['One', 'Two', 'Three']) await bench.add(title)
  await bench.umpire('work')
  const { ran, types } = await compare(bench, 'merge', '1', '2', '3')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(types.slice(0, 3)).toEqual([1, 2, 3].map((task) => `person.decided ${task}`))
  expect(types.filter((type) => type.startsWith('loop.landed')).sort()).toEqual(
    [1, 2, 3].map((task) => `loop.landed ${task}`),
  )
})

test('these are all commands that print the events they append', () => {
  const appending = createProgram(openInvocation().invocation, () => {})
    .commands.filter(({ options }) =>
      options.some(({ long, description }) => long === '--json' && description.includes('events')),
    )
    .map((command) => command.name())
  expect(appending.sort()).toEqual(['improve', 'merge', 'review', 'work'])
})

test('a refused step prints and appends nothing', async () => {
  const bench = openBench()
  await bench.add('Not begun')
  for (const command of ['review', 'merge']) {
    const { ran, types } = await compare(bench, command, '1')
    expect([command, ran.code, types]).toEqual([command, 2, []])
  }
})

test('work --dry-run appends nothing, even when work would record a merge', async () => {
  const bench = openBench({ config: { land: 'base' } })
  bench.write({ 'README.md': 'in use\n' })
  await bench.add('Waits')
  await bench.umpire('work')
  bench.git('stash', '-q')
  bench.git('merge', '-q', '--ff-only', 'umpire/landed')
  const before = await bench.events()
  expect((await bench.umpire('work', '--dry-run', '--json')).json()).toEqual({ order: [], waits: [] })
  expect(await bench.events()).toEqual(before)
})
