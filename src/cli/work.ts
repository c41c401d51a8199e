import { type Engine, openEngine } from '../app/engine.ts'
import type { Effort } from '../core/effort.ts'
import { UserError } from '../core/errors.ts'
import type { StoredEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { summarise, type TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/printable.ts'
import type { Store } from '../store/store.ts'
import { createProgress } from '../view/progress-line.ts'
import { statusLine } from '../view/status-line.ts'
import { printEvent } from './events.ts'
import { exitCodes } from './exit-codes.ts'
import { print } from './print.ts'
import { findLoop, writeStore } from './with-store.ts'

export interface WorkFlags {
  parallel?: number
  effort?: Effort
  watch?: boolean
  dryRun?: boolean
  plain?: boolean
  json?: boolean
}

export async function work(ids: number[], flags: WorkFlags): Promise<number> {
  const interruption = listenForSignals()
  try {
    return await writeStore(async (store, repository) => {
      await checkIds(ids, store)
      const progress = createProgress()
      const observe = (events: StoredEvent[]) => {
        for (const event of events) show(event, progress, flags)
      }
      const engine = await openEngine(repository, store, { effort: flags.effort ?? null, observe })
      try {
        return await workWith(engine, ids, flags, store, interruption)
      } finally {
        await engine.close()
      }
    })
  } finally {
    interruption.stop()
  }
}

async function workWith(
  engine: Engine,
  ids: number[],
  flags: WorkFlags,
  store: Store,
  interruption: ReturnType<typeof listenForSignals>,
): Promise<number> {
  const only = ids.length > 0 ? ids : null
  const ready = (await store.archive.tasks()).filter(
    (task) => isReady(task) && (only?.includes(task.id) ?? true),
  )
  await checkCast(ready, engine, store)
  if (flags.dryRun) return dryRun(ready, engine, store)
  // Said once and before anything is claimed: no branch can be made from here.
  if (ready.some((task) => task.branch === null)) await engine.ports.vcs.base()
  const held = await heldElsewhere(ids, engine)
  if (ready.length === 0 && !flags.watch) {
    if (!flags.json) print('Nothing to do. umpire status shows where the tasks stand.')
    return exitCodes.done
  }
  const { worked, lost } = await engine.work(
    {
      only,
      parallel: flags.parallel ?? engine.parallel,
      watch: flags.watch ?? false,
      effort: flags.effort ?? null,
    },
    interruption.signal,
  )
  if (!flags.json) conclude(worked, lost)
  return interruption.code() ?? exitCodeFor(worked, held + (only ? lost.length : 0))
}

/** Of the tasks that were asked for by number: how many another process works on. */
async function heldElsewhere(ids: number[], engine: Engine): Promise<number> {
  const holders = await engine.holders()
  const held = ids.filter((id) => holders.has(id))
  for (const id of held) {
    process.stderr.write(
      `umpire: Task ${id} is being worked on by ${holders.get(id)}. umpire status shows how it stands.\n`,
    )
  }
  return held.length
}

/** Ctrl-C and SIGTERM end the agents and save the state; a second one does not wait for that. */
function listenForSignals() {
  const controller = new AbortController()
  let received: number | null = null
  const on = (code: number) => () => {
    if (received !== null) process.exit(code)
    received = code
    controller.abort()
  }
  const onInterrupt = on(exitCodes.interrupted)
  const onTerminate = on(exitCodes.terminated)
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  return {
    signal: controller.signal,
    code: () => received,
    stop() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
    },
  }
}

function isReady(task: TaskSummary): boolean {
  return task.status === 'pending' || task.status === 'in_progress'
}

async function checkIds(ids: number[], store: Store): Promise<void> {
  for (const id of ids) {
    const { status, recovery } = await findLoop(id, store)
    if (status === 'pending' || status === 'in_progress' || status === 'completed') continue
    const next =
      status === 'cancelled' ? 'File a new one with umpire add.' : `Next: ${recovery.join(', or ')}.`
    throw new UserError(`Task ${id} is ${status}.`, next)
  }
}

/** Finds out before anything runs whether somebody is there for every role. */
async function checkCast(tasks: TaskSummary[], { ports }: Engine, store: Store): Promise<void> {
  for (const { id } of tasks) {
    const { task } = await findLoop(id, store)
    ports.settings.cast('developer', task)
    if (ports.settings.policyFor(task).reviewed) ports.settings.cast('reviewer', task)
  }
}

async function dryRun(tasks: TaskSummary[], { ports }: Engine, store: Store): Promise<number> {
  for (const summary of tasks) {
    const { task } = await findLoop(summary.id, store)
    const policy = ports.settings.policyFor(task)
    const developer = ports.settings.cast('developer', task).agent.name
    const reviewer = policy.reviewed ? ports.settings.cast('reviewer', task).agent.name : 'nobody'
    const gates = policy.gates.map((gate) => gate.name).join(', ') || 'none'
    print(`${statusLine(summary)}`)
    print(
      `    developer ${developer}, reviewer ${reviewer}, at most ${policy.maxCycles} reviews, gates: ${gates}`,
    )
  }
  if (tasks.length === 0) print('Nothing to do.')
  return exitCodes.done
}

function show(event: StoredEvent, progress: ReturnType<typeof createProgress>, flags: WorkFlags): void {
  if (flags.json) return printEvent(event, true)
  const line = progress(event)
  if (line !== null) print(line)
}

function conclude(worked: Loop[], lost: number[]): void {
  for (const loop of worked) {
    print(statusLine(summarise(loop)))
    if (loop.status === 'blocked' || loop.status === 'failed') {
      print(`    ${oneLine(loop.detail ?? '', 200)}`)
      print(`    next: ${loop.recovery.join('  ·  ')}`)
    }
  }
  for (const task of lost) print(`- ${task}. was taken over or ended by somebody else`)
}

/** `unseen` tasks were asked for, but somebody else has them or ended them: this call can't say that they are done. */
function exitCodeFor(worked: Loop[], unseen: number): number {
  if (unseen > 0 || worked.some((loop) => loop.status === 'failed')) return exitCodes.failed
  if (worked.some((loop) => loop.status === 'blocked' || loop.status === 'awaiting_review'))
    return exitCodes.personNeeded
  return exitCodes.done
}
