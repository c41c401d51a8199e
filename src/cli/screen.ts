/**
 * What a person or a program sees while loops run: events as JSON lines, a plain line for each step, or, on a terminal,
 * the running tasks drawn in place with what is worth a line scrolling by above them. `work` and the commands that take
 * one step by hand show themselves through this.
 */
import { createEventViews } from '../app/event-views.ts'
import type { ReadLine } from '../app/readable-line.ts'
import type { StoredEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { summarise, type TaskSummary } from '../core/summary.ts'
import { clip } from '../lib/columns.ts'
import type { Paint } from '../lib/paint.ts'
import { printable } from '../lib/printable.ts'
import type { Store } from '../store/store.ts'
import { personNeededLines } from '../view/person-needed.ts'
import { createProgress } from '../view/progress-line.ts'
import { statusLine } from '../view/status-line.ts'
import { isLive, outputColumns, outputPaint } from './colours.ts'
import { openLiveScreen } from './live-screen.ts'
import { print, printJsonLine } from './print.ts'

export interface Screen {
  /** To be given to the engine. Never waits and never throws. */
  observe(events: StoredEvent[]): void
  /** Something to say beside the events. */
  say(text: string): void
  /** Where each task stands that was worked on, and what its person can do. */
  conclude(worked: Loop[], lost: number[]): void
  /** Also after an error. */
  close(): Promise<void>
}

export function createScreen(
  flags: { plain?: boolean; json?: boolean },
  store: Store,
  readLine: ReadLine,
): Screen {
  if (flags.json) return jsonScreen(store)
  const paint = outputPaint(flags)
  if (!flags.plain && isLive()) {
    const live = openLiveScreen({
      terminal: process.stdout,
      archive: store.archive,
      readLine,
      paint,
      now: () => new Date(),
    })
    return {
      observe: live.observe,
      say: (text) => live.print([paint.dim(printable(text))]),
      conclude: (...end) => live.conclude(conclusion(...end, paint)),
      close: live.close,
    }
  }
  const progress = createProgress('every step', paint)
  return {
    observe: (events) => {
      for (const line of events.map(progress)) if (line !== null) print(line)
    },
    say: (text) => print(paint.dim(printable(text))),
    conclude: (...end) => {
      for (const line of conclusion(...end, paint)) print(line)
    },
    close: async () => {},
  }
}

/** One after the other, because the cycle of an event may have to be looked up. */
function jsonScreen({ journal }: Store): Screen {
  const view = createEventViews(journal)
  let printed = Promise.resolve()
  return {
    observe(events) {
      for (const event of events) printed = printed.then(async () => printJsonLine(await view(event)))
    },
    say: () => {},
    conclude: () => {},
    close: () => printed,
  }
}

function conclusion(worked: Loop[], lost: number[], paint: Paint): string[] {
  const columns = outputColumns()
  const tasks = worked.map(summarise)
  return [
    ...tasks.flatMap((task) => [statusLine(task, paint), ...personNeededLines(task, columns, paint)]),
    ...lost.map((task) => `- ${task}. was taken over or ended by somebody else`),
    ...toTakeOver(tasks)
      .map((line) => clip(line, columns))
      .map(paint.dim),
  ]
}

/** What is done lies on a branch, where nobody finds it by accident. Said once, for however many tasks. */
function toTakeOver(tasks: TaskSummary[]): string[] {
  const ids = tasks
    .filter(({ status, type, branch, landed }) => {
      return status === 'completed' && type !== 'review' && branch !== null && landed === null
    })
    .map(({ id }) => id)
  if (ids.length === 0) return []
  const [name, which] = ids.length === 1 ? [ids[0], ''] : ['ID', ` (${ids.join(', ')})`]
  return [`Next: umpire diff ${name} shows what was done, umpire merge ${name} takes it over${which}.`]
}
