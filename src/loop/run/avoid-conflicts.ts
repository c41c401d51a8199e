/**
 * Looks, before a task is started beside others, whether one of those that run seems to be about the same files. Then it
 * waits until that one rests, and another task is taken; or it is started all the same and its person told, as the
 * settings want it. What ran together before is never kept apart, and the last one is never kept waiting.
 */
import type { EventData } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { namedPaths, overlapOf, type Running } from '../../core/schedule/overlap.ts'
import type { WorkSource } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { record } from '../record.ts'

export interface ConflictAvoidance {
  /** The first of these that is to be started now; null when all of them wait for one that runs. */
  choose(candidates: number[]): Promise<number | null>
  begun(task: number): void
  ended(task: number): void
}

/** What a loop has touched changes all the time, and asking takes a while. */
const freshForMs = 5_000

export function avoidConflicts(
  ports: Ports,
  queue: Pick<WorkSource, 'holders'>,
  isResting: (task: number) => boolean,
): ConflictAvoidance {
  const own = new Set<number>()
  /** By the task that waits: the running one behind which it does. */
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
    // One that has just begun, or is just being put away, has nothing to be asked for.
    const touched =
      loop.work.place && loop.turn.iteration > 0
        ? await ports.vcs.touched(loop.work.place).catch(() => [])
        : []
    return { named: namedPaths(loop.task), touched }
  }

  /** False when it has to be said again. */
  async function tell(loop: Loop, overlap: EventData['task.overlaps']): Promise<boolean> {
    const pair = `${loop.id}/${overlap.with}`
    if (told.has(pair) || (loop.standing.deferred?.behind === overlap.with && overlap.does === 'waits'))
      return true
    const event = { type: 'task.overlaps', data: overlap } as const
    // When somebody does something with the task in this instant, the overlap may be over.
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
      // What it begins with follows from what is recorded, so nothing is taken for granted before that is.
      if (isTold) behind.set(candidate, id)
      return false
    }
    return true
  }

  return {
    async choose(candidates) {
      const [first] = candidates
      const ownRunning = [...own].filter((task) => !isResting(task))
      // With nothing of its own to wait for, the run would end and leave the task behind.
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
