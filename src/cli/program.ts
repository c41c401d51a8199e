/**
 * The command line: what can be said, and which file does it. Actions are loaded when they are called, so that
 * `umpire status` does not pay for what `umpire work` needs.
 */
import { Command, InvalidArgumentError, Option } from 'commander'
import { efforts } from '../core/effort.ts'
import { verdicts } from '../core/review.ts'
import { taskTypes } from '../core/task.ts'
import { printable } from '../lib/printable.ts'
import { refuseInSession } from './session-guard.ts'
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
    .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
  program.addHelpText('after', '\nStart with:\n  umpire add "Say goodbye, too"\n  umpire work')

  taskOptions(
    program
      .command('add')
      .argument('<title>', 'what is to be done, in a line')
      .argument('[-]', 'take the description from standard input', dash),
  )
    .description('file a task; prints its number')
    .option('--file <path>', 'take the description from a file, or from standard input with -')
    .addHelpText(
      'after',
      '\nExample:\n  umpire add "Greet in French" -d "Bonjour for --lang fr" --accept "has a test"',
    )
    .action(async (title, from, options) => {
      await refuseInSession('add')
      await (await import('./add.ts')).add(title, from, options)
    })

  program
    .command('list')
    .description('the queue: every task that is not done')
    .option('--all', 'also those that are completed or cancelled')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire list --all')
    .action(async (options) => (await import('./list.ts')).list(options))

  taskOptions(program.command('edit').argument('<id>', 'the task', taskId))
    .description('change a task, or set its verdict yourself')
    .option('--title <text>', 'a new title')
    .option('--file <path>', 'take the description from a file, or from standard input with -')
    .addOption(new Option('--verdict <verdict>', 'override the verdict without a review').choices(verdicts))
    .option('--why <text>', 'the reason, kept with the verdict')
    .addHelpText('after', '\nExample:\n  umpire edit 29 --verdict APPROVED --why "I tried it by hand"')
    .action(async (id, options) => {
      await refuseInSession('edit')
      await (await import('./edit.ts')).edit(id, options)
    })

  program
    .command('delete')
    .argument('<id>', 'the task', taskId)
    .description('take a task off the list; its branch stays')
    .addHelpText('after', '\nExample:\n  umpire delete 30')
    .action(async (id) => {
      await refuseInSession('delete')
      await (await import('./edit.ts')).remove(id)
    })

  program
    .command('work')
    .argument('[ids...]', 'only these tasks', (value: string, before: number[] = []) => [
      ...before,
      taskId(value),
    ])
    .description('work on every task that is ready, until none is left')
    .option('--parallel <n>', 'how many at once', wholeNumber(1, 100))
    .addOption(new Option('--effort <level>', 'for tasks that have none of their own').choices(efforts))
    .option('--watch', 'wait for more tasks instead of ending')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--plain', 'a line per step, without colours')
    .option('--json', 'events as JSON lines')
    .addHelpText('after', '\nExample:\n  umpire work --parallel 4 --effort high')
    .action(async (ids, options) => {
      await refuseInSession('work')
      setExitCode(await (await import('./work.ts')).work(ids, options))
    })

  program
    .command('status')
    .description('active tasks and the latest 20')
    .option('--all', 'every task')
    .option('--json', 'as JSON')
    .option('--watch', 'show it again whenever something happens')
    .addHelpText('after', '\nExample:\n  umpire status --json')
    .action(async (options) => (await import('./status.ts')).status(options))

  program
    .command('show')
    .argument('<id>', 'the task', taskId)
    .description('a task with its sessions, gates, reviews and issues')
    .option('--prompts', 'with each session’s prompt')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire show 29')
    .action(async (id, options) => (await import('./show.ts')).show(id, options))

  program
    .command('log')
    .argument('<id>', 'the task', taskId)
    .description('what the agents said')
    .option('-f, --follow', 'go on as it grows')
    .option('--cycle <n>', 'only of this cycle', wholeNumber(1, 1_000_000))
    .addOption(new Option('--role <role>', 'only of this role').choices(['developer', 'reviewer']))
    .option('--raw', 'the lines alone, as they were stored')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  umpire log 29 --role reviewer --cycle 2')
    .action(async (id, options) => (await import('./log.ts')).log(id, options))

  program
    .command('diff')
    .argument('<id>', 'the task', taskId)
    .description('the task’s work against its base')
    .addHelpText('after', '\nExample:\n  umpire diff 29')
    .action(async (id) => (await import('./diff.ts')).diff(id))

  program
    .command('reviews')
    .argument('<id>', 'the task', taskId)
    .description('the reviews of a task')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire reviews 29')
    .action(async (id, options) => (await import('./reviews.ts')).reviews(id, options))

  program
    .command('retry')
    .argument('<id>', 'the task', taskId)
    .description('put a stopped task back at the phase that failed, for the next work')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire retry 29')
    .action(async (id, options) => {
      await refuseInSession('retry')
      await (await import('./moves.ts')).retry(id, options)
    })

  program
    .command('cancel')
    .argument('<id>', 'the task', taskId)
    .description('end a task and its running agents; its branch stays')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire cancel 29')
    .action(async (id, options) => {
      await refuseInSession('cancel')
      await (await import('./moves.ts')).cancel(id, options)
    })

  program
    .command('events')
    .description('the event log')
    .option('--after <n>', 'only events after this number', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--follow', 'wait for more')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  umpire events --follow --json')
    .action(async (options) => (await import('./events.ts')).events(options))

  program
    .command('doctor')
    .description('what is there, what is missing, and how to mend it')
    .option('--deep', 'also hold the whole history against the rules, by a program of its own')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire doctor --deep')
    .action(async (options) => setExitCode(await (await import('./doctor.ts')).doctor(options)))

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
    .action(async (options) => setExitCode(await (await import('./verdict.ts')).verdict(options)))

  program
    .command('submit')
    .argument('[file]', 'the review as JSON; standard input without it or with -', '-')
    .description('inside an agent session: hand in a review, or {"complete":true}')
    .addHelpText('after', '\nExample:\n  umpire submit review.json')
    .action(async (file) => (await import('./submit.ts')).submit(file))

  return program
}

/** What `add` and `edit` have in common. */
function taskOptions(command: Command): Command {
  return command
    .option('-d, --description <text>', 'the whole story')
    .addOption(new Option('-t, --type <type>', 'the kind of task').choices(taskTypes))
    .option('--plan <file>', 'a plan that the review compares the work with')
    .option('--accept <text>', 'an acceptance criterion; may be given again', collect)
    .option('--scope <text>', 'what belongs to it, and what does not')
    .option('--gate <command>', 'a command of this task’s own that must pass; may be given again', collect)
    .option('-a, --auto-review', 'review it, whatever the configuration says')
    .option('--no-review', 'do not review it')
    .option('--max-cycles <n>', 'at most so many reviews', wholeNumber(1, 1000))
    .addOption(new Option('--effort <level>', 'how hard to try').choices(efforts))
    .option('--agent <name>', 'the developer')
    .option('--model <name>', 'the developer’s model')
    .option('--reviewer <name>', 'the reviewer')
    .option('--review-model <name>', 'the reviewer’s model')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function dash(value: string): '-' {
  if (value !== '-') throw new InvalidArgumentError('A title of several words goes in quotes.')
  return value
}

function taskId(value: string): number {
  const match = /^#?([1-9][0-9]{0,14})$/.exec(value)
  if (!match) throw new InvalidArgumentError('A task is named by its number, as umpire list shows it.')
  return Number(match[1])
}

function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^[0-9]{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is wanted.`)
    }
    return number
  }
}
