import type { Engine } from '../app/engine.ts'
import type { Effort } from '../core/effort.ts'
import { UserError } from '../core/errors.ts'
import type { Role } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { roleInTurn, rolesOf } from '../core/roles.ts'
import { isUnderWay, waitsForTask } from '../core/standing.ts'
import type { TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/printable.ts'
import type { Store } from '../store/store.ts'
import { limitUntil, statusLine } from '../view/status-line.ts'
import { outputPaint } from './colours.ts'
import { exitCodes } from './exit-codes.ts'
import { print } from './print.ts'
import type { Screen } from './screen.ts'
import { exitCodeFor, type Foreground, withEngine } from './with-engine.ts'
import { findLoop } from './with-store.ts'

export interface WorkFlags {
  parallel?: number
  effort?: Effort
  watch?: boolean
  dryRun?: boolean
  plain?: boolean
  json?: boolean
}

export async function work(ids: number[], flags: WorkFlags): Promise<number> {
  return withEngine(flags, (foreground) => workWith(foreground, ids, flags))
}

async function workWith(
  { engine, store, screen, interruption }: Foreground,
  ids: number[],
  flags: WorkFlags,
): Promise<number> {
  await engine.noticeLanded()
  await checkIds(ids, store)
  const only = ids.length > 0 ? ids : null
  const ready = (await store.archive.tasks()).filter(
    (task) => isUnderWay(task) && (only?.includes(task.id) ?? true),
  )
  await engine.check(only)
  if (flags.dryRun) return dryRun(ready, engine, store, flags)
  // Said once and before anything is claimed: no branch can be made from here.
  if (ready.some((task) => task.branch === null)) await engine.ports.vcs.base()
  const held = await heldElsewhere(ids, engine)
  if (ready.length === 0 && !flags.watch) {
    engine.catchUp()
    if (!flags.json) print('Nothing to do. umpire status shows where the tasks stand.')
    return exitCodes.done
  }
  await tellWaits(ready, engine, store, screen)
  const { worked, lost, stoppedAt } = await engine.work(
    {
      only,
      parallel: flags.parallel ?? engine.parallel,
      watch: flags.watch ?? false,
      effort: flags.effort ?? null,
    },
    interruption.signal,
  )
  screen.conclude(worked, lost)
  const interrupted = interruption.code()
  if (interrupted !== null) return interrupted
  if (stoppedAt !== null) await tellStop(stoppedAt, only, worked, store)
  const waiting = await waitingForAnother(ids, store)
  return exitCodeFor(worked, held + waiting + (only ? lost.length : 0))
}

/** A wait that goes on from an earlier run was said by that one; here it would look as if nothing happened. */
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
    // Another agent has the role by now and is not waited for.
    if (ports.settings.cast(roleInTurn(loop), loop.task).agent.name !== waitsFor.agent) continue
    screen.say(`#${id} waits for ${limitUntil(waitsFor, now)}. umpire retry ${id} tries it at once.`)
  }
}

/** Whoever is not logged in would fail at each of the others as well. */
async function tellStop(at: number, only: number[] | null, worked: Loop[], store: Store): Promise<void> {
  const left = (await store.archive.tasks()).filter(
    ({ id, status }) => isUnderWay({ status }) && (only?.includes(id) ?? true),
  )
  const begun = left.filter(({ id }) => worked.some((loop) => loop.id === id)).length
  const count = (number: number) => `${number} ${number === 1 ? 'task' : 'tasks'}`
  const putBack = begun === 0 ? '' : `, ${count(begun)} put back in good order`
  process.stderr.write(
    `umpire: Stopped at task ${at}: its agent has no valid login or credit. ${count(left.length - begun)} left untouched${putBack}.\n` +
      `umpire: Once that is mended: umpire retry ${at}, then umpire work.\n`,
  )
}

/** Of the tasks that were asked for by number: how many could not begin, because what they are for is not done. */
async function waitingForAnother(ids: number[], store: Store): Promise<number> {
  let waiting = 0
  for (const id of ids) {
    const loop = await store.archive.loop(id)
    const other = loop && loop.task.of !== null ? await store.archive.loop(loop.task.of) : null
    if (loop?.status !== 'pending' || !other || !waitsForTask(loop, other)) continue
    process.stderr.write(
      `umpire: Task ${id} waits for task ${other.id}, which is ${other.status}. umpire work ${other.id} ${id} does both.\n`,
    )
    waiting += 1
  }
  return waiting
}

/** Of the tasks that were asked for by number: how many another process works on. */
async function heldElsewhere(ids: number[], engine: Engine): Promise<number> {
  const holders = await engine.holders()
  const held = ids.filter((id) => holders.has(id))
  for (const id of held) {
    process.stderr.write(
      `umpire: Task ${id} is being worked on by ${oneLine(holders.get(id) ?? '')}. umpire status shows how it stands.\n`,
    )
  }
  return held.length
}

async function checkIds(ids: number[], store: Store): Promise<void> {
  for (const id of ids) {
    const { status, recovery } = await findLoop(id, store)
    if (isUnderWay({ status }) || status === 'completed') continue
    const next =
      status === 'cancelled' ? `umpire retry ${id} takes it up again.` : `Next: ${recovery.join(', or ')}.`
    throw new UserError(`Task ${id} is ${status}.`, next)
  }
}

async function dryRun(
  tasks: TaskSummary[],
  { ports }: Engine,
  store: Store,
  flags: WorkFlags,
): Promise<number> {
  const paint = outputPaint(flags)
  for (const summary of tasks) {
    const loop = await findLoop(summary.id, store)
    const policy = ports.settings.policyFor(loop.task)
    const roles = rolesOf(loop, policy)
    const nameOf = (role: Role) => oneLine(ports.settings.cast(role, loop.task).agent.name)
    const cast = (['developer', 'reviewer'] as const).map(
      (role) => `${role} ${roles.includes(role) ? nameOf(role) : 'nobody'}`,
    )
    if (ports.settings.hasParser && roles.includes('reviewer')) cast.push(`parser ${nameOf('parser')}`)
    const gates = policy.gates.map((gate) => oneLine(gate.name)).join(', ') || 'none'
    print(statusLine(summary, paint))
    print(`    ${cast.join(', ')}, at most ${policy.maxCycles} reviews, gates: ${gates}`)
  }
  if (tasks.length === 0) print('Nothing to do.')
  return exitCodes.done
}
