/** The commands that add, change and run tasks. */
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
      .argument('<title>', 'what to do, in one line')
      .argument('[-]', 'read the description from standard input', dash),
  )
    .description('add a task and print its number')
    .option('--file <path>', 'read the description from a file, or from standard input with -')
    .option('--of <id>', 'the task to review or improve', taskId)
    .option('--after <ids>', 'start after these tasks and build on their work, for example 3,5', taskIdList)
    .option('--group <n>', 'start when all lower-numbered groups are completed', wholeNumber(1, lastGroup))
    .addHelpText(
      'after',
      '\nExample:\n  umpire add "Greet in French" -d "Bonjour for --lang fr" --accept "has a test"',
    )
    .action(async (title, from, options) => {
      await refuseInSession('add', invocation)
      await (await import('./tasks/add-edit-delete.ts')).add(title, from, options, invocation)
    })

  program
    .command('import')
    .argument('<paths...>', 'plan files, or folders with plan files')
    .description('add the tasks of a plan, or update the tasks it added before')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire import plans/checkout')
    .action(async (paths, options) => {
      await refuseInSession('import', invocation)
      await (await import('./tasks/plans.ts')).importPlans(paths, options, invocation)
    })

  program
    .command('export')
    .argument('<dir>', 'the folder to write to; created if it does not exist')
    .description('write every task as a plan file')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire export plans')
    .action(async (dir, options) => {
      await refuseInSession('export', invocation)
      await (await import('./tasks/plans.ts')).exportPlans(dir, options, invocation)
    })

  program
    .command('list')
    .description('show the queue: every task that is not done')
    .option('--all', 'include completed and cancelled tasks')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire list --all')
    .action(async (options) => (await import('./tasks/list.ts')).list(options, invocation))

  taskOptions(program.command('edit').argument('<id>', 'the task', taskId))
    .description('change a task, or set its verdict yourself')
    .option('--title <text>', 'a new title')
    .option('--after <ids>', 'start when these tasks are completed, as in 3,5; or none', orNone(taskIdList))
    .option(
      '--group <n>',
      'start when all lower-numbered groups are completed; or none',
      orNone(wholeNumber(1, lastGroup)),
    )
    .option('--file <path>', 'read the description from a file, or from standard input with -')
    .addOption(new Option('--verdict <verdict>', 'set the verdict without a review').choices(verdicts))
    .option('--why <text>', 'the reason, stored with the verdict')
    .addHelpText('after', '\nExample:\n  umpire edit 29 --verdict APPROVED --why "I tried it by hand"')
    .action(async (id, options) => {
      await refuseInSession('edit', invocation)
      await (await import('./tasks/add-edit-delete.ts')).edit(id, options, invocation)
    })

  program
    .command('delete')
    .argument('<id>', 'the task', taskId)
    .description('remove a task from the list; its branch stays')
    .addHelpText('after', '\nExample:\n  umpire delete 30')
    .action(async (id) => {
      await refuseInSession('delete', invocation)
      await (await import('./tasks/add-edit-delete.ts')).remove(id, invocation)
    })

  program
    .command('work')
    .argument('[ids...]', 'only these tasks', taskIds)
    .description('run every task that is ready, until none is left')
    .option('--parallel <n>', 'how many tasks to run at once', wholeNumber(1, 100))
    .addOption(
      new Option('--effort <level>', 'the effort for tasks that do not set their own').choices(efforts),
    )
    .option('--budget <usd>', 'the most this run may cost, in dollars', dollarAmount)
    .option('--watch', 'wait for more tasks instead of exiting')
    .option('--dry-run', 'show what would run, without running it')
    .option('--plain', 'print one line per step, without colours')
    .option('--json', 'print events as JSON lines')
    .addHelpText('after', '\nExample:\n  umpire work --parallel 4 --effort high')
    .action(async (ids, options) => {
      await refuseInSession('work', invocation)
      setExitCode(await (await import('./work/work.ts')).runWork(ids, options, invocation))
    })
}

/** The options that `add` and `edit` share. */
function taskOptions(command: Command): Command {
  return command
    .option('-d, --description <text>', 'the full description')
    .addOption(new Option('-t, --type <type>', 'the kind of task').choices(taskTypes))
    .option('--plan <file>', 'a plan; reviewers compare the work with it')
    .option('--accept <text>', 'an acceptance criterion; repeatable', collect)
    .option('--scope <text>', 'what is in scope, and what is not')
    .option('--gate <command>', 'a command that must pass, for this task only; repeatable', collect)
    .option('-a, --auto-review', 'review the work, whatever the configuration says')
    .option('--no-review', 'do not review the work')
    .option('--max-cycles <n>', 'the most reviews to run', wholeNumber(1, 1000))
    .addOption(new Option('--effort <level>', 'how much effort to spend').choices(efforts))
    .option('--agent <name>', 'the agent that does the work')
    .option('--model <name>', 'the model of that agent')
    .option('--reviewer <name>', 'the agent that reviews the work')
    .option('--review-model <name>', 'the model of the reviewer')
}
