/**
 * The output while loops run: events as JSON lines, one plain line for each step, or, on a terminal, a live view of the
 * running tasks with important events scrolling by above it. `work` and the commands for a step by hand use it.
 */
import { createEventViews } from '../../app/event-views.ts'
import type { ReadLine } from '../../app/line-reader.ts'
import type { StoredEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { summarise, type TaskSummary } from '../../core/summary.ts'
import { clip } from '../../lib/text/columns.ts'
import type { Paint } from '../../lib/text/paint.ts'
import { printable } from '../../lib/text/printable.ts'
import type { Store } from '../../store/store.ts'
import { nextLines } from '../../view/next-lines.ts'
import { createProgress } from '../../view/progress.ts'
import { taskLines } from '../../view/task-lines.ts'
import type { Invocation } from '../invocation.ts'
import { openLiveScreen } from './live-screen.ts'
import { isLive, outputColumns, outputPaint, outputWidth, print, printJsonLine } from './output.ts'

type Concluded = 'work' | 'a step by hand'

export interface Screen {
  /** The engine calls this with new events. It never waits and never throws. */
  observe(events: StoredEvent[]): void
  /** Prints a message that is not an event. */
  say(text: string): void
  /** Prints the status of each task that was worked on, what a person can do next, and the tasks that others hold back. */
  conclude(worked: Loop[], lost: number[], after: Concluded, held?: TaskSummary[]): void
  /** Must be called after an error, too. */
  close(): Promise<void>
}

export function createScreen(
  flags: { plain?: boolean; json?: boolean },
  store: Store,
  readLine: ReadLine,
  invocation: Invocation,
): Screen {
  if (flags.json) return jsonScreen(store, invocation)
  const paint = outputPaint(invocation, flags)
  if (!flags.plain && isLive(invocation)) {
    const live = openLiveScreen({
      terminal: invocation.stdout,
      archive: store.archive,
      readLine,
      paint,
      now: () => new Date(),
    })
    return {
      observe: live.observe,
      say: (text) => live.print([paint.dim(printable(text))]),
      conclude: (...end) => live.conclude(conclusion(invocation, paint, ...end)),
      close: live.close,
    }
  }
  const progress = createProgress('every step', paint)
  return {
    observe: (events) => {
      for (const line of events.map(progress)) if (line !== null) print(line, invocation)
    },
    say: (text) => print(paint.dim(printable(text)), invocation),
    conclude: (...end) => {
      for (const line of conclusion(invocation, paint, ...end)) print(line, invocation)
    },
    close: async () => {},
  }
}

/** Prints one event after the other, because the cycle of an event may have to be looked up. */
function jsonScreen({ journal }: Store, invocation: Invocation): Screen {
  const view = createEventViews(journal)
  let printed = Promise.resolve()
  return {
    observe(events) {
      for (const event of events)
        printed = printed.then(async () => printJsonLine(await view(event), invocation))
    },
    say: () => {},
    conclude: () => {},
    close: () => printed,
  }
}

function conclusion(
  invocation: Invocation,
  paint: Paint,
  worked: Loop[],
  lost: number[],
  after: Concluded,
  held: TaskSummary[] = [],
): string[] {
  const columns = outputColumns(invocation)
  const tasks = worked.map(summarise)
  // A person who merged work by hand knows where it is, so there is no hint for it.
  const next = nextLines(tasks.filter(({ landed }) => after === 'work' || landed === null))
  return [
    ...taskLines([...tasks, ...held], { width: outputWidth(invocation), columns, paint, held: 'gathered' }),
    ...lost.map((task) => `- ${task}. was taken over or ended by another process`),
    ...next.map((line) => clip(line, columns)).map(paint.dim),
  ]
}
