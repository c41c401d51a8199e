import type { Repository } from '../app/repository.ts'
import { findUnattended } from '../app/unattended.ts'
import type { RunningSession } from '../core/loop.ts'
import type { TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/printable.ts'
import type { Store } from '../store/store.ts'
import { statusLine, unattendedLine } from '../view/status-line.ts'
import { print, printJson } from './print.ts'
import { followStore, readStore } from './with-store.ts'

export interface StatusOptions {
  all?: boolean
  json?: boolean
  watch?: boolean
}

/** How many ended tasks are shown beside the active ones. */
const latest = 20

export async function status(options: StatusOptions): Promise<void> {
  const show = async (store: Store, repository: Repository) => {
    const tasks = await store.archive.tasks(options.all ? {} : { recent: latest })
    render(tasks, await findUnattended(tasks, store, repository), options)
  }
  const nothing = () => render([], new Map(), options)
  if (!options.watch) return readStore(show, nothing)
  await followStore(async (store, repository) => {
    const cursor = await store.journal.lastSeq()
    await show(store, repository)
    const never = new AbortController().signal
    for await (const _ of store.journal.since(cursor, never)) await show(store, repository)
  }, nothing)
}

function render(tasks: TaskSummary[], unattended: Map<number, RunningSession>, options: StatusOptions): void {
  if (options.json) {
    const marked = tasks.map((task) => (unattended.has(task.id) ? { ...task, unattended: true } : task))
    return printJson({ tasks: marked })
  }
  if (options.watch && process.stdout.isTTY) process.stdout.write('\u001b[2J\u001b[H')
  if (tasks.length === 0) return print('No tasks yet. File one with: umpire add "What is to be done"')
  for (const task of tasks) {
    print(statusLine(task))
    const session = unattended.get(task.id)
    if (session) print(`    ${unattendedLine(task.id, session)}`)
    if ((task.status === 'blocked' || task.status === 'failed') && task.detail) {
      print(`    ${oneLine(task.detail)}`)
      print(`    next: ${task.recovery.join('  ·  ')}`)
    }
  }
}
