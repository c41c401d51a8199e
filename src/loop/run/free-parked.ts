/**
 * Frees loops that were parked because a budget was used up, once their next session fits into the budgets again: at the
 * start of a run, when a new day starts, and when another loop of the run ends and has cost less than was reserved.
 */
import { NoAgentError } from '../../core/errors.ts'
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import { type BudgetRefusal, calendarDay, isWorthAsking } from '../../core/schedule/budget.ts'
import type { ParkedTask } from '../../core/schedule/out-of-budget.ts'
import { isParked } from '../../core/standing.ts'
import { isAsked } from '../../core/summary.ts'
import type { Ports } from '../ports.ts'
import { record } from '../record.ts'
import type { Listed } from './landed-work.ts'

export interface Parked {
  /** Only these tasks; null for all. */
  only: number[] | null
  /** The run that would continue them; null for a future run. */
  run: number | null
}

/** Returns the tasks that continue. Each is checked separately, and the first one that asks gets what is left of the budget. */
export async function freeParked({ only, run }: Parked, tasks: Listed[], ports: Ports): Promise<number[]> {
  const freed: number[] = []
  for (const { id } of parkedAmong(tasks, only))
    if (await record(id, (now) => freedEvent(now, run, ports), ports)) freed.push(id)
  return freed
}

/** The parked tasks, and which budgets they wait for. */
export async function findParked(
  only: number[] | null,
  tasks: Listed[],
  ports: Ports,
): Promise<ParkedTask[]> {
  const parked: ParkedTask[] = []
  for (const { id } of parkedAmong(tasks, only)) {
    const refusal = await lastRefusal(id, ports)
    parked.push({ id, short: refusal?.left.map(({ budget }) => budget) ?? [] })
  }
  return parked
}

function parkedAmong(tasks: Listed[], only: number[] | null): Listed[] {
  return tasks.filter((task) => isParked(task) && isAsked(only, task.id))
}

async function freedEvent(loop: Loop | null, run: number | null, ports: Ports): Promise<NewEvent | null> {
  if (!loop || !isParked(loop.standing) || !(await fits(loop, run, ports))) return null
  return { type: 'loop.freed', data: { why: 'the budget has room for its next session' } }
}

async function fits(loop: Loop, run: number | null, ports: Ports): Promise<boolean> {
  const { settings, spending, clock } = ports
  const refusal = await lastRefusal(loop.id, ports)
  if (!refusal) return true
  try {
    const { role } = refusal
    const { agent, model } = settings.cast(role, loop.task)
    const { grant, accounts } = await spending.estimate({
      ...{ role, agent: agent.name, model, limits: settings.budget },
      ...{ task: loop.id, run, day: calendarDay(clock.now()) },
    })
    return isWorthAsking(refusal, grant, accounts)
  } catch (error) {
    // This task stays parked. The others are still checked.
    if (error instanceof NoAgentError) return false
    throw error
  }
}

async function lastRefusal(task: number, { journal }: Ports): Promise<BudgetRefusal | null> {
  const blocked = (await journal.list({ stream: `task/${task}`, types: ['loop.blocked'] })).at(-1)
  return blocked?.type === 'loop.blocked' ? (blocked.data.refusal ?? null) : null
}

/** Manages the parked loops of one run. */
export interface Parking {
  /** Frees and offers the tasks that can continue now, and returns them. */
  look(tasks: Listed[]): Promise<number[]>
  close(): void
}

export function openParking(parked: Parked, ports: Ports, offer: (task: number) => Promise<void>): Parking {
  const closing = new AbortController()
  const look = async (tasks: Listed[]) => {
    const freed = await freeParked(parked, tasks, ports)
    for (const task of freed) await offer(task)
    return freed
  }
  async function lookEachDay(): Promise<void> {
    for (;;) {
      await ports.clock.until(calendarDay(ports.clock.now()).until, closing.signal)
      // Errors of the store are reported by other steps. Here the next attempt is tomorrow.
      await ports.archive
        .standings()
        .then(look)
        .catch(() => {})
    }
  }
  void lookEachDay().catch(() => {})
  return { look, close: () => closing.abort() }
}
