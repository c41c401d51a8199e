/** What is used around the tasks: by programs, by agents, and when something is wrong. */
import { type Command, Option } from 'commander'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { wholeNumber } from './arguments.ts'
import type { Invocation, SetExitCode } from './invocation.ts'

export function addToolCommands(program: Command, invocation: Invocation, setExitCode: SetExitCode): void {
  program
    .command('events')
    .description('the event log')
    .option('--after <n>', 'only events after this number', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--follow', 'wait for more')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  umpire events --follow --json')
    .action(async (options) => (await import('./look/events.ts')).events(options, invocation))

  program
    .command('init')
    .description('write umpire.yaml: finds agents, test and lint commands, and what a worktree needs')
    .option('--agent <name>', 'who does the work: a known agent, a program, or a file of the repository')
    .option('--yes', 'take what is found, without asking')
    .addHelpText('after', '\nExample:\n  umpire init --agent tools/agent.mjs --yes')
    .action(async (options) => {
      await refuseInSession('init', invocation)
      setExitCode(await (await import('./setup/init.ts')).init(options, invocation))
    })

  program
    .command('config')
    .description('every setting with its value and where it comes from')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire config')
    .action(async (options) => (await import('./setup/config.ts')).config(options, invocation))

  program
    .command('doctor')
    .description('what is there, what is missing, and how to mend it')
    .option('--deep', 'also hold the whole history against the rules, by a program of its own')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire doctor --deep')
    .action(async (options) =>
      setExitCode(await (await import('./setup/doctor.ts')).doctor(options, invocation)),
    )

  program
    .command('verdict')
    .description('read a review from standard input the way a loop would')
    .addOption(
      new Option('--channel <name>', 'how to read it')
        .choices(['auto', 'json', 'verdict-line', 'marker'])
        .default('auto'),
    )
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire verdict --channel auto --json < review.md')
    .action(async (options) => setExitCode(await (await import('./verdict.ts')).verdict(options, invocation)))

  program
    .command('submit')
    .argument('[file]', 'the review as JSON; standard input without it or with -', '-')
    .description('inside an agent session: hand in a review, {"complete":true}, or {"fail":"why"}')
    .addHelpText('after', '\nExample:\n  umpire submit review.json')
    .action(async (file) => (await import('./submit.ts')).submit(file, invocation))

  program
    .command('complete')
    .argument('[shell]', 'bash, zsh or fish')
    .argument('[words...]', 'after --, what the shell asks for: the words typed so far')
    .description('print what a shell needs to complete commands, options and task numbers')
    .addHelpText('after', '\nExample:\n  umpire complete zsh > ~/.umpire-completion.zsh')
    .action(async (shell, words) => {
      const { complete, printScript } = await import('./complete/complete.ts')
      // After the dashes everything is a word, also what looks like an option or a shell.
      const { args } = invocation
      const asked = args.indexOf('complete') + 1 === args.indexOf('--')
      await (asked
        ? complete(program, shell === undefined ? [] : [shell, ...words], invocation)
        : printScript(shell, invocation))
    })
}
