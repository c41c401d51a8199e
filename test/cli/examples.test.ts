/** The parser accepts every example that --help shows, so no example can become outdated. */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/run-cli.ts'
import { openInvocation } from '../support/invocation.ts'

/** Replaces each command's action, so that parsing has no effect. */
function parser(called: (command: Command) => void): Command {
  const program = createProgram(openInvocation().invocation, () => {})
  for (const command of commandsOf(program)) {
    command.configureOutput({ writeErr: () => {} })
    if (command.commands.length === 0) command.action(() => called(command))
  }
  return program
}

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  return help
}

/** Splits a line into words like a shell. Redirections with `<` and `>` are no arguments. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
  const redirected = words.findIndex((word) => /^[<>]+$/.test(word))
  return redirected < 0 ? words : words.slice(0, redirected)
}

const examples = commandsOf(createProgram(openInvocation().invocation, () => {})).flatMap((command) =>
  [...helpOf(command).matchAll(/^ {2}(umpire .+)$/gm)].map(([, line = '']) => ({ line, of: command.name() })),
)

test('every command has an example of itself', () => {
  const leaves = commandsOf(createProgram(openInvocation().invocation, () => {})).filter(
    ({ commands }) => commands.length === 0,
  )
  expect(leaves.length).toBeGreaterThan(15)
  const without = leaves.filter(
    (command) => !examples.some(({ line, of }) => of === command.name() && line.startsWith(`umpire ${of}`)),
  )
  expect(without.map((command) => command.name())).toEqual([])
})

test.each(examples)('$line', async ({ line }) => {
  const [, ...args] = wordsOf(line)
  const called: string[] = []
  await parser((command) => called.push(command.name())).parseAsync(args, { from: 'user' })
  expect(called).toEqual([args[0]])
})

test('finds an example with an unknown option', async () => {
  const program = parser(() => {})
  await expect(program.parseAsync(['work', '--no-such-option'], { from: 'user' })).rejects.toThrow(
    'unknown option',
  )
})
