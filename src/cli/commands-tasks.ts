/** Filing tasks, changing them, and having them worked on. */
import { type Command, Option } from 'commander'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { efforts } from '../core/policy/effort.ts'
import { verdicts } from '../core/review/review.ts'
import { lastGroup, taskTypes } from '../core/task.ts'
import { collect, dash, dollarAmount, orNone, taskId, taskIdList, taskIds, wholeNumber } from './arguments.ts'
import type { Invocation, SetExitCode } from './invocation.ts'

export function addTaskCommands(program: Command, invocation: Invocation, setExitCode: SetExitCode): void {
  taskOptions(
    program
      .command('add')
      .argument('<title>', 'what is to be done, in a line')
      .argument('[-]', 'take the description from standard input', dash),
  )
    .description('file a task; prints its number')
    .option('--file <path>', 'take the description from a file, or from standard input with -')
    .option('--of <id>', 'the task that this review or improvement is for', taskId)
    .option('--after <ids>', 'begin when these are completed, with their work, as in 3,5', taskIdList)
    .option('--group <n>', 'begin when all groups before this one are completed', wholeNumber(1, lastGroup))
    .addHelpText(
      'after',
      '\nExample:\n  umpire add "Greet in French" -d "Bonjour for --lang fr" --accept "has a test"',
    )
    .action(async (title, from, options) => {
      await refuseInSession('add', invocation)
      await (await import('./tasks/add.ts')).add(title, from, options, invocation)
    })

  program
    .command('import')
    .argument('<paths...>', 'plan files, or folders of them')
    .description('file the tasks of a plan, or bring those that it filed up to date')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire import plans/checkout')
    .action(async (paths, options) => {
      await refuseInSession('import', invocation)
      await (await import('./tasks/plans.ts')).importPlans(paths, options, invocation)
    })

  program
    .command('export')
    .argument('<dir>', 'the folder; it is made where there is none')
    .description('write every task as a plan file')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire export plans')
    .action(async (dir, options) => {
      await refuseInSession('export', invocation)
      await (await import('./tasks/plans.ts')).exportPlans(dir, options, invocation)
    })

  program
    .command('list')
    .description('the queue: every task that is not done')
    .option('--all', 'also those that are completed or cancelled')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire list --all')
    .action(async (options) => (await import('./tasks/list.ts')).list(options, invocation))

  taskOptions(program.command('edit').argument('<id>', 'the task', taskId))
    .description('change a task, or set its verdict yourself')
    .option('--title <text>', 'a new title')
    .option('--after <ids>', 'begin when these are completed, as in 3,5; or none', orNone(taskIdList))
    .option(
      '--group <n>',
      'begin when all groups before this one are completed; or none',
      orNone(wholeNumber(1, lastGroup)),
    )
    .option('--file <path>', 'take the description from a file, or from standard input with -')
    .addOption(new Option('--verdict <verdict>', 'override the verdict without a review').choices(verdicts))
    .option('--why <text>', 'the reason, kept with the verdict')
    .addHelpText('after', '\nExample:\n  umpire edit 29 --verdict APPROVED --why "I tried it by hand"')
    .action(async (id, options) => {
      await refuseInSession('edit', invocation)
      await (await import('./tasks/edit.ts')).edit(id, options, invocation)
    })

  program
    .command('delete')
    .argument('<id>', 'the task', taskId)
    .description('take a task off the list; its branch stays')
    .addHelpText('after', '\nExample:\n  umpire delete 30')
    .action(async (id) => {
      await refuseInSession('delete', invocation)
      await (await import('./tasks/edit.ts')).remove(id, invocation)
    })

  program
    .command('work')
    .argument('[ids...]', 'only these tasks', taskIds)
    .description('work on every task that is ready, until none is left')
    .option('--parallel <n>', 'how many at once', wholeNumber(1, 100))
    .addOption(new Option('--effort <level>', 'for tasks that have none of their own').choices(efforts))
    .option('--budget <usd>', 'what this run may cost, in dollars', dollarAmount)
    .option('--watch', 'wait for more tasks instead of ending')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--plain', 'a line per step, without colours')
    .option('--json', 'events as JSON lines')
    .addHelpText('after', '\nExample:\n  umpire work --parallel 4 --effort high')
    .action(async (ids, options) => {
      await refuseInSession('work', invocation)
      setExitCode(await (await import('./work/work.ts')).runWork(ids, options, invocation))
    })
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
