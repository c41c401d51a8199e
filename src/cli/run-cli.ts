/** Runs one command and returns its exit code. Every error becomes one or two lines: what is wrong, and what to do. */

import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { PersonNeededError, StoreError, UserError } from '../core/errors.ts'
import { codeOf } from '../lib/error-code.ts'
import { packageRoot } from '../lib/file/package-files.ts'
import { printable } from '../lib/text/printable.ts'
import { addLookCommands } from './commands-look.ts'
import { addPersonCommands } from './commands-person.ts'
import { addTaskCommands } from './commands-tasks.ts'
import { addToolCommands } from './commands-tools.ts'
import { exitCodes } from './exit-codes.ts'
import type { Invocation, OutputStream, SetExitCode } from './invocation.ts'

export async function runCli(invocation: Invocation): Promise<number> {
  let code: number = exitCodes.done
  const program = createProgram(invocation, (result) => {
    code = result
  })
  try {
    await program.parseAsync(invocation.args, { from: 'user' })
    return code
  } catch (error) {
    return report(error, invocation)
  }
}

function report(error: unknown, { args, stderr }: Invocation): number {
  const verbose = args.includes('--verbose')
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof UserError) {
    stderr.write(`umpire: ${printable(error.message)}\n${error.fix ? `${printable(error.fix)}\n` : ''}`)
    if (error instanceof PersonNeededError) return exitCodes.personNeeded
    return error instanceof StoreError ? exitCodes.failed : exitCodes.usage
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const disk = typeof code === 'string' ? diskTroubles.get(code) : undefined
  if (disk && !verbose) {
    stderr.write(`umpire: ${disk[0]} (${printable(message)}).\n${disk[1]}\n`)
    return exitCodes.failed
  }
  stderr.write(`umpire: ${printable(message)}\n`)
  stderr.write(
    verbose && error instanceof Error
      ? `${printable(error.stack ?? '')}\n`
      : '--verbose shows the stack trace.\n',
  )
  return exitCodes.failed
}

/** Errors of the file system that can happen anywhere. Everything recorded before the error is safe. */
const diskTroubles = new Map([
  ['ENOSPC', ['The disk is full', 'Free some space, then try again. Everything recorded so far is safe.']],
  [
    'EDQUOT',
    ['The disk quota is used up', 'Free some space, then try again. Everything recorded so far is safe.'],
  ],
  ['EACCES', ['Permission was denied', 'Give yourself access to that path, then try again.']],
  [
    'EROFS',
    ['The file system is read-only', 'Make it writable, then try again. Everything recorded so far is safe.'],
  ],
])

/**
 * The command line: all commands, and the file that runs each of them (see the `commands-…` files in this folder).
 * An action is loaded when it is called, so that `umpire status` does not load what only `umpire work` needs.
 */
export function createProgram(invocation: Invocation, setExitCode: SetExitCode): Command {
  const { args, stdout, stderr } = invocation
  const program = new Command('umpire')
    .description(
      'Runs coding agents on your tasks and lets nothing pass that a second agent has not approved.',
    )
    .version(readVersion())
    .option('--verbose', 'show the stack trace of an error')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    // Errors repeat the arguments. A program may have written them, so control characters are made harmless.
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(printable(text)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      outputError: (text, write) => write(notYet(text, args) ?? text),
    })
  program.addHelpText('after', '\nStart with:\n  umpire add "Say goodbye, too"\n  umpire work')

  // --help lists the commands in this order.
  addTaskCommands(program, invocation, setExitCode)
  addLookCommands(program, invocation)
  addPersonCommands(program, invocation, setExitCode)
  addToolCommands(program, invocation, setExitCode)
  return program
}

/** Without a terminal, help is 80 columns wide, which is commander's own default. */
function widthOf({ isTTY, columns }: OutputStream): number {
  return isTTY && columns !== undefined ? columns : 80
}

/**
 * Commands that are planned but not built yet. Without this list, commander would treat them as typing errors and
 * suggest another command. When you build one of them, delete its row.
 */
const plannedCommands: Record<string, string> = {
  feature: 'Add tasks with umpire add.',
  watch: 'umpire status --watch shows all tasks and updates itself.',
  web: 'umpire status --watch shows all tasks and updates itself.',
  mcp: 'Programs can use umpire add, umpire status --json and umpire events --json.',
}

/** Returns the message to print instead of commander's, or null if commander's is right. `typed` are the arguments of the call. */
function notYet(error: string, typed: string[]): string | null {
  if (!/^error: unknown (command|option) '/.test(error)) return null
  // Only flags without values can come before the command. Commander reports the flags of an unknown command first.
  const command = typed.find((word) => !word.startsWith('-')) ?? ''
  const instead = Object.hasOwn(plannedCommands, command) ? plannedCommands[command] : undefined
  return instead ? `umpire: umpire ${command} is not yet available in this version.\n${instead}\n` : null
}

/** Reads the version of this package from package.json, the only place that has it. */
function readVersion(): string {
  return JSON.parse(readFileSync(`${packageRoot()}/package.json`, 'utf8')).version
}
