/** The commands with which a person moves a task forward, back or out of the way. */
import type { Command } from 'commander'
import { refuseInSession } from '../app/refuse-in-session.ts'
import { issueNumbers, taskId, taskIds } from './arguments.ts'
import type { Invocation, SetExitCode } from './invocation.ts'

export function addPersonCommands(program: Command, invocation: Invocation, setExitCode: SetExitCode): void {
  runsInForeground(program.command('review').argument('<id>', 'the task', taskId))
    .description('review the work once, now, regardless of the limits')
    .option('--why <text>', 'the reason, stored with this step')
    .addHelpText('after', '\nExample:\n  umpire review 29')
    .action(async (id, options) => {
      await refuseInSession('review', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).review(id, options, invocation))
    })

  runsInForeground(program.command('improve').argument('<id>', 'the task', taskId))
    .description('send the work back to the developer once, now, with the last review')
    .option('--note <text>', 'a message to the developer')
    .option('--review [file]', 'work from the review in this file, instead of the last review')
    .addHelpText('after', '\nExample:\n  umpire improve 29 --note "Keep the old flag working"')
    .action(async (id, options) => {
      await refuseInSession('improve', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).improve(id, options, invocation))
    })

  runsInForeground(
    program.command('merge').argument('<ids...>', 'the tasks, in the order to merge them', taskIds),
  )
    .description('merge approved work into its base branch, and run the gates on the result')
    .option('--why <text>', 'the reason, stored with this step')
    .addHelpText('after', '\nExample:\n  umpire merge 29 31')
    .action(async (ids, options) => {
      await refuseInSession('merge', invocation)
      setExitCode(await (await import('./work/by-hand.ts')).mergeTasks(ids, options, invocation))
    })

  program
    .command('retry')
    .argument('<id>', 'the task', taskId)
    .description('reopen a stopped task at the phase that failed; umpire work continues it')
    .option('--why <text>', 'the reason, stored with this step')
    .addHelpText('after', '\nExample:\n  umpire retry 29')
    .action(async (id, options) => {
      await refuseInSession('retry', invocation)
      await (await import('./tasks/retry-cancel-waive.ts')).retry(id, options, invocation)
    })

  program
    .command('cancel')
    .argument('<id>', 'the task', taskId)
    .description('cancel a task and stop its agents; its branch stays')
    .option('--why <text>', 'the reason, stored with this step')
    .addHelpText('after', '\nExample:\n  umpire cancel 29')
    .action(async (id, options) => {
      await refuseInSession('cancel', invocation)
      await (await import('./tasks/retry-cancel-waive.ts')).cancel(id, options, invocation)
    })

  program
    .command('waive')
    .argument('<id>', 'the task', taskId)
    .description('mark an issue as not important, so that it never blocks again')
    .requiredOption('--issue <n>', 'the number of the issue, from umpire show; repeatable', issueNumbers)
    .requiredOption('--why <text>', 'the reason, stored with the issue and shown to the reviewer')
    .addHelpText(
      'after',
      '\nThis does not approve the work. To ask the reviewer again: umpire review' +
        '\n\nExample:\n  umpire waive 12 --issue 3 --why "The old format is gone next week"',
    )
    .action(async (id, options) => {
      await refuseInSession('waive', invocation)
      await (await import('./tasks/retry-cancel-waive.ts')).waive(id, options, invocation)
    })

  program
    .command('clean')
    .description('remove the worktrees and branches of merged and cancelled tasks, and nothing else')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  umpire clean')
    .action(async (options) => {
      await refuseInSession('clean', invocation)
      await (await import('./clean.ts')).clean(options, invocation)
    })
}

/** The options that `review`, `improve` and `merge` share: they run in the foreground and show their progress. */
function runsInForeground(command: Command): Command {
  return command
    .option('--plain', 'print one line per step, without colours')
    .option('--json', 'print events as JSON lines')
}
