/** The developer's turn: when it begins, what the developer is told, and when the turn is not worth beginning. */
import type { EventData } from '../event.ts'
import { type Change, changes, type Loop } from '../loop.ts'
import { nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import type { Terms } from '../policy/terms.ts'
import { isCheckpoint } from '../review/checkpoint.ts'
import { withoutGrounds } from '../review/verdict.ts'
import { isAllWaived } from '../review/waive.ts'
import { noTries } from '../session/session.ts'
import { block, fail, outOfCycles, recorded } from '../step.ts'
import { noAsks } from './review-state.ts'
import type { Placed, Ruling } from './ruling.ts'

export function decideDevelop(loop: Placed, terms: Terms): Ruling {
  const { turn, review, check } = loop
  const untried = terms.gates.find(
    (gate) => gate.kind === 'backpressure' && terms.baseline && !check.baselined.includes(gate.command),
  )
  if (turn.iteration === 0 && untried) return { do: 'baseline', gate: untried }

  // With every blocking issue waived, a developer has nothing to do. The reviewer did not approve, so it is asked again.
  if (terms.unattended && review.last && isAllWaived(loop)) {
    const ask = withoutGrounds(review.ledger)
    return recorded({ type: 'loop.reconsidered', data: { cycle: review.last.cycle, ask } })
  }

  const next = nextTry(turn.tries, terms.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The developer failed: ${next.detail}`)
  const iteration = turn.done + 1
  const attempt = iteration === turn.iteration ? turn.attempts.developer + 1 : 1
  if (terms.until === 'claim' && iteration - turn.granted > terms.maxIterations) {
    return block(loop, 'stalled', unfinishedAfter(terms))
  }
  if (turn.feedback?.said.from === 'review' && review.cycle >= terms.maxCycles)
    return outOfCycles(loop, terms)
  // In this phase it can only be the reviewer of a checkpoint. The review phase handles other reviewers.
  if (review.tampered) return block(loop, 'reviewer_tampered', `A checkpoint is void: ${review.tampered}`)
  // The next developer session must be told what the checkpoint finds, so it waits for it.
  if (turn.beside.some(isCheckpoint)) return { do: 'await' }
  const { notBefore, prompt } = next
  const unfinished = isUnfinished(loop, terms) || wasBrokenOff(loop)
  return { do: 'develop', iteration, attempt, notBefore, unfinished, prompt }
}

function unfinishedAfter({ maxIterations }: Policy): string {
  return `The task was not finished in ${maxIterations} iterations (max_iterations). umpire retry allows as many again.`
}

/** The branch has work already, and no feedback tells the developer about it. */
function isUnfinished(loop: Placed, { until }: Terms): boolean {
  const { work, turn } = loop
  if (work.head === null || work.head.empty || isOnlyMerged(loop)) return false
  return !turn.feedback || (until === 'claim' && !turn.saidDone)
}

/** The branch contains only the work that the task builds on. */
function isOnlyMerged({ work: { merged, head }, turn }: Loop): boolean {
  return turn.done === 0 && merged !== null && merged.tree === head?.tree
}

/** A limit ended a session in the middle of its work, and its changes are in the worktree. */
function wasBrokenOff({ turn: { tries } }: Loop): boolean {
  return tries.waits + tries.tooLong > 0
}

export function developing(loop: Loop, { iteration, attempt }: EventData['loop.developing']): Change {
  const { attempts, revisions, feedback } = loop.turn
  const { checkpoint } = loop.review
  return {
    turn: {
      phase: 'develop',
      iteration,
      attempts: {
        ...(iteration === loop.turn.iteration ? attempts : { reviewer: 0, parser: 0, cycle: 0 }),
        developer: attempt,
      },
      revisions: revisions + (isNewRevision(loop) ? 1 : 0),
      feedback: feedback && { ...feedback, begun: true },
    },
    review: { checkpoint: checkpoint && { ...checkpoint, told: true } },
  }
}

/** Whether this is the first session after a review's feedback. A revision that takes several sessions counts once. */
function isNewRevision({ turn: { feedback } }: Loop): boolean {
  return feedback?.said.from === 'review' && !feedback.begun
}

/** The developer's session has ended, by itself or because its time was up. */
export function developerEnded(
  loop: Loop,
  session: string,
  how: Pick<Change['turn'] & object, 'saidDone' | 'gaveUp' | 'overdue'>,
): Change {
  // The findings of a checkpoint are dropped once a developer that was told about them has ended.
  const told = loop.review.checkpoint?.told ? { review: { checkpoint: null } } : {}
  return changes(told, {
    turn: { phase: 'commit', done: loop.turn.iteration, tries: noTries, ...how },
    work: { uncommitted: session },
  })
}

export function feedbackGiven(loop: Loop, { feedback }: EventData['loop.feedback']): Change {
  const { resolving } = loop.landing
  const { last } = loop.review
  return {
    turn: {
      // A merge that is under way comes first.
      phase: resolving ? 'resolve' : 'develop',
      feedback: { said: feedback, tree: loop.work.head?.tree ?? null, begun: false },
      saidDone: false,
      tries: noTries,
    },
    work: { uncommitted: null },
    check: {
      gates: null,
      refusal: null,
      failures: loop.check.failures + (feedback.from === 'gate' ? 1 : 0),
    },
    review: {
      last: last && { ...last, sentBack: last.sentBack || feedback.from === 'review' },
      reviewing: null,
      asks: noAsks,
      unparsed: null,
      panel: [],
    },
    landing: {
      approval: null,
      ...(resolving && { resolving: { ...resolving, after: 'develop' } }),
    },
  }
}
