import type { Engine } from '../../app/engine.ts'
import { UserError } from '../../core/errors.ts'
import { enumerated } from '../../core/listed.ts'
import type { Loop } from '../../core/loop.ts'
import type { Effort } from '../../core/policy/effort.ts'
import { roleInTurn } from '../../core/policy/roles-in-turn.ts'
import { describeParked, type ParkedTask } from '../../core/schedule/out-of-budget.ts'
import { schedule } from '../../core/schedule/schedule.ts'
import type { TaskStanding } from '../../core/schedule/task-standing.ts'
import { isUnderWay } from '../../core/standing.ts'
import { type Asked, isAsked, type TaskSummary } from '../../core/summary.ts'
import { oneLine } from '../../lib/text/printable.ts'
import type { Store } from '../../store/store.ts'
import { limitUntil } from '../../view/status-line.ts'
import type { Invocation } from '../invocation.ts'
import { print } from '../screen/output.ts'
import type { Screen } from '../screen/screen.ts'
import { findLoop } from '../with-store.ts'
import { dryRun } from './dry-run.ts'
import { exitCodeFor, type Foreground, withEngine } from './with-engine.ts'

export interface WorkFlags {
  parallel?: number
  effort?: Effort
  budget?: number
  watch?: boolean
  dryRun?: boolean
  plain?: boolean
  json?: boolean
}

export async function runWork(ids: number[], flags: WorkFlags, invocation: Invocation): Promise<number> {
  return withEngine(invocation, flags, (foreground) => workWith(foreground, ids, flags))
}

export async function workWith(
  { engine, store, screen, interruption, invocation }: Foreground,
  ids: number[],
  flags: WorkFlags,
): Promise<number> {
  const only = ids.length > 0 ? ids : null
  if (flags.dryRun) {
    await checkIds(ids, store)
    return dryRun({ only, tasks: await store.archive.tasks() }, engine, store, flags, invocation)
  }
  const prepared = await engine.prepare(only)
  await checkIds(ids, store)
  await engine.check(prepared)
  const open = prepared.tasks.filter((task) => isUnderWay(task) && isAsked(only, task.id))
  // Throws if no branch can be made from here. This way the error appears once, before any task is claimed.
  if (open.some((task) => task.branch === null)) await engine.ports.vcs.base()
  const held = await heldElsewhere(ids, engine, invocation)
  if (open.length === 0 && !flags.watch) {
    engine.catchUp()
    const parked = await engine.parked(prepared)
    const nothing = 'Nothing to do. umpire status shows all tasks.'
    if (!flags.json) print(parked.length > 0 ? moneyWords(parked, engine) : nothing, invocation)
    return exitCodeFor([], 0, prepared.schedule.held.length + parked.length)
  }
  await tellWaits(open, engine, store, screen)
  tellMissing(ids, prepared.schedule.standings, invocation)
  const {
    worked,
    lost,
    held: heldSince,
    stoppedAt,
  } = await engine.work(
    {
      only,
      parallel: flags.parallel ?? engine.parallel,
      watch: flags.watch ?? false,
      effort: flags.effort ?? null,
    },
    interruption.signal,
    prepared,
  )
  const after = { only, tasks: await store.archive.tasks() }
  const parked = await engine.parked(after)
  // The conclusion below already reports the tasks that this run parked itself.
  const before = parked.filter(({ id }) => worked.every((loop) => loop.id !== id))
  if (before.length > 0) screen.say(moneyWords(before, engine))
  screen.conclude(worked, lost, 'work', heldByOthers(after))
  const interrupted = interruption.code()
  if (interrupted !== null) return interrupted
  if (stoppedAt !== null) tellStop(stoppedAt, after, worked, invocation)
  const waiting = await waitingOf(ids, heldSince, store)
  return exitCodeFor(worked, held + (only ? lost.length : 0), waiting.length + parked.length)
}

function moneyWords(parked: ParkedTask[], { ports }: Engine): string {
  return describeParked(parked, ports.settings.budget)
}

/** The tasks that were asked for but can't start, because a person must look at another task first. */
function heldByOthers({ only, tasks }: Asked): TaskSummary[] {
  return tasks.filter(
    ({ id, status, heldBy }) => status === 'blocked' && heldBy?.length > 0 && isAsked(only, id),
  )
}

/** Reports waits that started in an earlier run. Without this, it would look as if nothing happened. */
async function tellWaits(
  tasks: TaskSummary[],
  { ports }: Engine,
  store: Store,
  screen: Screen,
): Promise<void> {
  const now = new Date()
  for (const { id, waitsFor } of tasks) {
    if (waitsFor === null || Date.parse(waitsFor.until) <= now.getTime()) continue
    const loop = await findLoop(id, store)
    // Another agent has the role now, and the wait does not apply to it.
    if (ports.settings.cast(roleInTurn(loop), loop.task).agent.name !== waitsFor.agent) continue
    screen.say(`#${id} waits for ${limitUntil(waitsFor, now)}. umpire retry ${id} retries it now.`)
  }
}

/** The run stops because an agent that is not logged in would fail at every other task as well. */
function tellStop(at: number, { only, tasks }: Asked, worked: Loop[], { stderr }: Invocation): void {
  const left = tasks.filter(({ id, status }) => isUnderWay({ status }) && isAsked(only, id))
  const begun = left.filter(({ id }) => worked.some((loop) => loop.id === id)).length
  const count = (number: number) => `${number} ${number === 1 ? 'task' : 'tasks'}`
  const putBack = begun === 0 ? '' : ` ${count(begun)} put back into the queue.`
  stderr.write(
    `umpire: Stopped at task ${at}: its agent is not logged in or has no credit. ${count(left.length - begun)} not started.${putBack}\n` +
      `umpire: Log in or add credit, then run umpire retry ${at} and umpire work.\n`,
  )
}

/** Counts the tasks that were asked for by number and that another process works on. */
async function heldElsewhere(ids: number[], engine: Engine, { stderr }: Invocation): Promise<number> {
  const holders = await engine.holders()
  const held = ids.filter((id) => holders.has(id))
  for (const id of held) {
    stderr.write(
      `umpire: Another process (${oneLine(holders.get(id) ?? '')}) is already working on task ${id}. umpire status shows its progress.\n`,
    )
  }
  return held.length
}

async function checkIds(ids: number[], store: Store): Promise<void> {
  for (const id of ids) {
    const {
      standing: { status, reason, recovery, heldBy, detail },
    } = await findLoop(id, store)
    if (isUnderWay({ status }) || status === 'completed' || reason === 'budget') continue
    const next =
      status === 'cancelled' ? `umpire retry ${id} reopens it.` : `Next: ${recovery.join(', or ')}.`
    if (heldBy) throw new UserError(`Task ${id} can't start. ${detail}`, next)
    throw new UserError(`Task ${id} is ${status}.`, next)
  }
}

/** Says which of these tasks can't start in this run, because they wait for tasks that are not part of it. */
function tellMissing(ids: number[], standings: TaskStanding[], { stderr }: Invocation): void {
  if (ids.length === 0) return
  const { waits } = schedule(standings)
  for (const { task, for: others } of waits) {
    const missing = ids.includes(task) ? others.filter((id) => !ids.includes(id)) : []
    if (missing.length === 0) continue
    const command = ['umpire work', ...withAllNeeded(ids, waits)].join(' ')
    const which =
      missing.length === 1 ? `task ${missing[0]}, which is` : `tasks ${enumerated(missing)}, which are`
    stderr.write(
      `umpire: Task ${task} waits for ${which} not part of this run. To run all of them: ${command}\n`,
    )
  }
}

/** Returns the tasks of `ids` that still wait for others, and the tasks of `held` that are still held. */
async function waitingOf(ids: number[], held: number[], store: Store): Promise<number[]> {
  if (ids.length === 0 && held.length === 0) return []
  const standings = await store.archive.standings()
  const stillHeld = standings.filter(({ id, heldFor }) => heldFor !== null && held.includes(id))
  const waiting = schedule(standings).waits.filter(({ task }) => ids.includes(task))
  return [...stillHeld.map(({ id }) => id), ...waiting.map(({ task }) => task)]
}

function withAllNeeded(ids: number[], waits: { task: number; for: number[] }[]): number[] {
  const befores = new Map(waits.map(({ task, for: others }) => [task, others]))
  const needed = new Set(ids)
  // Iterating a set also visits the elements that are added during the iteration.
  for (const id of needed) for (const other of befores.get(id) ?? []) needed.add(other)
  return [...needed].sort((one, other) => one - other)
}
