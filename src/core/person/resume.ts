/** How a loop goes on after a person's move: where, and with what of its past. Earlier phases and their commits stand. */

import type { EventData } from '../event.ts'
import { type Change, changes, type Loop, type Phase } from '../loop.ts'
import { noSetbacks, type Resolving } from '../phases/landing-state.ts'
import { noAsks } from '../phases/review-state.ts'
import { isHopeless, isNamedLimit } from '../policy/failure.ts'
import { roleInTurn } from '../policy/roles.ts'
import { noTries } from '../session/tries.ts'
import { committer, isToGather } from '../standing.ts'
import type { HandMove, Task } from '../task.ts'

/** A person's retry: the loop goes on at the phase that failed. */
export function retried(loop: Loop): Change {
  if (loop.landing.resolving) return retriedMerge(loop, loop.landing.resolving)
  // A step that was asked for by hand and failed is what is tried again; a review task knows no other than to review.
  const asked = loop.task.type === 'review' ? 'review' : resolvesOnRetry(loop) ? null : loop.asked
  // After a discussion the answer is another review, also where the cap was reached.
  const granted =
    loop.standing.reason === 'needs_discussion' || loop.standing.reason === 'rejected'
      ? grantedCycle(loop)
      : {}
  // What the reviewer said was paid for, and stands as long as the tree does; only its reading failed.
  const unparsed = loop.standing.status === 'failed' ? loop.review.unparsed : null
  return changes(goingOn(loop, asked === 'review' ? 'commit' : phaseToRetry(loop)), granted, {
    review: { unparsed },
    asked,
  })
}

/**
 * A conflict that the person's own merge met: with a retry it goes to a resolver like any other. What a group's branch holds
 * already would only be found to be there.
 */
export function resolvesOnRetry({
  turn: { phase },
  standing: { reason },
  asked,
  work: { place },
}: Loop): boolean {
  return phase === 'land' && reason === 'conflict' && (asked !== 'merge' || place?.target === undefined)
}

/** The merge that was under way comes first, also now. */
function retriedMerge(loop: Loop, resolving: Resolving): Change {
  // What was there may have been cleaned away with the cancelled task.
  const stage = loop.standing.status === 'cancelled' ? 'begin' : resolving.stage
  return changes(goingOn(loop, 'resolve'), {
    asked: loop.asked,
    landing: { resolving: { ...resolving, stage, unresolved: 0 } },
  })
}

/** A person's retry of what goes on by itself: whatever it waits for is not waited for any longer. */
export function triedAtOnce({ turn: { tries }, review: { panel } }: Loop): Change {
  return {
    turn: {
      // The next session is still told that one before it was broken off.
      tries: { ...noTries, waits: tries.waits + tries.tooLong > 0 ? 1 : 0 },
    },
    review: { panel: panel.map((seat) => ({ ...seat, tries: noTries })) },
  }
}

/** A person's edit: the limit of an agent or a model that is not the one any more holds nobody up. */
export function edited(loop: Loop, edits: Partial<Task>): Change {
  const {
    turn: { tries },
  } = loop
  const task = { ...loop.task, ...edits }
  const limited = tries.last !== null && isNamedLimit(tries.last)
  return limited && wishes(loop, task) !== wishes(loop, loop.task)
    ? changes({ task }, triedAtOnce(loop))
    : { task }
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
export function steppedByHand(loop: Loop, move: HandMove): Change {
  const hand: Change = { asked: move, landing: { outcome: null } }
  switch (move) {
    case 'review':
      if (loop.landing.resolving) return resolvedByHand(loop, loop.landing.resolving)
      return changes(
        goingOn(loop, 'commit'),
        hand,
        { review: { reviewing: null, panel: [] } },
        grantedCycle(loop),
      )
    // The feedback beside this move brings the loop to `develop`.
    case 'improve':
      return changes(goingOn(loop, 'develop'), hand, grantedCycle(loop))
    case 'merge':
      // The branch of its group gets it first, and only from there it goes on to the base.
      if (isToGather(loop)) return changes(goingOn(loop, 'land'), { asked: 'gather' })
      return changes(goingOn(loop, 'land'), hand, { landing: { landed: null } })
  }
}

/** A review of a merge that is under way: what the person made of it is committed first. */
function resolvedByHand(loop: Loop, resolving: Resolving): Change {
  return changes(
    goingOn(loop, 'resolve'),
    { asked: 'review', review: { reviewing: null } },
    grantedCycle(loop),
    {
      landing: {
        resolving: { ...resolving, stage: 'commit', after: 'check', session: committer(loop), unresolved: 0 },
      },
    },
  )
}

/** A person's wish for more work is worth one more review, whatever the cap is by the time that it is done. */
export function grantedCycle({ review: { cycle, cyclesGranted } }: Loop): Change {
  return { review: { cyclesGranted: Math.max(cyclesGranted, cycle + 1) } }
}

/** The limits that hold from now on. */
export function withGranted(
  { policy }: EventData['loop.claimed'],
  { review: { cyclesGranted } }: Loop,
): Loop['policy'] {
  return { ...policy, maxCycles: Math.max(policy.maxCycles, cyclesGranted) }
}

/**
 * A loop that was put back in good order is taken up again. What is in its worktree now and was not then is a person's,
 * and goes into a commit before a gate or a reviewer looks, or it would be thrown away as a gate's leavings.
 */
export function takenUp(loop: Loop): Change {
  const { last } = loop.turn.tries
  // It was put back before it was given up, because another task stopped the run. Whoever starts a new run has seen to it.
  const tries: Change = last && isHopeless(last) ? { turn: { tries: noTries } } : {}
  if (loop.turn.phase !== 'check' && loop.turn.phase !== 'review') return tries
  return changes(tries, {
    turn: { phase: 'commit' },
    work: { uncommitted: loop.work.uncommitted ?? committer(loop) },
  })
}

function goingOn(loop: Loop, phase: Phase): Change {
  // A review that came to no verdict is the same cycle again, and the reviewer is still told what it was told.
  const unjudged = loop.turn.phase !== 'judge' && loop.review.reviewing !== null
  return {
    turn: { phase, tries: noTries, granted: loop.turn.done, overdue: null, gaveUp: null },
    work: {
      // What the person did in the worktree meanwhile is taken in before anything is checked or reviewed.
      uncommitted: phase === 'commit' ? (loop.work.uncommitted ?? committer(loop)) : loop.work.uncommitted,
      strayed: null,
    },
    check: {
      // A gate that failed speaks again before the developer is asked.
      gates:
        loop.turn.phase === 'check' || loop.check.gates?.results.some(({ passed }) => !passed)
          ? null
          : loop.check.gates,
      refusal: null,
      failures: 0,
    },
    review: {
      reviewing: unjudged ? loop.review.reviewing : null,
      asks: { ...noAsks, why: unjudged ? loop.review.asks.why : null },
      unparsed: null, // What seats of a panel have said was paid for; those that were absent are asked once more.
      panel: loop.review.panel.map((seat) => ({ ...seat, tries: noTries, malformed: 0 })),
      tampered: null,
    },
    landing: { outcome: null, setbacks: noSetbacks },
  }
}

/** Where the phase that stopped only waited for a person, the one that led there is gone through again. */
function phaseToRetry(loop: Loop): Phase {
  if (loop.turn.phase === 'land') return 'land'
  if (loop.turn.overdue || loop.turn.gaveUp) return 'develop'
  const {
    standing: { reason },
  } = loop
  if (reason === 'stalled' || reason === 'timeout' || reason === 'changes_requested') {
    return loop.standing.status === 'blocked' ? 'develop' : throughCommit(loop)
  }
  const judged = reason === 'needs_discussion' || reason === 'rejected' || reason === 'reviewer_tampered'
  return loop.turn.phase === 'judge' && !judged ? 'judge' : throughCommit(loop)
}

function throughCommit(loop: Loop): Phase {
  return loop.turn.phase === 'develop' || !loop.turn.developer ? 'develop' : 'commit'
}
