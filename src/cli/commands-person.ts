/** A person's moves on a task. */
import type { Command } from 'commander'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { issueNumbers, taskId, taskIds } from './arguments.ts'
import type { Invocation, SetExitCode } from './invocation.ts'

export function addPersonCommands(program: Command, invocation: Invocation, setExitCode: SetExitCode): void {
  runsInForeground(program.command('review').argument('<id>', 'the task', taskId))
    .description('have the work reviewed once, now, whatever the limits say')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire review 29')
    .action(async (id, options) => {
      await refuseInSession('review', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).review(id, options, invocation))
    })

  runsInForeground(program.command('improve').argument('<id>', 'the task', taskId))
    .description('send the work back to the developer once, now, with the last review')
    .option('--note <text>', 'what you have to say to the developer')
    .option('--review [file]', 'the review to work from: a file of yours instead of the last one')
    .addHelpText('after', '\nExample:\n  umpire improve 29 --note "Keep the old flag working"')
    .action(async (id, options) => {
      await refuseInSession('improve', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).improve(id, options, invocation))
    })

  runsInForeground(program.command('merge').argument('<ids...>', 'the tasks, in this order', taskIds))
    .description('merge approved work into the branch that it is for, with the gates on the result')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire merge 29 31')
    .action(async (ids, options) => {
      await refuseInSession('merge', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).mergeTasks(ids, options, invocation))
    })

  program
    .command('retry')
    .argument('<id>', 'the task', taskId)
    .description('put a stopped task back at the phase that failed, for the next work')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire retry 29')
    .action(async (id, options) => {
      await refuseInSession('retry', invocation)
      await (await import('./tasks/moves.ts')).retry(id, options, invocation)
    })

  program
    .command('cancel')
    .argument('<id>', 'the task', taskId)
    .description('end a task and its running agents; its branch stays')
    .option('--why <text>', 'the reason, kept with the move')
    .addHelpText('after', '\nExample:\n  umpire cancel 29')
    .action(async (id, options) => {
      await refuseInSession('cancel', invocation)
      await (await import('./tasks/moves.ts')).cancel(id, options, invocation)
    })

  program
    .command('waive')
    .argument('<id>', 'the task', taskId)
    .description('say of an issue that it does not matter: it never blocks again')
    .requiredOption('--issue <n>', 'its number, as show tells it; may be given again', issueNumbers)
    .requiredOption('--why <text>', 'the reason, kept with the issue and told to the reviewer')
    .addHelpText(
      'after',
      '\nNothing is approved by it: umpire review asks the reviewer again.' +
        '\n\nExample:\n  umpire waive 12 --issue 3 --why "The old format is gone next week"',
    )
    .action(async (id, options) => {
      await refuseInSession('waive', invocation)
      await (await import('./tasks/waive.ts')).waive(id, options, invocation)
    })

  program
    .command('clean')
    .description('remove worktrees and branches of what is merged or cancelled, and nothing else')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  umpire clean')
    .action(async (options) => {
      await refuseInSession('clean', invocation)
      await (await import('./clean.ts')).clean(options, invocation)
    })
}

/** What `review`, `improve` and `merge` have in common: they run at once, and are seen at it. */
function runsInForeground(command: Command): Command {
  return command
    .option('--plain', 'a line per step, without colours')
    .option('--json', 'events as JSON lines')
}
