/** Every flag of every command has a test that shows its effect; one that nothing reads is a defect. */
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/run-cli.ts'
import { openInvocation } from '../support/invocation.ts'
import { faultsIn, type ShownBy } from '../support/shown-by.ts'

const taskFlags = [
  ...['--description', '--type', '--plan', '--accept', '--scope', '--gate', '--auto-review', '--max-cycles'],
  ...['--effort', '--agent', '--model', '--reviewer', '--review-model'],
]

const shownBy: ShownBy = {
  'every flag of add reaches the loop': taskFlags.map((flag) => `add ${flag}`),
  'every flag of edit reaches the loop': [...taskFlags, '--title'].map((flag) => `edit ${flag}`),
  'a description comes from a file or from standard input, in add and in edit': ['add --file', 'edit --file'],
  '--no-review ends as completed without a verdict, and edit can turn it round': [
    ...['add --no-review', 'edit --no-review'],
  ],
  'edit --verdict sets any verdict without a review, recorded as a person’s with the reason': [
    ...['edit --verdict', 'edit --why'],
  ],
  'a task starts when all it depends on is completed, from a tree that holds all of their work': [
    'add --after',
  ],
  'a later group starts when the one before it is complete, from the work of that one': [
    ...['add --group', 'edit --group'],
  ],
  'a failed task holds others until it is retried, and what is cancelled until its person decides': [
    'edit --after',
  ],
  'import files a plan once, brings it up to date, and prints the ids with --json': ['import --json'],
  'export writes plan files that another repository imports, and this one knows again': ['export --json'],
  'a role that nobody was given is the installed agent’s, and its cost is told by status, show and stats': [
    'stats --json',
  ],
  'list shows what is not done, and everything with --all': ['list --all', 'list --json'],
  '--dry-run says what would be done and does nothing': ['work --dry-run'],
  '--parallel runs that many at once, and --parallel 1 one after the other': ['work --parallel'],
  '--effort sets reviews and depth for tasks that have none of their own': ['work --effort', 'work --plain'],
  'work --budget is what the run may cost, over the file’s, and each run has its own': ['work --budget'],
  '--watch takes up what is filed later, until it is interrupted': ['work --watch'],
  'work --json prints the run’s events as lines, the same as the log': ['work --json'],
  'status shows each task on a line of the contract’s form, while it runs and after': ['status --watch'],
  'status shows active tasks and the latest 20, and all with --all': ['status --all'],
  'status --json, show --json and reviews --json have the keys of the contract': [
    ...['status --json', 'show --json', 'show --prompts', 'reviews --json'],
  ],
  'show, log, diff, reviews and the review files tell the whole story of a task': [
    ...['show --all', 'log --follow', 'log --cycle', 'log --role', 'log --raw', 'log --json'],
  ],
  'add --of files a review or an improvement of another task, and refuses what makes no sense': ['add --of'],
  'a task is led by hand from its first work to its approval': ['review --why'],
  'improve --note and improve --review give the developer words, a file, or the last review': [
    ...['improve --note', 'improve --review'],
  ],
  'review --json and improve --json print their events as lines, and --plain a line for each step': [
    ...['review --json', 'improve --json', 'review --plain', 'improve --plain', 'merge --plain'],
  ],
  'merge takes several in the order given, says what is there already, and prints events with --json': [
    ...['merge --why', 'merge --json'],
  ],
  'waive --issue --why: what is waived never blocks again, the reviewer is told, and only a review approves':
    [...['waive --issue', 'waive --why']],
  'clean --json says the same to programs, and nothing to clean is said, too': ['clean --json'],
  'retry goes on at the phase that failed; what was done before stands': ['retry --why'],
  'a running task is neither deleted nor judged by hand; cancel ends its agents and the worker goes on': [
    'cancel --why',
  ],
  'events --json tells everything in order, without gaps, and --after goes on where a reader stopped': [
    ...['events --after', 'events --json'],
  ],
  'events --follow tells what comes until it is ended': ['events --follow'],
  '--agent names a program on the PATH, a file of the repository, or nobody that there is': ['init --agent'],
  'without a terminal it wants --yes, and what is there is never overwritten': ['init --yes'],
  'config shows every key with its value and its source, as lines and with --json': ['config --json'],
  'after real work everything is fine, also deeply and also inside an agent session': [
    ...['doctor --deep', 'doctor --json'],
  ],
  'verdict reads a review by the channel it is told, as JSON and as words': [
    'verdict --channel',
    'verdict --json',
  ],
  'a surprise is one line and exit code 1; --verbose shows where it comes from': ['--verbose'],
  'help has an example for every command and goes to standard output': ['--version'],
}

function flagsOf(command: Command, name: string): string[] {
  return command.options.map(({ long }) => `${name} ${long}`.trim())
}

test('every flag of every command is in the table, and nothing else', () => {
  const program = createProgram(openInvocation().invocation, () => {})
  const flags = [
    ...flagsOf(program, ''),
    ...program.commands.flatMap((command) => flagsOf(command, command.name())),
  ]
  const shown = Object.values(shownBy).flat()
  expect(flags.filter((flag) => !shown.includes(flag))).toEqual([])
  expect(shown.filter((flag) => !flags.includes(flag))).toEqual([])
})

test('the tests of the table exist and use the flags they show', () => {
  expect(faultsIn(shownBy, (flag) => flag.split(' ').at(-1) ?? flag)).toEqual([])
})
