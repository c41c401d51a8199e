/**
 * The story of one task, and the place to start reading. A worker claims the loop, and then: decide what comes next,
 * do it, append what happened, until there is nothing left to do. The rules are in `core/decide.ts`, what each step
 * does to the world is in `perform.ts`, and the journal alone says where the loop stands, so a worker can die at any
 * line of this file and the next one goes on from the last append.
 */

import { decide } from '../core/decide.ts'
import { LostClaimError, NoAgentError, noTask, StoreError, UserError, VcsError } from '../core/errors.ts'
import type { EventType, NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { recoveryFrom } from '../core/person/recovery.ts'
import { schedule } from '../core/schedule/schedule.ts'
import { isUnderWay } from '../core/standing.ts'
import type { Step } from '../core/step.ts'
import { type Lent, lendNetworkPorts } from './check/lend-network-ports.ts'
import { type Companions, createCompanions } from './companions.ts'
import { type Claim, guardClaim, guardedPorts } from './guard-claim.ts'
import { perform } from './perform.ts'
import type { Performed } from './performed.ts'
import type { Ports } from './ports.ts'
import { loadLoop, record } from './record.ts'
import { clearEnded, clearLeftovers } from './run/clear-leftovers.ts'
import { dropLanded } from './run/drop-landed.ts'

/** Works on the task until it rests, and returns the state it rests in; null when there was nothing to do on it. */
export async function reviewLoop(claim: Claim, ports: Ports, signal: AbortSignal): Promise<Loop | null> {
  const claimed = await claimLoop(claim, ports)
  if (!claimed) return null
  const guard = guardClaim(claim, ports)
  try {
    const loop = await driveWithPorts(claimed, claim, guardedPorts(ports, guard), signal)
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
    lent = await lendNetworkPorts(loop.id, ports)
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
      await companions.finish()
      return release(loop, claim, ports)
    }
    const ending = step.do === 'attend' ? signal : closing
    const performed = await take(step, loop, companions, ports, ending).catch((error) =>
      stopped(error, loop, ending),
    )
    if (performed.events.some(isEnd)) await companions.end()
    else if (performed.events.includes(released)) await companions.finish()
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
  const { task } = claim
  const claimed = await record(
    task,
    async (now) => {
      if (!now) throw noTask(task)
      if (!isUnderWay(now.standing) || (await waitsForAnother(now, ports))) return null
      // Between the load and the append: a worker that was frozen here and taken over fails at one or the other.
      await claim.confirm()
      return claimedEvent(now, claim, ports)
    },
    ports,
  )
  await ensureReviewFile(task, ports)
  return claimed?.now ?? null
}

/** What waits for other tasks is offered again by `work` when it may start. */
async function waitsForAnother({ id, standing: { status } }: Loop, { archive }: Ports): Promise<boolean> {
  return status === 'pending' && !schedule(await archive.standings()).ready.includes(id)
}

function claimedEvent({ task }: Loop, { run, worker }: Claim, { settings }: Ports): NewEvent {
  return { type: 'loop.claimed', data: { run, worker, policy: settings.policyFor(task) } }
}

/** The worker that recorded the last review may have died before it wrote the file, also of a task that is done. */
async function ensureReviewFile(task: number, { journal, archive, reviewFiles }: Ports): Promise<void> {
  const latest = (await journal.list({ stream: `task/${task}`, types: ['review.completed'] })).at(-1)
  const loop = latest ? await archive.loop(task) : null
  if (loop && latest?.type === 'review.completed')
    await reviewFiles.ensure(latest, { id: task, title: loop.task.title })
}

/**
 * Appends what happened. When the stream moved on meanwhile, that is either a person's edit, beside which our facts
 * still stand, or another worker's claim, after which nothing of ours may be written.
 */
async function advance(loop: Loop, events: NewEvent[], claim: Claim, ports: Ports): Promise<Loop> {
  const decide = (now: Loop | null) => {
    if (now !== loop) requireClaim(now, claim)
    return events
  }
  return (await record(loop.id, decide, ports, loop))?.now ?? loop
}

/** The loop as it is now, while it is still this worker's. */
async function reload(claim: Claim, ports: Ports): Promise<Loop> {
  return requireClaim(await loadLoop(claim.task, ports), claim)
}

function requireClaim(now: Loop | null, { task, worker }: Claim): Loop {
  if (now?.claim?.worker === worker) return now
  throw new LostClaimError(`Task ${task} was taken over or ended by somebody else; nothing more was written.`)
}

async function release(loop: Loop, claim: Claim, ports: Ports): Promise<Loop> {
  return advance(loop, [released], claim, ports)
}

const released: NewEvent = { type: 'loop.released', data: { why: 'interrupted' } }

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
