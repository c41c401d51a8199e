/** Looking at tasks: none of these changes anything. */
import { type Command, Option } from 'commander'
import { taskId, wholeNumber } from './arguments.ts'
import type { Invocation } from './invocation.ts'

export function addLookCommands(program: Command, invocation: Invocation): void {
  program
    .command('status')
    .description('active tasks and the latest 20')
    .option('--all', 'every task')
    .option('--json', 'as JSON')
    .option('--watch', 'show it again whenever something happens')
    .addHelpText('after', '\nExample:\n  umpire status --json')
    .action(async (options) => (await import('./look/status.ts')).status(options, invocation))

  program
    .command('show')
    .argument('<id>', 'the task', taskId)
    .description('where a task stands, what it needs, its issues, reviews, gates and sessions')
    .option('--all', 'everything, however long')
    .option('--prompts', 'with each session’s prompt')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire show 29')
    .action(async (id, options) => (await import('./look/show.ts')).show(id, options, invocation))

  program
    .command('log')
    .argument('<id>', 'the task', taskId)
    .description('what the agents said')
    .option('-f, --follow', 'go on as it grows')
    .option('--cycle <n>', 'only of this cycle', wholeNumber(1, 1_000_000))
    .addOption(
      new Option('--role <role>', 'only of this role').choices([
        'developer',
        'reviewer',
        'parser',
        'resolver',
      ]),
    )
    .option('--raw', 'the lines alone, as they were stored')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  umpire log 29 --role reviewer --cycle 2')
    .action(async (id, options) => (await import('./look/log.ts')).log(id, options, invocation))

  program
    .command('diff')
    .argument('<id>', 'the task', taskId)
    .description('the task’s work against its base')
    .addHelpText('after', '\nExample:\n  umpire diff 29')
    .action(async (id) => (await import('./look/diff.ts')).diff(id, invocation))

  program
    .command('stats')
    .description('how tasks ended, and what each agent cost')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire stats')
    .action(async (options) => (await import('./look/stats.ts')).stats(options, invocation))

  program
    .command('reviews')
    .argument('<id>', 'the task', taskId)
    .description('the reviews of a task')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire reviews 29')
    .action(async (id, options) => (await import('./look/reviews.ts')).reviews(id, options, invocation))
}
