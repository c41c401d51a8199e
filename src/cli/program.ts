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
import { notYet } from './not-yet.ts'
import { readVersion } from './version.ts'

/** Called by an action that ends with another exit code than 0. */
export type SetExitCode = (code: number) => void

export function createProgram(setExitCode: SetExitCode): Command {
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
      writeErr: (text) => process.stderr.write(printable(text)),
      outputError: (text, write) => write(notYet(text, process.argv.slice(2)) ?? text),
    })
  program.addHelpText('after', '\nStart with:\n  umpire add "Say goodbye, too"\n  umpire work')

  // In this order they are listed by --help.
  addTaskCommands(program, setExitCode)
  addLookCommands(program)
  addPersonCommands(program, setExitCode)
  addToolCommands(program, setExitCode)
  return program
}
