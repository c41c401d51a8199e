/**
 * `decide(state) → step`: every rule of a loop. It has no clock and does nothing; what it wants done is a value, and
 * what came of it comes back as events through `evolve`. A step that only records what now follows is `record`.
 *
 * Three kinds of ending: approved (or completed, where no review was wanted), blocked (a person is needed), and failed
 * (the machinery could not go on). Everything else is a step that brings the loop nearer to one of them: reviews,
 * revisions, gate failures, repeated questions and repeated runs are each counted against a limit of the policy.
 *
 * A step that a person asked for by hand (`loop.hand`) is taken by the same rules, but only that one: after a review or
 * a developer's session of that kind the loop stops and the person is asked again.
 */

import type { GateSummary, Loop } from './loop.ts'
import { recoveryWhileAwaiting } from './person/recovery.ts'
import { decideVerdict } from './phases/judge.ts'
import { decideLanding, isToLand } from './phases/land.ts'
import { allSeats, decidePanel } from './phases/panel.ts'
import { decideParse } from './phases/parse.ts'
import { decideResolve } from './phases/resolve.ts'
import { decideForesight, decideWitness } from './phases/witness.ts'
import { later, nextTry } from './policy/failure.ts'
import type { Policy } from './policy/policy.ts'
import { isCheckpoint, isLookedAt, reachedInterval } from './review/checkpoint.ts'
import { isAllWaived } from './review/waive.ts'
import { withoutGrounds } from './review/without-grounds.ts'
import { inOneLine } from './session/tool-request.ts'
import { block, blockedEvent, fail, feedbackEvent, gateFeedback, names, record, type Step } from './step.ts'

export type { Step } from './step.ts'

export function decide(loop: Loop): Step {
  if (loop.status !== 'in_progress' || !loop.policy) return { do: 'rest' }
  if (loop.session) return { do: 'attend', session: loop.session }
  if (loop.strayed) return fail(loop, 'vcs', `${loop.strayed} ${lookFirst}`)
  if (!loop.place) return { do: 'open' }
  if (isAtInterval(loop) && reachedInterval(loop, loop.policy))
    return { do: 'checkpoint', iteration: loop.turns, own: isLookedAt(loop, loop.policy) }
  switch (loop.phase) {
    case 'develop':
      return decideDevelop(loop, loop.policy)
    case 'commit':
      return decideCommit(loop, loop.policy)
    case 'check':
      return decideCheck(loop, loop.policy)
    case 'review':
      return decideReview(loop, loop.policy)
    case 'judge':
      return decideJudgement(loop, loop.policy)
    case 'land':
      return decideLanding(loop, loop.policy)
    case 'resolve':
      return decideResolve(loop, loop.policy)
  }
}

/** The developer's turn is over, and what it did is committed, or can't be. */
function isAtInterval({ phase, refusal }: Loop): boolean {
  return phase === 'check' || (phase === 'commit' && refusal !== null)
}

/** Its commit would be the first to run the hook. */
const lookFirst =
  'Look at it, and take out what is not yours; `umpire retry` then goes on with what the developer did, which is kept in its worktree.'

function unfinishedAfter({ maxIterations }: Policy): string {
  return `The task was not finished in ${maxIterations} iterations (max_iterations); a retry allows as many more.`
}

function decideDevelop(loop: Loop, policy: Policy): Step {
  const untried = policy.gates.find(
    (gate) => gate.kind === 'backpressure' && policy.baseline && !loop.baselined.includes(gate.command),
  )
  if (loop.iteration === 0 && untried) return { do: 'baseline', gate: untried }

  // Nobody is sent to work for nothing; that changes are requested is still no approval.
  if (!loop.hand && loop.review && isAllWaived(loop)) {
    const ask = withoutGrounds(loop.ledger)
    return record({ type: 'loop.reconsidered', data: { cycle: loop.review.cycle, ask } })
  }

  const next = nextTry(loop, policy.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The developer failed: ${next.detail}`)
  const iteration = loop.turns + 1
  const attempt = iteration === loop.iteration ? loop.attempts.developer + 1 : 1
  if (policy.until === 'claim' && !loop.hand && iteration - loop.granted > policy.maxIterations) {
    return block(loop, 'stalled', unfinishedAfter(policy))
  }
  if (!loop.hand && loop.feedback?.said.from === 'review' && loop.cycle >= policy.maxCycles) {
    return outOfCycles(loop, policy)
  }
  // Somebody tampered, in a checkpoint; in its own review it is told there.
  if (loop.tampered) return block(loop, 'reviewer_tampered', `A checkpoint is void: ${loop.tampered}`)
  // What it finds is for the session that comes next.
  if (loop.beside.some(isCheckpoint)) return { do: 'await' }
  // There is work already, and no feedback that would say so.
  const unfinished =
    loop.head !== null &&
    !loop.head.empty &&
    !isOnlyMerged(loop) &&
    (!loop.feedback || (policy.until === 'claim' && !loop.claimed))
  // A limit ended a session in the middle of its work, and what it did lies there.
  const brokenOff = loop.tries.waits + loop.tries.tooLong > 0
  const { notBefore, prompt } = next
  return { do: 'develop', iteration, attempt, notBefore, unfinished: unfinished || brokenOff, prompt }
}

/** All that there is is what the task builds on. */
function isOnlyMerged({ merged, head, turns }: Loop): boolean {
  return turns === 0 && merged !== null && merged.tree === head?.tree
}

function outOfCycles(loop: Loop, { maxCycles }: Policy): Step {
  return block(loop, 'max_cycles', `${loop.cycle} of ${maxCycles} reviews are done.`)
}

function decideCommit(loop: Loop, policy: Policy): Step {
  if (loop.refusal && loop.overdue) {
    const detail = `${loop.overdue} What was there is still in the worktree, because a hook refused the commit.`
    return record(gateFeedback(loop, [loop.refusal]), blockedEvent(loop, 'timeout', detail))
  }
  if (loop.refusal && loop.gaveUp) {
    const detail = `${gaveUp(loop.gaveUp)} What was there is still in the worktree, because a hook refused the commit.`
    return record(gateFeedback(loop, [loop.refusal]), blockedEvent(loop, 'needs_discussion', detail))
  }
  if (loop.refusal) return gateFailed(loop, policy, [loop.refusal])
  if (!loop.uncommitted)
    return loop.hand === 'review' ? decideCheck(loop, policy) : decideDevelop(loop, policy)
  return { do: 'commit', session: loop.uncommitted, subject: commitSubject(loop) }
}

/** In the developer's own words, which are shown in a line. */
function gaveUp(why: string): string {
  return `The developer says that it can't do this: ${inOneLine(why, longestWords)}`
}

const longestWords = 500

function commitSubject(loop: Loop): string {
  // The title comes first, also when a hook refused it the first time.
  if (!loop.head || loop.head.empty) return loop.task.title
  const said = loop.feedback?.said
  if (said?.from === 'review' && said.cycle > 0) return `Address review feedback (cycle ${said.cycle})`
  if (said?.from === 'review') return 'Address review feedback'
  if (said?.from === 'gate') return `Fix failing gate ${names(said.gates)}`
  return said?.from === 'person' ? 'Address a note' : loop.task.title
}

function decideCheck(loop: Loop, policy: Policy): Step {
  const { head, feedback } = loop
  if (!head) return decideDevelop(loop, policy)
  if (loop.overdue) return block(loop, 'timeout', `${loop.overdue} What was there is committed.`)
  if (loop.gaveUp) return block(loop, 'needs_discussion', gaveUp(loop.gaveUp))
  if (policy.until === 'claim' && !loop.claimed && !loop.hand) return decideDevelop(loop, policy)

  if (head.empty) {
    if (feedback?.said.from === 'empty') {
      return block(loop, 'stalled', 'The developer changed nothing, also after it was told so.')
    }
    if (loop.hand) return block(loop, 'stalled', 'There is no difference to the base left.')
    return record(feedbackEvent(loop, { from: 'empty' }))
  }
  // A person who asks for a review gets one, also of what was judged before.
  if (loop.hand !== 'review' && isUnrevised(loop, head.tree)) return block(loop, 'stalled', unrevised(loop))
  if (loop.hand === 'improve') return awaitReview(loop, head.tree)

  const results = resultsOn(loop, policy, head.tree)
  const left = policy.gates.find((gate) => !results.some((result) => result.name === gate.name))
  if (left && loop.check?.tree !== head.tree) {
    const gates = policy.gates.map((gate) => gate.name)
    return record({ type: 'loop.checking', data: { tree: head.tree, gates, cycle: loop.cycle + 1 } })
  }
  if (left) return { do: 'gate', gate: left, tree: head.tree }

  const failed = results.filter((result) => !result.passed)
  if (failed.length > 0) {
    // The gates just ran once more on the same tree: it was no flake, the revision changed nothing.
    const told = feedback?.said.from === 'gate' && feedback.tree === head.tree ? feedback.said.gates : []
    if (!loop.hand && failed.some((gate) => told.some((other) => other.name === gate.name))) {
      return block(loop, 'stalled', unmended(failed))
    }
    return gateFailed(loop, policy, failed)
  }
  if (loop.hand === 'review') return decideReview(loop, policy)
  if (!policy.reviewed) {
    // The next group builds on it; only what is for the base itself has to be approved first.
    const lands = loop.place?.target !== undefined && isToLand(loop, policy)
    return record({ type: 'loop.completed', data: { tree: head.tree, cycle: loop.cycle, lands } })
  }
  return policy.trigger === 'explicit' ? awaitReview(loop, head.tree) : decideReview(loop, policy)
}

function awaitReview(loop: Loop, tree: string): Step {
  const recovery = recoveryWhileAwaiting(loop)
  return record({ type: 'loop.awaiting_review', data: { tree, recovery, cycle: loop.cycle + 1 } })
}

/** The work was sent back, and this is still, or again, the tree that was spoken of. */
function isUnrevised({ review, feedback, hand }: Loop, tree: string): boolean {
  if (review?.sentBack && review.tree === tree) return true
  if (feedback?.tree !== tree) return false
  // A gate may have been a flake and is run once more; but not in a person's improvement, which runs none.
  if (hand === 'improve' || feedback.said.from === 'person') return true
  // A review since then, which a person asked for, is what counts now.
  return feedback.said.from === 'review' && (review === null || review.sentBack)
}

function unrevised(loop: Loop): string {
  const said = loop.feedback?.said
  if (said?.from === 'person') return 'The developer changed nothing after the note.'
  if (said?.from === 'gate') return unmended(said.gates)
  return loop.cycle > 0
    ? `The revision after review ${loop.cycle} changed nothing.`
    : 'The revision changed nothing.'
}

function unmended(gates: { name: string }[]): string {
  return `The revision after the failed gate ${names(gates)} changed nothing.`
}

/** What the gates of the policy said of this tree; a gate whose command was changed has said nothing yet. */
function resultsOn({ check }: Loop, policy: Policy, tree: string): GateSummary[] {
  if (check?.tree !== tree) return []
  return check.results.filter((result) =>
    policy.gates.some((gate) => gate.name === result.name && gate.command === result.command),
  )
}

/** Whether a gate has still to pass on the tree that is there: a person may have added one since the last check. */
function owesGate(loop: Loop, policy: Policy): boolean {
  const passed = loop.head ? resultsOn(loop, policy, loop.head.tree).filter((result) => result.passed) : []
  return passed.length < policy.gates.length
}

function gateFailed(loop: Loop, policy: Policy, failed: GateSummary[]): Step {
  // The person asked for one step and decides on the next.
  if (loop.hand) return block(loop, 'gate', `Gate ${names(failed)} failed.`)
  if (loop.gateFailures + 1 >= policy.maxGateFailures) {
    return block(loop, 'gate', `Gate ${names(failed)} failed ${policy.maxGateFailures} times in a row.`)
  }
  return record(gateFeedback(loop, failed))
}

function wantsReview({ hand }: Loop, policy: Policy): boolean {
  return hand === 'review' || (policy.reviewed && policy.trigger !== 'explicit')
}

function decideReview(loop: Loop, policy: Policy): Step {
  if (!wantsReview(loop, policy) || owesGate(loop, policy)) return decideCheck(loop, policy)
  if (loop.tampered) return block(loop, 'reviewer_tampered', `The review is void: ${loop.tampered}`)
  if (loop.unparsed) return decideParse(loop, policy, loop.unparsed)
  const cycle = loop.reviewing ?? loop.cycle + 1
  if (policy.seats > 1)
    return isBeyondCap(loop, policy, cycle) ? outOfCycles(loop, policy) : decidePanel(loop, policy, cycle)
  const next = nextTry(loop, policy.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The reviewer failed: ${next.detail}`)
  const { malformed, why, at } = loop.asks
  if (malformed > policy.reviewRetries) {
    return block(loop, 'malformed_review', `No readable verdict after ${malformed} tries: ${why}.`)
  }
  if (isBeyondCap(loop, policy, cycle)) return outOfCycles(loop, policy)
  const foresight = loop.head && decideForesight(loop, policy, loop.head.tree)
  if (foresight) return foresight
  return {
    do: 'review',
    cycle,
    attempt: loop.attempts.cycle === cycle ? loop.attempts.reviewer + 1 : 1,
    notBefore: next.notBefore ?? (at && later(at, 1_000)),
    ask: why,
    prompt: next.prompt,
  }
}

/** The last review may have ended in a verdict that could not be acted upon, and a gate may have failed since. */
function isBeyondCap({ hand }: Loop, { maxCycles }: Policy, cycle: number): boolean {
  return !hand && cycle > maxCycles
}

function decideJudgement(loop: Loop, policy: Policy): Step {
  const { review, head } = loop
  if (!review || !head) return decideReview(loop, policy)
  if (review.verdict === 'APPROVED' && !review.blocking && owesGate(loop, policy))
    return decideCheck(loop, policy)
  const witness = decideWitness(loop, policy, review)
  if (witness) return witness
  const step = decideVerdict(loop, policy, review, head)
  // The limits may have changed since the review: its reviewer is asked again only where it would be asked at all.
  const asks = step.do === 'review' && (owesGate(loop, policy) || !wantsReview(loop, policy))
  if (asks) return decideCheck(loop, policy)
  return step.do === 'review' && policy.seats > 1 ? { ...step, seats: allSeats(step, policy) } : step
}
