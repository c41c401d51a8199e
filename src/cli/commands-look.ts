/** The commands that show tasks. None of them changes anything. */
import { type Command, Option } from 'commander'
import { taskId, wholeNumber } from './arguments.ts'
import type { Invocation } from './invocation.ts'

export function addLookCommands(program: Command, invocation: Invocation): void {
  program
    .command('status')
    .description('show active tasks and the latest 20')
    .option('--all', 'show every task')
    .option('--json', 'print JSON')
    .option('--watch', 'update whenever something happens')
    .addHelpText('after', '\nExample:\n  umpire status --json')
    .action(async (options) => (await import('./look/status.ts')).status(options, invocation))

  program
    .command('show')
    .argument('<id>', 'the task', taskId)
    .description('show a task: its status, what it needs, its issues, reviews, gates and sessions')
    .option('--all', 'show everything, however long')
    .option('--prompts', 'include the prompt of each session')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire show 29')
    .action(async (id, options) => (await import('./look/show.ts')).show(id, options, invocation))

  program
    .command('log')
    .argument('<id>', 'the task', taskId)
    .description('show what the agents said')
    .option('-f, --follow', 'keep printing as the log grows')
    .option('--cycle <n>', 'show only this cycle', wholeNumber(1, 1_000_000))
    .addOption(
      new Option('--role <role>', 'show only this role').choices([
        'developer',
        'reviewer',
        'parser',
        'resolver',
      ]),
    )
    .option('--raw', 'print the stored lines unchanged')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample:\n  umpire log 29 --role reviewer --cycle 2')
    .action(async (id, options) => (await import('./look/log.ts')).log(id, options, invocation))

  program
    .command('diff')
    .argument('<id>', 'the task', taskId)
    .description('show the work of a task, compared with its base')
    .addHelpText('after', '\nExample:\n  umpire diff 29')
    .action(async (id) => (await import('./look/diff-reviews-stats.ts')).diff(id, invocation))

  program
    .command('stats')
    .description('show how tasks ended, and what each agent cost')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire stats')
    .action(async (options) => (await import('./look/diff-reviews-stats.ts')).stats(options, invocation))

  program
    .command('reviews')
    .argument('<id>', 'the task', taskId)
    .description('show the reviews of a task')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire reviews 29')
    .action(async (id, options) =>
      (await import('./look/diff-reviews-stats.ts')).reviews(id, options, invocation),
    )
}
