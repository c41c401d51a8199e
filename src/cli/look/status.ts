import { openAttempts, openQueue, type Repository } from '../../app/repository.ts'
import { runningSessions } from '../../core/loop.ts'
import type { RunningSession } from '../../core/session/session.ts'
import type { TaskSummary } from '../../core/summary.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Store } from '../../store/store.ts'
import { unattendedLine } from '../../view/status-line.ts'
import { taskLines } from '../../view/task-lines.ts'
import type { Invocation } from '../invocation.ts'
import { isLive, outputColumns, outputPaint, outputWidth, print, printJson } from '../screen/output.ts'
import { followStore, readStore } from '../with-store.ts'

export interface StatusOptions {
  all?: boolean
  json?: boolean
  watch?: boolean
}

/** How many ended tasks are shown in addition to the active ones. */
const latest = 20

export async function status(options: StatusOptions, invocation: Invocation): Promise<void> {
  const read = async (store: Store, repository: Repository) => {
    const tasks = await store.archive.tasks(options.all ? {} : { recent: latest })
    return { tasks, unattended: await findUnattended(tasks, store, repository) }
  }
  const nothing: Standing = { tasks: [], unattended: new Map() }
  if (!options.watch) return tell(await readStore(invocation, read, () => nothing), options, invocation)
  if (options.json || !isLive(invocation))
    return watch(invocation, read, nothing, (standing) => tell(standing, options, invocation))
  const { openLiveRegion } = await import('../screen/live-region.ts')
  const region = openLiveRegion(invocation.stdout)
  await watch(invocation, read, nothing, (standing) => region.draw(render(standing, options, invocation)))
}

interface Standing {
  tasks: TaskSummary[]
  unattended: Map<number, RunningSession>
}

async function watch(
  invocation: Invocation,
  read: (store: Store, repository: Repository) => Promise<Standing>,
  nothing: Standing,
  show: (standing: Standing) => void,
): Promise<void> {
  await followStore(
    invocation,
    async (store, repository) => {
      const cursor = await store.journal.lastSeq()
      show(await read(store, repository))
      const never = new AbortController().signal
      for await (const _ of store.journal.since(cursor, never)) show(await read(store, repository))
    },
    () => show(nothing),
  )
}

function tell({ tasks, unattended }: Standing, options: StatusOptions, invocation: Invocation): void {
  if (options.json) {
    const marked = tasks.map((task) => (unattended.has(task.id) ? { ...task, unattended: true } : task))
    return printJson({ tasks: marked }, invocation)
  }
  for (const line of render({ tasks, unattended }, options, invocation)) print(line, invocation)
}

function render({ tasks, unattended }: Standing, options: StatusOptions, invocation: Invocation): string[] {
  if (tasks.length === 0) return ['No tasks yet. Add one with: umpire add "What to do"']
  const paint = outputPaint(invocation)
  const columns = outputColumns(invocation)
  return taskLines(tasks, {
    ...{ width: outputWidth(invocation), columns, paint, held: options.all ? 'each' : 'gathered' },
    below(task) {
      const session = unattended.get(task.id)
      return [
        ...(session ? [`    ${unattendedLine(task.id, session)}`] : []),
        // Null-safe, because a summary that an older version stored has no such key.
        ...(task.progress ? [`    ${paint.dim(oneLine(task.progress, columns - 4))}`] : []),
      ]
    },
  })
}

/**
 * Finds agents that keep running although the worker that started them is gone. Returns one session per task. It
 * loads nothing unless a task is in progress and no process has claimed it.
 */
async function findUnattended(
  tasks: TaskSummary[],
  store: Store,
  repository: Repository,
): Promise<Map<number, RunningSession>> {
  const found = new Map<number, RunningSession>()
  const going = tasks.filter((task) => task.status === 'in_progress')
  if (going.length === 0) return found
  const queue = await openQueue(repository, 'read')
  const held = await queue.holders().finally(() => queue.close())
  for (const { id } of going.filter((task) => !held.has(task.id))) {
    const loop = await store.archive.loop(id)
    const started = loop ? runningSessions(loop) : []
    if (started.length === 0) continue
    const attempts = await openAttempts(repository)
    for (const session of started)
      if (!found.has(id) && (await attempts.attach(session.session)) === 'running') found.set(id, session)
  }
  return found
}
