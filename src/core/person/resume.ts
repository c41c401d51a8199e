/** How a loop continues after a person's move: at which phase, and what it keeps. Earlier phases and commits stay valid. */
import type { EventData } from '../event.ts'
import { type Change, changes, type Loop, type Phase } from '../loop.ts'
import { noSetbacks, type Resolving } from '../phases/landing-state.ts'
import { noAsks } from '../phases/review-state.ts'
import { isHopeless, isNamedLimit } from '../policy/failure.ts'
import { roleInTurn } from '../policy/roles-in-turn.ts'
import { noTries } from '../session/session.ts'
import { committer, isToGather } from '../standing.ts'
import type { HandMove, Task } from '../task.ts'

/** A person's retry: the loop continues at the phase that failed. */
export function retried(loop: Loop): Change {
  if (loop.landing.resolving) return retriedMerge(loop, loop.landing.resolving)
  // If a step that the person asked for failed, the retry repeats that step. A review task can only review.
  const asked = loop.task.type === 'review' ? 'review' : resolvesOnRetry(loop) ? null : loop.asked
  // After a discussion the loop gets another review, even if the limit of reviews was reached.
  const granted =
    loop.standing.reason === 'needs_discussion' || loop.standing.reason === 'rejected'
      ? grantedCycle(loop)
      : {}
  // The reviewer's answer was paid for and is valid as long as the tree is the same. Only parsing it failed.
  const unparsed = loop.standing.status === 'failed' ? loop.review.unparsed : null
  return changes(goingOn(loop, asked === 'review' ? 'commit' : phaseToRetry(loop)), granted, {
    review: { unparsed },
    asked,
  })
}

/**
 * On a retry, a conflict from the person's own merge goes to a resolver like any other conflict. The exception is work
 * that its group's branch already contains: a resolver would find nothing to merge there.
 */
export function resolvesOnRetry({
  turn: { phase },
  standing: { reason },
  asked,
  work: { place },
}: Loop): boolean {
  return phase === 'land' && reason === 'conflict' && (asked !== 'merge' || place?.target === undefined)
}

/** A merge that was under way still comes first after a retry. */
function retriedMerge(loop: Loop, resolving: Resolving): Change {
  // Cleaning up the cancelled task may have removed the state of the merge.
  const stage = loop.standing.status === 'cancelled' ? 'begin' : resolving.stage
  return changes(goingOn(loop, 'resolve'), {
    asked: loop.asked,
    landing: { resolving: { ...resolving, stage, unresolved: 0 } },
  })
}

/** A person's retry of a loop that would continue by itself: it stops waiting and tries at once. */
export function triedAtOnce({ turn: { tries }, review: { panel } }: Loop): Change {
  return {
    turn: {
      // The next session must still be told that an earlier one was cut off.
      tries: { ...noTries, waits: tries.waits + tries.tooLong > 0 ? 1 : 0 },
    },
    review: { panel: panel.map((seat) => ({ ...seat, tries: noTries })) },
  }
}

/** A person's edit. If it names another agent or model, the loop no longer waits for the limit of the old one. */
export function edited(loop: Loop, edits: Partial<Task>): Change {
  const { tries } = loop.turn
  const task = { ...loop.task, ...edits }
  const limited = tries.last !== null && isNamedLimit(tries.last)
  return limited && wishes(loop, task) !== wishes(loop, loop.task)
    ? changes({ task }, triedAtOnce(loop))
    : { task }
}

/** The agent and the model that the task itself names for the role that is started next. */
function wishes(loop: Loop, task: Task): string {
  const { agent, model, reviewer, reviewModel } = task
  switch (roleInTurn(loop)) {
    case 'developer':
    case 'resolver':
      return JSON.stringify([agent, model])
    case 'reviewer':
      return JSON.stringify([reviewer, reviewModel])
    // If the configuration names no parser, the reviewer's agent parses, but never with the task's model.
    case 'parser':
      return JSON.stringify([reviewer])
  }
}

/** A step that a person asked for: one review, one developer session, or the merge into the base. */
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
    // The feedback event that comes with this move brings the loop to `develop`.
    case 'improve':
      return changes(goingOn(loop, 'develop'), hand, grantedCycle(loop))
    case 'merge':
      // The work goes into its group's branch first, and from there into the base.
      if (isToGather(loop)) return changes(goingOn(loop, 'land'), { asked: 'gather' })
      return changes(goingOn(loop, 'land'), hand, { landing: { landed: null } })
  }
}

/** A review of a merge that is under way. The person's resolution is committed first. */
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

/** A person who asks for more work also grants one more review, whatever the limit is when the work is done. */
export function grantedCycle({ review: { cycle, cyclesGranted } }: Loop): Change {
  return { review: { cyclesGranted: Math.max(cyclesGranted, cycle + 1) } }
}

/** The policy that applies from this claim on, with the reviews that a person granted. */
export function withGranted(
  { policy }: EventData['loop.claimed'],
  { review: { cyclesGranted } }: Loop,
): Loop['policy'] {
  return { ...policy, maxCycles: Math.max(policy.maxCycles, cyclesGranted) }
}

/**
 * A worker claims a loop that an earlier worker gave back cleanly. Anything new in its worktree is a person's work. It must
 * be committed before a gate or a reviewer runs, or it would be thrown away as files that the gate left behind.
 */
export function takenUp(loop: Loop): Change {
  const { last } = loop.turn.tries
  // Another task stopped the run before this loop failed. A person who starts a new run has fixed the cause by now.
  const tries: Change = last && isHopeless(last) ? { turn: { tries: noTries } } : {}
  if (loop.turn.phase !== 'check' && loop.turn.phase !== 'review') return tries
  return changes(tries, {
    turn: { phase: 'commit' },
    work: { uncommitted: loop.work.uncommitted ?? committer(loop) },
  })
}

function goingOn(loop: Loop, phase: Phase): Change {
  // A review without a verdict is repeated in the same cycle, and the reviewer is told the same words again.
  const unjudged = loop.turn.phase !== 'judge' && loop.review.reviewing !== null
  return {
    turn: { phase, tries: noTries, granted: loop.turn.done, overdue: null, gaveUp: null },
    work: {
      // The person's changes in the worktree are committed before anything is checked or reviewed.
      uncommitted: phase === 'commit' ? (loop.work.uncommitted ?? committer(loop)) : loop.work.uncommitted,
      strayed: null,
    },
    check: {
      // A failed gate runs again before the developer is asked.
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
      unparsed: null,
      // The reviews that seats of a panel have given were paid for. Only the absent seats are asked again.
      panel: loop.review.panel.map((seat) => ({ ...seat, tries: noTries, malformed: 0 })),
      tampered: null,
    },
    landing: { outcome: null, setbacks: noSetbacks },
  }
}

/** If the phase that stopped only waited for a person, the retry repeats the phase before it. */
function phaseToRetry(loop: Loop): Phase {
  if (loop.turn.phase === 'land') return 'land'
  if (loop.turn.overdue || loop.turn.gaveUp) return 'develop'
  const { reason } = loop.standing
  if (reason === 'stalled' || reason === 'timeout' || reason === 'changes_requested') {
    return loop.standing.status === 'blocked' ? 'develop' : throughCommit(loop)
  }
  const judged = reason === 'needs_discussion' || reason === 'rejected' || reason === 'reviewer_tampered'
  return loop.turn.phase === 'judge' && !judged ? 'judge' : throughCommit(loop)
}

function throughCommit(loop: Loop): Phase {
  return loop.turn.phase === 'develop' || !loop.turn.developer ? 'develop' : 'commit'
}
