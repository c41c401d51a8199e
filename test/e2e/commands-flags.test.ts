/** Every flag of every command has a test that shows its effect; a flag that nothing reads is a defect. */
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
  '--no-review completes a task without a verdict, and edit can reverse the choice': [
    ...['add --no-review', 'edit --no-review'],
  ],
  'edit --verdict sets any verdict without a review, and records the person and the reason': [
    ...['edit --verdict', 'edit --why'],
  ],
  'a task starts when all of its dependencies are completed, from a tree that has all of their work': [
    'add --after',
  ],
  'a later group starts when the earlier one is complete, from that group’s work': [
    ...['add --group', 'edit --group'],
  ],
  'a failed task holds up others until it is retried, and a cancelled one until a person decides': [
    'edit --after',
  ],
  'import adds a plan once, updates it later, and prints the ids with --json': ['import --json'],
  'export writes plan files that another repository can import, and that this one recognizes': [
    'export --json',
  ],
  'an unset role goes to the installed agent, and status, show and stats report its cost': ['stats --json'],
  'list shows unfinished tasks, and all tasks with --all': ['list --all', 'list --json'],
  '--dry-run says what work would do, and does nothing': ['work --dry-run'],
  '--parallel runs that many tasks at once, and --parallel 1 runs one after the other': ['work --parallel'],
  '--effort sets the number and depth of reviews for tasks without their own effort': [
    'work --effort',
    'work --plain',
  ],
  'work --budget limits the cost of each run separately, and overrides the file': ['work --budget'],
  '--watch starts tasks that are filed later, until it is interrupted': ['work --watch'],
  'work --json prints the run’s events one per line, the same as umpire events': ['work --json'],
  'status shows each task on one line in the contract’s format, during and after the run': ['status --watch'],
  'status shows active tasks and the latest 20, and all with --all': ['status --all'],
  'status --json, show --json and reviews --json have the keys of the contract': [
    ...['status --json', 'show --json', 'show --prompts', 'reviews --json'],
  ],
  'show, log, diff, reviews and the review files tell the whole story of a task': [
    ...['show --all', 'log --follow', 'log --cycle', 'log --role', 'log --raw', 'log --json'],
  ],
  'add --of files a review or an improvement of another task, and refuses invalid combinations': ['add --of'],
  'a person steers a task by hand from its first work to its approval': ['review --why'],
  'improve --note and improve --review give the developer a note, a file, or the last review': [
    ...['improve --note', 'improve --review'],
  ],
  'review --json and improve --json print one event per line, and --plain one line per step': [
    ...['review --json', 'improve --json', 'review --plain', 'improve --plain', 'merge --plain'],
  ],
  'merge merges several tasks in the given order, names those already merged, and prints events with --json':
    [...['merge --why', 'merge --json']],
  'waive --issue --why: a waived issue never blocks again, the reviewer is told, and only a review approves':
    [...['waive --issue', 'waive --why']],
  'clean --json prints the same for programs, and clean says when there is nothing to clean': [
    'clean --json',
  ],
  'retry continues at the phase that failed, and keeps the earlier work': ['retry --why'],
  'refuses to delete or judge a running task; cancel stops its agents and the worker continues': [
    'cancel --why',
  ],
  'events --json prints all events in order, without gaps, and --after continues where a reader stopped': [
    ...['events --after', 'events --json'],
  ],
  'events --follow prints new events until it is stopped': ['events --follow'],
  '--agent accepts a program on the PATH or a file of the repository, and refuses unknown names': [
    'init --agent',
  ],
  'needs --yes without a terminal, and never overwrites an existing file': ['init --yes'],
  'config shows every key with its value and its source, as lines and with --json': ['config --json'],
  'everything is fine after real work, also with --deep and inside an agent session': [
    ...['doctor --deep', 'doctor --json'],
  ],
  'verdict reads a review from the given channel, and prints JSON or text': [
    'verdict --channel',
    'verdict --json',
  ],
  'an unexpected error prints a short message and exits with 1; --verbose shows the stack trace': [
    '--verbose',
  ],
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
