/** How a loop goes on after a person's move: where, and with what of its past. Earlier phases and their commits stand. */
import type { EventData, HandMove } from '../event.ts'
import { type Loop, noAsks, noTries } from '../loop.ts'
import { noSetbacks, type Resolving } from '../phases/resolving.ts'
import { isHopeless, isNamedLimit } from '../policy/failure.ts'
import { roleInTurn } from '../policy/roles.ts'
import { isToGather } from '../standing.ts'
import type { Task } from '../task.ts'

/** A person's retry: the loop goes on at the phase that failed. */
export function retried(loop: Loop): Partial<Loop> {
  if (loop.resolving) return retriedMerge(loop, loop.resolving)
  // A step that was asked for by hand and failed is what is tried again; a review task knows no other than to review.
  const hand = loop.task.type === 'review' ? 'review' : resolvesOnRetry(loop) ? null : loop.hand
  // After a discussion the answer is another review, also where the cap was reached.
  const granted = loop.reason === 'needs_discussion' || loop.reason === 'rejected' ? grantedCycle(loop) : {}
  // What the reviewer said was paid for, and stands as long as the tree does; only its reading failed.
  const unparsed = loop.status === 'failed' ? loop.unparsed : null
  return { ...goingOn(loop, hand === 'review' ? 'commit' : phaseToRetry(loop)), ...granted, unparsed, hand }
}

/**
 * A conflict that the person's own merge met: with a retry it goes to a resolver like any other. What a group's branch holds
 * already would only be found to be there.
 */
export function resolvesOnRetry({
  phase,
  reason,
  hand,
  place,
}: Pick<Loop, 'phase' | 'reason' | 'hand' | 'place'>): boolean {
  return phase === 'land' && reason === 'conflict' && (hand !== 'merge' || place?.target === undefined)
}

/** The merge that was under way comes first, also now. */
function retriedMerge(loop: Loop, resolving: Resolving): Partial<Loop> {
  // What was there may have been cleaned away with the cancelled task.
  const stage = loop.status === 'cancelled' ? 'begin' : resolving.stage
  return { ...goingOn(loop, 'resolve'), hand: loop.hand, resolving: { ...resolving, stage, unresolved: 0 } }
}

/** A person's retry of what goes on by itself: whatever it waits for is not waited for any longer. */
export function triedAtOnce({ tries, panel }: Pick<Loop, 'tries' | 'panel'>): Pick<Loop, 'tries' | 'panel'> {
  return {
    // The next session is still told that one before it was broken off.
    tries: { ...noTries, waits: tries.waits + tries.tooLong > 0 ? 1 : 0 },
    panel: panel.map((seat) => ({ ...seat, tries: noTries })),
  }
}

/** A person's edit: the limit of an agent or a model that is not the one any more holds nobody up. */
export function edited(loop: Loop, changes: Partial<Task>): Partial<Loop> {
  const { tries } = loop
  const task = { ...loop.task, ...changes }
  const limited = tries.last !== null && isNamedLimit(tries.last)
  return limited && wishes(loop, task) !== wishes(loop, loop.task) ? { task, ...triedAtOnce(loop) } : { task }
}

/** Whom and which model the task itself names for who is started next. */
function wishes(loop: Loop, task: Task): string {
  const { agent, model, reviewer, reviewModel } = task
  switch (roleInTurn(loop)) {
    case 'developer':
    case 'resolver':
      return JSON.stringify([agent, model])
    case 'reviewer':
      return JSON.stringify([reviewer, reviewModel])
    // The one who reviews, where the configuration names nobody, and with no model of the task's.
    case 'parser':
      return JSON.stringify([reviewer])
  }
}

/** A person's own step: one review, one developer's session, or the merge into the base. */
export function steppedByHand(loop: Loop, move: HandMove): Partial<Loop> {
  const hand = { hand: move, landing: null }
  switch (move) {
    case 'review':
      if (loop.resolving) return resolvedByHand(loop, loop.resolving)
      return { ...goingOn(loop, 'commit'), ...hand, reviewing: null, panel: [], ...grantedCycle(loop) }
    // The feedback beside this move brings the loop to `develop`.
    case 'improve':
      return { ...goingOn(loop, 'develop'), ...hand, ...grantedCycle(loop) }
    case 'merge':
      // The branch of its group gets it first, and only from there it goes on to the base.
      if (isToGather(loop)) return { ...goingOn(loop, 'land'), hand: 'gather' }
      return { ...goingOn(loop, 'land'), ...hand, landed: null }
  }
}

/** A review of a merge that is under way: what the person made of it is committed first. */
function resolvedByHand(loop: Loop, resolving: Resolving): Partial<Loop> {
  return {
    ...goingOn(loop, 'resolve'),
    hand: 'review',
    reviewing: null,
    ...grantedCycle(loop),
    resolving: { ...resolving, stage: 'commit', after: 'check', session: committer(loop), unresolved: 0 },
  }
}

/** A person's wish for more work is worth one more review, whatever the cap is by the time that it is done. */
export function grantedCycle({ cycle, cyclesGranted }: Loop): Pick<Loop, 'cyclesGranted'> {
  return { cyclesGranted: Math.max(cyclesGranted, cycle + 1) }
}

/** The limits that hold from now on. */
export function withGranted({ policy }: EventData['loop.claimed'], { cyclesGranted }: Loop): Loop['policy'] {
  return { ...policy, maxCycles: Math.max(policy.maxCycles, cyclesGranted) }
}

/**
 * A loop that was put back in good order is taken up again. What is in its worktree now and was not then is a person's,
 * and goes into a commit before a gate or a reviewer looks, or it would be thrown away as a gate's leavings.
 */
export function takenUp(loop: Loop): Partial<Loop> {
  const { last } = loop.tries
  // It was put back before it was given up, because another task stopped the run. Whoever starts a new run has seen to it.
  const tries = last && isHopeless(last) ? { tries: noTries } : {}
  if (loop.phase !== 'check' && loop.phase !== 'review') return tries
  return { ...tries, phase: 'commit', uncommitted: loop.uncommitted ?? committer(loop) }
}

/** In whose name a person's changes are committed; a loop that only reviews had no developer. */
export function committer({ id, developer }: Loop): string {
  return developer ?? `${id}-0`
}

function goingOn(loop: Loop, phase: Loop['phase']): Partial<Loop> {
  // A review that came to no verdict is the same cycle again, and the reviewer is still told what it was told.
  const unjudged = loop.phase !== 'judge' && loop.reviewing !== null
  return {
    phase,
    // What the person did in the worktree meanwhile is taken in before anything is checked or reviewed.
    uncommitted: phase === 'commit' ? (loop.uncommitted ?? committer(loop)) : loop.uncommitted,
    // A gate that failed speaks again before the developer is asked.
    check: loop.phase === 'check' || loop.check?.results.some(({ passed }) => !passed) ? null : loop.check,
    tries: noTries,
    reviewing: unjudged ? loop.reviewing : null,
    asks: { ...noAsks, why: unjudged ? loop.asks.why : null },
    refusal: null,
    gateFailures: 0,
    granted: loop.turns,
    unparsed: null,
    // What seats of a panel have said was paid for; those that were absent are asked once more.
    panel: loop.panel.map((seat) => ({ ...seat, tries: noTries, malformed: 0 })),
    tampered: null,
    strayed: null,
    overdue: null,
    gaveUp: null,
    landing: null,
    setbacks: noSetbacks,
  }
}

/** Where the phase that stopped only waited for a person, the one that led there is gone through again. */
function phaseToRetry(loop: Loop): Loop['phase'] {
  if (loop.phase === 'land') return 'land'
  if (loop.overdue || loop.gaveUp) return 'develop'
  const { reason } = loop
  if (reason === 'stalled' || reason === 'timeout' || reason === 'changes_requested') {
    return loop.status === 'blocked' ? 'develop' : throughCommit(loop)
  }
  const judged = reason === 'needs_discussion' || reason === 'rejected' || reason === 'reviewer_tampered'
  return loop.phase === 'judge' && !judged ? 'judge' : throughCommit(loop)
}

function throughCommit(loop: Loop): Loop['phase'] {
  return loop.phase === 'develop' || !loop.developer ? 'develop' : 'commit'
}
