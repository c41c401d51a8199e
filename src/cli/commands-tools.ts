/** The commands around the tasks: for setup and diagnosis, and those that programs and agents call. */
import { type Command, Option } from 'commander'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { wholeNumber } from './arguments.ts'
import type { Invocation, SetExitCode } from './invocation.ts'

export function addToolCommands(program: Command, invocation: Invocation, setExitCode: SetExitCode): void {
  program
    .command('events')
    .description('show the event log')
    .option('--after <n>', 'show only events after this number', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--follow', 'wait for more events')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample:\n  umpire events --follow --json')
    .action(async (options) => (await import('./look/events.ts')).events(options, invocation))

  program
    .command('init')
    .description('find agents, test and lint commands, and what a worktree needs, and write umpire.yaml')
    .option(
      '--agent <name>',
      'the agent that does the work: a known agent, a program, or a file in the repository',
    )
    .option('--yes', 'accept what is found, without asking')
    .addHelpText('after', '\nExample:\n  umpire init --agent tools/agent.mjs --yes')
    .action(async (options) => {
      await refuseInSession('init', invocation)
      setExitCode(await (await import('./setup/init.ts')).init(options, invocation))
    })

  program
    .command('config')
    .description('show every setting, its value, and where the value comes from')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire config')
    .action(async (options) => (await import('./setup/config.ts')).config(options, invocation))

  program
    .command('doctor')
    .description('show what is installed, what is missing, and how to fix it')
    .option('--deep', 'also check the whole history against the rules, with a separate program')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire doctor --deep')
    .action(async (options) =>
      setExitCode(await (await import('./setup/doctor.ts')).doctor(options, invocation)),
    )

  program
    .command('verdict')
    .description('read a review from standard input and print its verdict, as umpire work would')
    .addOption(
      new Option('--channel <name>', 'how to read the review')
        .choices(['auto', 'json', 'verdict-line', 'marker'])
        .default('auto'),
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire verdict --channel auto --json < review.md')
    .action(async (options) => setExitCode(await (await import('./verdict.ts')).verdict(options, invocation)))

  program
    .command('submit')
    .argument('[file]', 'the review as JSON; - is standard input', '-')
    .description('inside an agent session: hand in a review, {"complete":true}, or {"fail":"why"}')
    .addHelpText('after', '\nExample:\n  umpire submit review.json')
    .action(async (file) => (await import('./submit.ts')).submit(file, invocation))

  program
    .command('complete')
    .argument('[shell]', 'bash, zsh or fish')
    .argument('[words...]', 'after --: the words typed so far (shells call it this way)')
    .description('print a shell script that completes commands, options and task numbers')
    .addHelpText('after', '\nExample:\n  umpire complete zsh > ~/.umpire-completion.zsh')
    .action(async (shell, words) => {
      const { complete, printScript } = await import('./complete/complete.ts')
      // Everything after `--` is a typed word, even if it looks like an option or the name of a shell.
      const { args } = invocation
      const asked = args.indexOf('complete') + 1 === args.indexOf('--')
      await (asked
        ? complete(program, shell === undefined ? [] : [shell, ...words], invocation)
        : printScript(shell, invocation))
    })
}
