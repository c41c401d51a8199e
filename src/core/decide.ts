/**
 * `decide(state) → step`: every rule of a loop. It has no clock and does nothing; what it wants done is a value, and
 * what came of it comes back as events through `evolve`. A step that only records what now follows is `record`.
 *
 * Three kinds of ending: approved (or completed, where no review was wanted), blocked (a person is needed), and failed
 * (the machinery could not go on). Everything else is a step that brings the loop nearer to one of them: reviews,
 * revisions, gate failures, repeated questions and repeated runs are each counted against a limit of the policy.
 */
import type { NewEvent } from './event.ts'
import { later, nextTry } from './failure.ts'
import type { Feedback } from './feedback.ts'
import { openBlocking, openForDeveloper, plainPath } from './ledger.ts'
import type { Gate, Policy } from './limits.ts'
import type { GateSummary, LastReview, Loop, RunningSession } from './loop.ts'
import { recoveryFrom } from './recovery.ts'
import type { FinalVerdict } from './review.ts'
import type { BlockReason, FailReason } from './task.ts'

export type Step =
  /** Nothing to do until a person or a worker comes. */
  | { do: 'rest' }
  /** Make the branch and the worktree. */
  | { do: 'open' }
  /** Try the task's own gate on the base, so that the person knows how it stood before. */
  | { do: 'baseline'; gate: Gate }
  | { do: 'develop'; iteration: number; attempt: number; notBefore: string | null; unfinished: boolean }
  | { do: 'review'; cycle: number; attempt: number; notBefore: string | null; ask: string | null }
  /** See a started session through to its end, whoever started it. */
  | { do: 'attend'; session: RunningSession }
  | { do: 'commit'; session: string; subject: string }
  | { do: 'gate'; gate: Gate; tree: string }
  | { do: 'record'; events: [NewEvent, ...NewEvent[]] }

export function decide(loop: Loop): Step {
  if (loop.status !== 'in_progress' || !loop.policy) return { do: 'rest' }
  if (loop.session) return { do: 'attend', session: loop.session }
  if (!loop.place) return { do: 'open' }
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
      return decideVerdict(loop, loop.policy)
  }
}

function decideDevelop(loop: Loop, policy: Policy): Step {
  const untried = policy.gates.find(
    (gate) => gate.kind === 'backpressure' && policy.baseline && !loop.baselined.includes(gate.command),
  )
  if (loop.iteration === 0 && untried) return { do: 'baseline', gate: untried }

  const next = nextTry(loop, policy.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The developer failed: ${next.detail}`)
  const iteration = loop.turns + 1
  const attempt = iteration === loop.iteration ? loop.attempts + 1 : 1
  if (policy.until === 'claim' && iteration - loop.granted > policy.maxIterations) {
    return block(loop, 'stalled', `The task was not finished in ${policy.maxIterations} iterations.`)
  }
  // There is work already, and no feedback that would say so.
  const unfinished =
    loop.head !== null && !loop.head.empty && (!loop.feedback || (policy.until === 'claim' && !loop.claimed))
  return { do: 'develop', iteration, attempt, notBefore: next.notBefore, unfinished }
}

function decideCommit(loop: Loop, policy: Policy): Step {
  if (loop.refusal && loop.overdue) {
    const detail = `${loop.overdue} What was there is still in the worktree, because a hook refused the commit.`
    return record(gateFeedback(loop, [loop.refusal]), blockedEvent(loop, 'timeout', detail))
  }
  if (loop.refusal) return gateFailed(loop, policy, [loop.refusal])
  if (!loop.uncommitted) return decideDevelop(loop, policy)
  return { do: 'commit', session: loop.uncommitted, subject: commitSubject(loop) }
}

function commitSubject(loop: Loop): string {
  // The title comes first, also when a hook refused it the first time.
  if (!loop.head || loop.head.empty) return loop.task.title
  const said = loop.feedback?.said
  if (said?.from === 'review') return `Address review feedback (cycle ${said.cycle})`
  if (said?.from === 'gate') return `Fix failing gate ${said.gates.map((gate) => gate.name).join(', ')}`
  return loop.task.title
}

function decideCheck(loop: Loop, policy: Policy): Step {
  const { head, feedback } = loop
  if (!head) return decideDevelop(loop, policy)
  if (loop.overdue) return block(loop, 'timeout', `${loop.overdue} What was there is committed.`)
  if (policy.until === 'claim' && !loop.claimed) return decideDevelop(loop, policy)

  if (head.empty) {
    if (feedback?.said.from === 'empty') {
      return block(loop, 'stalled', 'The developer changed nothing, also after it was told so.')
    }
    return record(feedbackEvent(loop, { from: 'empty' }))
  }
  if (isUnrevised(loop, head.tree))
    return block(loop, 'stalled', `The revision after review ${loop.cycle} changed nothing.`)

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
    if (failed.some((gate) => told.some((other) => other.name === gate.name))) {
      return block(loop, 'stalled', `The revision after the failed gate ${names(failed)} changed nothing.`)
    }
    return gateFailed(loop, policy, failed)
  }
  if (!policy.reviewed)
    return record({ type: 'loop.completed', data: { tree: head.tree, cycle: loop.cycle } })
  return decideReview(loop, policy)
}

/** A review asked for changes, and this is still, or again, the tree that it spoke of. */
function isUnrevised({ review, feedback }: Loop, tree: string): boolean {
  if (review?.sentBack && review.tree === tree) return true
  return feedback?.said.from === 'review' && feedback.tree === tree
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
  if (loop.gateFailures + 1 >= policy.maxGateFailures) {
    return block(loop, 'gate', `Gate ${names(failed)} failed ${policy.maxGateFailures} times in a row.`)
  }
  return record(gateFeedback(loop, failed))
}

function gateFeedback(loop: Loop, failed: GateSummary[]): NewEvent {
  const gates = failed.map(({ passed: _, ...gate }) => gate)
  return feedbackEvent(loop, { from: 'gate', gates })
}

function decideReview(loop: Loop, policy: Policy): Step {
  if (!policy.reviewed || owesGate(loop, policy)) return decideCheck(loop, policy)
  if (loop.tampered) return block(loop, 'reviewer_tampered', `The review is void: ${loop.tampered}`)
  const next = nextTry(loop, policy.agentRetries)
  if (next.kind === 'give-up') return fail(loop, next.reason, `The reviewer failed: ${next.detail}`)
  const { malformed, why, at } = loop.asks
  if (malformed > policy.reviewRetries) {
    return block(loop, 'malformed_review', `No readable verdict after ${malformed} tries: ${why}.`)
  }
  return {
    do: 'review',
    cycle: loop.reviewing ?? loop.cycle + 1,
    attempt: loop.reviewing === null ? 1 : loop.attempts + 1,
    notBefore: next.notBefore ?? (at && later(at, 1_000)),
    ask: why,
  }
}

function decideVerdict(loop: Loop, policy: Policy): Step {
  const { review, head } = loop
  if (!review || !head) return decideReview(loop, policy)
  if (review.verdict === 'REJECTED')
    return block(loop, 'rejected', sentence('The reviewer rejected the work', review))
  if (review.verdict === 'NEEDS_DISCUSSION' || review.blocking) {
    return block(loop, 'needs_discussion', sentence('The reviewer wants a person', review))
  }
  if (review.verdict === 'APPROVED') {
    if (owesGate(loop, policy)) return decideCheck(loop, policy)
    const doubt = doubtApproval(loop, review, head.tree)
    if (doubt) return askOnceMore(loop, review, doubt, block(loop, 'malformed_review', doubt))
    const { id, tree, cycle } = review
    return record({ type: 'loop.approved', data: { by: 'review', review: id, tree, cycle } })
  }

  const blocking = openBlocking(loop.ledger)
  if (blocking.length === 0) {
    const detail = sentence('Changes are requested, but no blocking issue stands', review)
    return askOnceMore(loop, review, noGrounds, block(loop, 'needs_discussion', detail))
  }
  if (loop.cycle >= policy.maxCycles) {
    const detail = `${loop.cycle} of ${policy.maxCycles} reviews done, and changes are still requested.`
    return block(loop, 'max_cycles', detail)
  }
  const feedback = reviewFeedback(loop, review)
  if (isStalled(loop, review)) {
    const detail = `The same blocking issues are open after another revision, and the files they name did not change.`
    return record(feedback, blockedEvent(loop, 'stalled', detail))
  }
  return record(feedback)
}

function reviewFeedback(loop: Loop, { cycle, summary }: LastReview): NewEvent {
  return feedbackEvent(loop, { from: 'review', cycle, summary, issues: openForDeveloper(loop.ledger) })
}

/** What an approval must be, looked at once more: neither can happen, but this is not the place to believe that. */
function doubtApproval(loop: Loop, review: LastReview, tree: string): string | null {
  if (review.tree !== tree) return 'The approval speaks of a tree that is not the one there now.'
  if (openBlocking(loop.ledger).length > 0) return 'The approval leaves blocking issues open.'
  return null
}

/** Changes were requested, but nothing that blocks is left. That is no approval either. */
const noGrounds =
  'Your review requested changes, but none of its issues blocks: they are advisory, or were found late on lines that ' +
  'did not change since your last review. Either name what blocks, with file and line, or approve.'

/** A verdict that can't be acted upon: the reviewer is told why, once and within the same cycle. */
function askOnceMore(loop: Loop, { cycle }: LastReview, ask: string, otherwise: Step): Step {
  if (loop.asks.baseless > 0) return otherwise
  return { do: 'review', cycle, attempt: loop.attempts + 1, notBefore: null, ask }
}

/** The same blocking issues twice in a row while every file they name is unchanged; without a file nothing is proven. */
function isStalled(loop: Loop, review: LastReview): boolean {
  const open = openBlocking(loop.ledger)
  const { changes, openBefore } = review
  if (changes === null || open.length !== openBefore.length) return false
  if (!open.every((issue) => openBefore.includes(issue.number))) return false
  const files = open.flatMap((issue) => (issue.file === null ? [] : [plainPath(issue.file)]))
  return files.length > 0 && files.every((file) => !Object.hasOwn(changes, file))
}

function feedbackEvent(loop: Loop, feedback: Feedback): NewEvent {
  return { type: 'loop.feedback', data: { feedback, cycle: loop.cycle } }
}

function record(...events: [NewEvent, ...NewEvent[]]): Step {
  return { do: 'record', events }
}

function block(loop: Loop, reason: BlockReason, detail: string): Step {
  return record(blockedEvent(loop, reason, detail))
}

function blockedEvent(loop: Loop, reason: BlockReason, detail: string): NewEvent {
  return {
    type: 'loop.blocked',
    data: {
      reason,
      detail,
      recovery: recoveryFrom(reason, loop),
      verdict: verdictWhenBlocked(loop, reason),
      cycle: loop.cycle,
    },
  }
}

function verdictWhenBlocked(loop: Loop, reason: BlockReason): FinalVerdict | null {
  if (reason === 'max_cycles') return 'MAX_CYCLES_REACHED'
  if (reason === 'needs_discussion') return 'NEEDS_DISCUSSION'
  if (reason === 'rejected') return 'REJECTED'
  return loop.review?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

function fail(loop: Loop, reason: FailReason, detail: string): Step {
  return record({
    type: 'loop.failed',
    data: { reason, detail, recovery: recoveryFrom(reason, loop), cycle: loop.cycle },
  })
}

function names(gates: GateSummary[]): string {
  return gates.map((gate) => gate.name).join(', ')
}

function sentence(what: string, review: LastReview): string {
  const [line = ''] = review.summary.trim().split('\n')
  return line ? `${what}: ${line}` : `${what}.`
}
