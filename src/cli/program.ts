/**
 * The command line: all commands, and the file that runs each of them (see the `commands-…` files in this folder).
 * An action is loaded when it is called, so that `umpire status` does not load what only `umpire work` needs.
 */
import { Command } from 'commander'
import { printable } from '../lib/text/printable.ts'
import { addLookCommands } from './commands-look.ts'
import { addPersonCommands } from './commands-person.ts'
import { addTaskCommands } from './commands-tasks.ts'
import { addToolCommands } from './commands-tools.ts'
import type { Invocation, OutputStream, SetExitCode } from './invocation.ts'
import { notYet } from './not-yet.ts'
import { readVersion } from './version.ts'

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
