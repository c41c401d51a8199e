/**
 * Before a task starts, checks whether a running task seems to change the same files. If so, the task waits until that one
 * rests, and another task starts; or it starts anyway and the person is told, depending on the settings. Tasks that ran
 * together before are never separated, and the last task never waits.
 */
import type { EventData } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { namedPaths, overlapOf, type Running } from '../../core/schedule/overlap.ts'
import type { WorkSource } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { record } from '../record.ts'

export interface ConflictAvoidance {
  /** The first of these tasks that may start now; null if all of them wait for a running one. */
  choose(candidates: number[]): Promise<number | null>
  begun(task: number): void
  ended(task: number): void
}

/** How long the list of a loop's changed files is reused. It changes all the time, but reading it takes a while. */
const freshForMs = 5_000

export function avoidConflicts(
  ports: Ports,
  queue: Pick<WorkSource, 'holders'>,
  isResting: (task: number) => boolean,
): ConflictAvoidance {
  const own = new Set<number>()
  /** For each waiting task, the running task that it waits for. */
  const behind = new Map<number, number>()
  const told = new Set<string>()
  const known = new Map<number, { at: number; running: Promise<Running> }>()
  const does = ports.settings.avoidConflicts ? 'waits' : 'starts'

  function lookAt(id: number): Promise<Running> {
    const now = ports.clock.now().getTime()
    const before = known.get(id)
    if (before && now - before.at < freshForMs) return before.running
    const running = readRunning(id)
    known.set(id, { at: now, running })
    return running
  }

  async function readRunning(id: number): Promise<Running> {
    const loop = await ports.archive.loop(id)
    if (!loop) return { named: [], touched: [] }
    // A loop that has just started, or is just being cleaned up, has no files to compare.
    const touched =
      loop.work.place && loop.turn.iteration > 0
        ? await ports.vcs.touched(loop.work.place).catch(() => [])
        : []
    return { named: namedPaths(loop.task), touched }
  }

  /** Returns false if it must be recorded again. */
  async function tell(loop: Loop, overlap: EventData['task.overlaps']): Promise<boolean> {
    const pair = `${loop.id}/${overlap.with}`
    if (told.has(pair) || (loop.standing.deferred?.behind === overlap.with && overlap.does === 'waits'))
      return true
    const event = { type: 'task.overlaps', data: overlap } as const
    // If another process changes the task right now, the overlap may be over.
    const recorded = await record(loop.id, (now) => (now === loop ? event : null), ports, loop)
    if (recorded) told.add(pair)
    return recorded !== null
  }

  async function mayStart(candidate: number, running: number[]): Promise<boolean> {
    const before = behind.get(candidate)
    if (before !== undefined && running.includes(before)) return false
    behind.delete(candidate)
    const loop = await ports.archive.loop(candidate)
    const named = loop && !loop.work.place ? namedPaths(loop.task) : []
    if (!loop || named.length === 0) return true
    for (const id of running) {
      const files = overlapOf(named, await lookAt(id))
      if (files.length === 0) continue
      const isTold = await tell(loop, { with: id, files, does })
      if (does === 'starts') continue
      // The commit it starts with depends on the recorded overlap, so nothing happens before that is recorded.
      if (isTold) behind.set(candidate, id)
      return false
    }
    return true
  }

  return {
    async choose(candidates) {
      const [first] = candidates
      const ownRunning = [...own].filter((task) => !isResting(task))
      // If no task of this run is running, the run would end and leave the waiting task behind.
      if (first === undefined || ownRunning.length === 0) return first ?? null
      const elsewhere = [...(await queue.holders()).keys()].filter((task) => !own.has(task))
      const running = [...ownRunning, ...elsewhere]
      for (const task of candidates)
        if (
          await mayStart(
            task,
            running.filter((id) => id !== task),
          )
        )
          return task
      return null
    },
    begun: (task) => void own.add(task),
    ended(task) {
      own.delete(task)
      known.delete(task)
    },
  }
}
