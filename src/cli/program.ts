/**
 * The command line: what can be said, and which file does it (see the `commands-…` files beside this one). Actions
 * are loaded when they are called, so that `umpire status` does not pay for what `umpire work` needs.
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
    .option('--verbose', 'show where an error comes from')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(true)
    // What was typed is repeated in errors, and it may have been typed by a program.
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(printable(text)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      outputError: (text, write) => write(notYet(text, args) ?? text),
    })
  program.addHelpText('after', '\nStart with:\n  umpire add "Say goodbye, too"\n  umpire work')

  // In this order they are listed by --help.
  addTaskCommands(program, invocation, setExitCode)
  addLookCommands(program, invocation)
  addPersonCommands(program, invocation, setExitCode)
  addToolCommands(program, invocation, setExitCode)
  return program
}

/** Where there is no terminal, help is as wide as commander makes it by itself. */
function widthOf({ isTTY, columns }: OutputStream): number {
  return isTTY && columns !== undefined ? columns : 80
}
