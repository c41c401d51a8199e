/** Keeps the live view of the running tasks up to date: after every event, and once a second for the clock. */
import type { ReadLine } from '../../app/line-reader.ts'
import type { StoredEvent } from '../../core/event.ts'
import { runningSessions } from '../../core/loop.ts'
import { coalesce } from '../../lib/concurrency.ts'
import type { Paint } from '../../lib/text/paint.ts'
import type { Archive } from '../../store/archive.ts'
import { createProgress } from '../../view/progress.ts'
import { doing, type LiveTask, renderLive } from '../../view/render-live.ts'
import { openLiveRegion, type Terminal } from './live-region.ts'

export interface LiveScreenParts {
  terminal: Terminal
  archive: Pick<Archive, 'loop' | 'lastMessage'>
  readLine: ReadLine
  paint: Paint
  now: () => Date
}

/** The shortest time between two frames. A reader can't follow more, and each frame costs the terminal some work. */
const frameMs = 200
const tickMs = 1000

export function openLiveScreen({ terminal, archive, readLine, paint, now }: LiveScreenParts) {
  const region = openLiveRegion(terminal)
  const progress = createProgress('what is not live', paint)
  const tasks = new Map<number, LiveTask>()
  /** Tasks with new events since they were last read, with the time of the event. */
  const stirred = new Map<number, string>()
  let drawing: Promise<void> | null = null
  let state: 'live' | 'concluded' = 'live'

  async function refresh(): Promise<void> {
    for (const [id, at] of [...stirred]) {
      stirred.delete(id)
      const loop = await archive.loop(id)
      if (loop?.standing.status !== 'in_progress') tasks.delete(id)
      else tasks.set(id, { ...afterwards(tasks.get(id), at, doing(loop)), loop })
    }
    for (const [id, task] of tasks) {
      const [session = null] = runningSessions(task.loop)
      const message = session && (await archive.lastMessage(session.session))
      // A line without text does not replace the line before it, as long as both are from the same session.
      const same = session?.session === task.saidIn ? task.said : null
      const said = session && message ? readLine(session.agent, message) || same : same
      if (tasks.get(id) === task) tasks.set(id, { ...task, said, saidIn: session?.session ?? null })
    }
    if (state === 'live') region.draw(renderLive([...tasks.values()], now(), region.room(), paint))
  }

  /** A frame that can't be drawn must not stop the work. The next frame may succeed, and the conclusion is always printed. */
  function frame(): void {
    drawing ??= refresh()
      .catch(() => {})
      .finally(() => {
        drawing = null
        if (stirred.size > 0) frames.ask()
      })
  }

  const frames = coalesce(frame, frameMs)
  const ticks = setInterval(frames.ask, tickMs)
  ticks.unref()

  return {
    observe(events: StoredEvent[]): void {
      for (const { stream, at } of events) {
        if (stream.startsWith('task/')) stirred.set(Number(stream.slice('task/'.length)), at)
      }
      const lines = events.flatMap((event) => progress(event)?.split('\n') ?? [])
      if (lines.length > 0) region.print(lines)
      frames.ask()
    },
    print: region.print,
    /** Ends the live view and prints the lines that stay on the screen. */
    conclude(lines: string[]): void {
      state = 'concluded'
      region.draw([])
      region.print(lines)
    },
    async close(): Promise<void> {
      state = 'concluded'
      clearInterval(ticks)
      frames.stop()
      await drawing
      region.draw([])
      region.close()
    },
  }
}

function afterwards(
  before: LiveTask | undefined,
  at: string,
  what: string | null,
): Pick<LiveTask, 'since' | 'said' | 'saidIn'> {
  const same = before !== undefined && (what === null || doing(before.loop) === what)
  return { since: same ? before.since : at, said: before?.said ?? null, saidIn: before?.saidIn ?? null }
}
