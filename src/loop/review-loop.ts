/**
 * The story of one task, and the place to start reading. A worker claims the loop, and then: decide what comes next,
 * do it, append what happened, until there is nothing left to do. The rules are in `core/decide.ts`, what each step
 * does to the world is in `perform.ts`, and the journal alone says where the loop stands, so a worker can die at any
 * line of this file and the next one goes on from the last append.
 */

import { decide } from '../core/decide.ts'
import {
  ConflictError,
  LostClaimError,
  NoAgentError,
  StoreError,
  UserError,
  VcsError,
} from '../core/errors.ts'
import type { EventType, NewEvent, StoredEvent, Stream } from '../core/event.ts'
import { evolve, foldLoop } from '../core/evolve.ts'
import type { Loop } from '../core/loop.ts'
import { recoveryFrom } from '../core/person/recovery.ts'
import { schedule } from '../core/schedule/schedule.ts'
import { isUnderWay } from '../core/standing.ts'
import type { Step } from '../core/step.ts'
import { type Lent, lendPorts } from './check/network-ports.ts'
import { type Companions, createCompanions } from './companions.ts'
import { claimGuard, guardPorts } from './guard-ports.ts'
import { perform } from './perform.ts'
import type { Performed } from './performed.ts'
import type { Ports } from './ports.ts'
import { clearEnded, clearLeftovers } from './run/clear-leftovers.ts'
import { dropLanded } from './run/drop-landed.ts'

export interface Claim {
  task: number
  run: number
  /** Unique for this holding; whoever else claims the loop has another. */
  worker: string
  /** Throws when the work source has given the task to somebody else meanwhile, or to nobody. */
  confirm: () => Promise<void>
  /** Aborts when nothing new is to be begun. A session that runs is seen through to its end all the same. */
  closing: AbortSignal
}

/** Works on the task until it rests, and returns the state it rests in; null when there was nothing to do on it. */
export async function reviewLoop(claim: Claim, ports: Ports, signal: AbortSignal): Promise<Loop | null> {
  const claimed = await claimLoop(claim, ports)
  if (!claimed) return null
  const guard = claimGuard(claim, ports)
  try {
    const loop = await driveWithPorts(claimed, claim, guardPorts(ports, guard), signal)
    // A predecessor that woke up meanwhile may have finished making its clone before it noticed.
    await clearEnded(ports, claim.task)
    // A person who merges waits for that and not for a tidy folder; the next run or `umpire clean` sees to it.
    if (claimed.asked === null) await dropLanded(loop, ports)
    return loop
  } catch (error) {
    // What goes wrong for a worker that was taken over goes wrong because its successor has moved on.
    await guard()
    throw error
  }
}

/** What an earlier worker left is cleared away first: it may listen on the network ports that the loop had then. */
async function driveWithPorts(loop: Loop, claim: Claim, ports: Ports, signal: AbortSignal): Promise<Loop> {
  await clearLeftovers(loop, ports)
  let lent: Lent
  try {
    lent = await lendPorts(loop.id, ports)
  } catch (error) {
    return advance(loop, stopped(error, loop, signal).events, claim, ports)
  }
  try {
    return await drive(loop, claim, lent.ports, signal)
  } finally {
    await lent.release()
  }
}

async function drive(claimed: Loop, claim: Claim, ports: Ports, signal: AbortSignal): Promise<Loop> {
  const companions = createCompanions(claimed, ports, signal)
  try {
    return await goOn(claimed, companions, claim, ports, signal)
  } finally {
    await companions.close()
  }
}

async function goOn(
  claimed: Loop,
  companions: Companions,
  claim: Claim,
  ports: Ports,
  signal: AbortSignal,
): Promise<Loop> {
  let loop = claimed
  const closing = AbortSignal.any([signal, claim.closing])
  while (true) {
    companions.attend(loop)
    const step = decide(loop)
    if (step.do === 'rest') return loop
    // A session that was started is always attended to, so that an interruption ends its agent.
    if (closing.aborted && step.do !== 'attend') {
      await companions.settle()
      return release(loop, claim, ports)
    }
    const ending = step.do === 'attend' ? signal : closing
    const performed = await take(step, loop, companions, ports, ending).catch((error) =>
      stopped(error, loop, ending),
    )
    if (performed.events.some(isEnd)) await companions.end()
    else if (performed.events.includes(released)) await companions.settle()
    const { task } = loop
    loop =
      performed.events.length > 0
        ? await advance(loop, performed.events, claim, ports)
        : await reload(claim, ports)
    const failed = await performed.afterwards?.().catch((error) => stopped(error, loop, signal))
    if (failed) loop = await advance(loop, failed.events, claim, ports)
    // A person edited the task meanwhile: its limits and gates are what they say now.
    if (loop.claim && loop.task !== task && JSON.stringify(loop.task) !== JSON.stringify(task))
      loop = await advance(loop, [claimedEvent(loop, claim, ports)], claim, ports)
  }
}

function take(
  step: Exclude<Step, { do: 'rest' }>,
  loop: Loop,
  companions: Companions,
  ports: Ports,
  signal: AbortSignal,
): Promise<Performed> {
  if (step.do !== 'await') return perform(step, loop, ports, signal)
  return companions.next(loop).then(() => ({ events: [] }))
}

/** With it nothing more is wanted of who still runs beside. How far those came is recorded first. */
function isEnd({ type }: NewEvent): boolean {
  return ends.includes(type)
}

const ends: EventType[] = [
  'loop.approved',
  'loop.completed',
  'loop.awaiting_review',
  'loop.blocked',
  'loop.failed',
  'loop.landed',
]

/** From this append on, whatever an older holder of the loop still wants to write conflicts. */
async function claimLoop(claim: Claim, ports: Ports): Promise<Loop | null> {
  for (;;) {
    const loop = await loadLoop(claim.task, ports)
    if (!isUnderWay(loop.standing) || (await waitsForAnother(loop, ports))) return null
    // Between the load and the append: a worker that was frozen here and taken over fails at one or the other.
    await claim.confirm()
    try {
      return await append(loop, [claimedEvent(loop, claim, ports)], ports)
    } catch (error) {
      // Somebody edited or claimed the task in this instant: look again.
      if (!(error instanceof ConflictError)) throw error
    }
  }
}

/** What waits for other tasks is offered again by `work` when it may start. */
async function waitsForAnother({ id, standing: { status } }: Loop, { archive }: Ports): Promise<boolean> {
  return status === 'pending' && !schedule(await archive.standings()).ready.includes(id)
}

function claimedEvent({ task }: Loop, { run, worker }: Claim, { settings }: Ports): NewEvent {
  return { type: 'loop.claimed', data: { run, worker, policy: settings.policyFor(task) } }
}

/**
 * Appends what happened. When the stream moved on meanwhile, that is either a person's edit, beside which our facts
 * still stand, or another worker's claim, after which nothing of ours may be written.
 */
async function advance(loop: Loop, events: NewEvent[], claim: Claim, ports: Ports): Promise<Loop> {
  let known = loop
  for (;;) {
    try {
      return await append(known, events, ports)
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
    known = await reload(claim, ports)
  }
}

/** The loop as it is now, while it is still this worker's. */
async function reload({ task, worker }: Claim, ports: Ports): Promise<Loop> {
  const known = await loadLoop(task, ports)
  if (known.claim?.worker === worker) return known
  throw new LostClaimError(`Task ${task} was taken over or ended by somebody else; nothing more was written.`)
}

async function release(loop: Loop, claim: Claim, ports: Ports): Promise<Loop> {
  return advance(loop, [released], claim, ports)
}

const released: NewEvent = { type: 'loop.released', data: { why: 'interrupted' } }

async function append(loop: Loop, events: NewEvent[], ports: Ports): Promise<Loop> {
  const stored = await ports.journal.append(streamOf(loop.id), loop.version, ...events)
  ports.observe(stored)
  for (const event of stored) {
    if (event.type === 'review.completed')
      await ports.reviewFiles.write(event, { id: loop.id, title: loop.task.title })
  }
  return stored.reduce((state: Loop, event: StoredEvent) => evolve(state, event), loop)
}

async function loadLoop(task: number, ports: Ports): Promise<Loop> {
  const events = await ports.journal.load(streamOf(task))
  const loop = foldLoop(events)
  if (!loop || loop.standing.deleted)
    throw new UserError(`There is no task ${task}.`, 'umpire list shows the tasks.')
  const latest = events.findLast((event) => event.type === 'review.completed')
  if (latest?.type === 'review.completed')
    await ports.reviewFiles.ensure(latest, { id: task, title: loop.task.title })
  return loop
}

function streamOf(task: number): Stream {
  return `task/${task}`
}

/** An error that a person can mend ends the loop as failed, with its words; any other is a surprise and goes up. */
function stopped(
  error: unknown,
  loop: Loop,
  signal: AbortSignal,
): { events: NewEvent[]; afterwards?: never } {
  // The claim is gone, or this is an interruption: there is nothing to be told but that the loop is put back.
  if (signal.reason instanceof LostClaimError) throw signal.reason
  if (signal.aborted) return { events: [released] }
  const reason = failReason(error)
  if (!reason || !(error instanceof Error)) throw error
  const fix = error instanceof UserError || error instanceof VcsError ? error.fix : null
  const detail = fix ? `${error.message} ${fix}` : error.message
  const recovery = recoveryFrom(reason, loop)
  return { events: [{ type: 'loop.failed', data: { reason, detail, recovery, cycle: loop.review.cycle } }] }
}

function failReason(error: unknown): 'vcs' | 'disk' | 'crash' | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ENOSPC' || code === 'EROFS' || code === 'EDQUOT') return 'disk'
  // Where nothing can be recorded, that can't be recorded either; an agent that runs goes on, and is taken up next time.
  if (error instanceof StoreError) return null
  // An agent that can't even be started is to the person what one that ends at once is.
  if (error instanceof NoAgentError) return 'crash'
  return error instanceof UserError || error instanceof VcsError ? 'vcs' : null
}
