/**
 * The story of one task, and the place to start reading. A worker claims the loop, and then: decide what comes next,
 * do it, append what happened, until there is nothing left to do. The rules are in `core/decide.ts`, what each step
 * does to the world is in `perform.ts`, and only the journal stores the state of the loop, so a worker can die at any
 * line of this file and the next one continues from the last append.
 */

import { decide } from '../core/decide.ts'
import { LostClaimError, NoAgentError, noTask, StoreError, UserError, VcsError } from '../core/errors.ts'
import type { EventType, NewEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { recoveryFrom } from '../core/person/recovery.ts'
import { schedule } from '../core/schedule/schedule.ts'
import { isUnderWay } from '../core/standing.ts'
import type { Step } from '../core/step.ts'
import { codeOf } from '../lib/error-code.ts'
import { type Lent, lendNetworkPorts } from './check/lend-network-ports.ts'
import { type Companions, createCompanions } from './companion-sessions.ts'
import { type Claim, guardClaim, guardedPorts } from './guard-claim.ts'
import { perform } from './perform.ts'
import type { Performed, Ports } from './ports.ts'
import { loadLoop, record } from './record.ts'
import { clearEnded, clearLeftovers } from './run/clear-leftovers.ts'
import { dropLanded } from './run/landed-work.ts'

/** Works on the task until it rests, and returns its final state; null if there was nothing to do. */
export async function reviewLoop(claim: Claim, ports: Ports, signal: AbortSignal): Promise<Loop | null> {
  const claimed = await claimLoop(claim, ports)
  if (!claimed) return null
  const guard = guardClaim(claim, ports)
  try {
    const loop = await driveWithPorts(claimed, claim, guardedPorts(ports, guard), signal)
    // An earlier worker may have woken up and finished making its clone before it noticed that it lost its claim.
    await clearEnded(ports, claim.task)
    // A person who merges should not wait for the cleanup. The next run or `umpire clean` does it.
    if (claimed.asked === null) await dropLanded(loop, ports)
    return loop
  } catch (error) {
    // An error of a worker that lost its claim does not matter: its successor has changed things meanwhile.
    await guard()
    throw error
  }
}

/** First removes the leftovers of an earlier worker, which may still listen on the loop's network ports. */
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
    // A started session is always attended to, so that an interruption stops its agent.
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
    // A person edited the task meanwhile, so its new limits and gates apply.
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

/** After this, the companions that still run are not needed. Their progress is recorded first. */
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

/** From this append on, everything that an older holder of the loop tries to write conflicts. */
async function claimLoop(claim: Claim, ports: Ports): Promise<Loop | null> {
  const { task } = claim
  const claimed = await record(
    task,
    async (now) => {
      if (!now) throw noTask(task)
      if (!isUnderWay(now.standing) || (await waitsForAnother(now, ports))) return null
      // This check is between the load and the append. A worker that was frozen here and lost its claim fails at one of them.
      await claim.confirm()
      return claimedEvent(now, claim, ports)
    },
    ports,
  )
  await ensureReviewFile(task, ports)
  return claimed?.now ?? null
}

/** `work` offers a task that waits for others again when it may start. */
async function waitsForAnother({ id, standing: { status } }: Loop, { archive }: Ports): Promise<boolean> {
  return status === 'pending' && !schedule(await archive.standings()).ready.includes(id)
}

function claimedEvent({ task }: Loop, { run, worker }: Claim, { settings }: Ports): NewEvent {
  return { type: 'loop.claimed', data: { run, worker, policy: settings.policyFor(task) } }
}

/** The worker that recorded the last review may have died before it wrote the file, even if the task is done. */
async function ensureReviewFile(task: number, { journal, archive, reviewFiles }: Ports): Promise<void> {
  const latest = (await journal.list({ stream: `task/${task}`, types: ['review.completed'] })).at(-1)
  const loop = latest ? await archive.loop(task) : null
  if (loop && latest?.type === 'review.completed')
    await reviewFiles.ensure(latest, { id: task, title: loop.task.title })
}

/**
 * Appends what happened. If the stream has new events, they are either a person's edit, after which our facts are still
 * true, or another worker's claim, after which we must not write anything.
 */
async function advance(loop: Loop, events: NewEvent[], claim: Claim, ports: Ports): Promise<Loop> {
  const decide = (now: Loop | null) => {
    if (now !== loop) requireClaim(now, claim)
    return events
  }
  return (await record(loop.id, decide, ports, loop))?.now ?? loop
}

/** The current loop, if this worker still has the claim. */
async function reload(claim: Claim, ports: Ports): Promise<Loop> {
  return requireClaim(await loadLoop(claim.task, ports), claim)
}

function requireClaim(now: Loop | null, { task, worker }: Claim): Loop {
  if (now?.claim?.worker === worker) return now
  throw new LostClaimError(
    `Task ${task} was taken over or ended by another process. Nothing more was written.`,
  )
}

async function release(loop: Loop, claim: Claim, ports: Ports): Promise<Loop> {
  return advance(loop, [released], claim, ports)
}

const released: NewEvent = { type: 'loop.released', data: { why: 'interrupted' } }

/** An error that a person can fix ends the loop as failed, with its message. Any other error is a surprise and is thrown. */
function stopped(
  error: unknown,
  loop: Loop,
  signal: AbortSignal,
): { events: NewEvent[]; afterwards?: never } {
  // The claim is lost, or this is an interruption. Then the only thing to record is that the loop is released.
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
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EROFS' || code === 'EDQUOT') return 'disk'
  // If the store fails, the failure can't be recorded either. A running agent continues, and the next run attends to it.
  if (error instanceof StoreError) return null
  // To a person, an agent that can't be started is the same as one that crashes at once.
  if (error instanceof NoAgentError) return 'crash'
  return error instanceof UserError || error instanceof VcsError ? 'vcs' : null
}
