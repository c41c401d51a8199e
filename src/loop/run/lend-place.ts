/**
 * A task that waits for its agent's rate limit lends its place in the run to another task. Tasks that would meet the same
 * limit are skipped until the limit is over.
 */
import { NoAgentError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import { later, limitWaitedFor } from '../../core/policy/failure.ts'
import { roleInTurn } from '../../core/policy/roles-in-turn.ts'
import { isUnderWay } from '../../core/standing.ts'
import { isAsked, type TaskSummary } from '../../core/summary.ts'
import type { HeldTask } from '../../queue/work-source.ts'
import type { Ports } from '../ports.ts'
import { worthLendingMs } from '../session/wait-before.ts'

export interface Lending {
  /** The tasks that must not start now. */
  passOver: () => number[]
  /** Finds which of these tasks would have to wait when they start, except tasks that another process has. */
  expectWaits(tasks: TaskSummary[], heldElsewhere: ReadonlyMap<number, string>): Promise<void>
  /** Whether the task waits and has lent its place. */
  isResting: (task: number) => boolean
  of(hold: Pick<HeldTask, 'task' | 'rest'>): Pick<Ports, 'rest'>
  /** Called when the task is released. */
  forget(task: number): void
}

export function createLending(only: number[] | null, ports: Ports): Lending {
  /** For each waiting task, the tasks that would only wait with it. */
  const alike = new Map<number, number[]>()
  const resting = new Set<number>()

  async function wantedOf(tasks: TaskSummary[]): Promise<Loop[]> {
    const found: Loop[] = []
    for (const { id, status } of tasks) {
      if (!isUnderWay({ status }) || !isAsked(only, id)) continue
      const loop = await ports.archive.loop(id)
      if (loop) found.push(loop)
    }
    return found
  }

  function tasksFor(agent: string, loops: Loop[]): number[] {
    return loops.filter((loop) => nextAgent(loop, ports) === agent).map(({ id }) => id)
  }

  /** The agent whose limit it will wait for, if the wait is long enough to matter. */
  function waitsFor(loop: Loop): string | null {
    const limit = limitWaitedFor(loop)
    const soon = later(ports.clock.now().toISOString(), worthLendingMs)
    return limit && limit.until > soon && nextAgent(loop, ports) === limit.agent ? limit.agent : null
  }

  return {
    passOver: () => [...alike.values()].flat(),
    async expectWaits(tasks, heldElsewhere) {
      const loops = await wantedOf(tasks)
      const waiting = new Map<number, string>()
      for (const loop of loops) {
        const agent = heldElsewhere.has(loop.id) ? null : waitsFor(loop)
        if (agent !== null) waiting.set(loop.id, agent)
      }
      // The waiting tasks themselves do start, because one task has to do the waiting.
      for (const [id, agent] of waiting)
        alike.set(
          id,
          tasksFor(agent, loops).filter((other) => !waiting.has(other)),
        )
    },
    of: ({ task, rest }) => ({
      async rest(agent, wait) {
        alike.set(task, tasksFor(agent, await wantedOf(await ports.archive.tasks())))
        resting.add(task)
        await rest(wait().finally(() => alike.delete(task)))
        resting.delete(task)
      },
    }),
    isResting: (task) => resting.has(task),
    forget(task) {
      alike.delete(task)
      resting.delete(task)
    },
  }
}

/** The agent that the task needs first; null if none is configured, which the start of the task reports. */
function nextAgent(loop: Loop, { settings }: Ports): string | null {
  try {
    return settings.cast(roleInTurn(loop), loop.task).agent.name
  } catch (error) {
    if (error instanceof NoAgentError) return null
    throw error
  }
}
