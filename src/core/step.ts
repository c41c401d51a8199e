/** What a loop can want done, as values, and the endings that a rule can record. */

import type { NewEvent } from './event.ts'
import { listed } from './listed.ts'
import type { Loop } from './loop.ts'
import { recoveryFrom } from './person/recovery.ts'
import type { GateSummary } from './phases/check-state.ts'
import type { LastReview } from './phases/review-state.ts'
import type { Unmerged } from './place.ts'
import type { PromptForm } from './policy/failure.ts'
import type { Gate, Policy } from './policy/policy.ts'
import type { Terms } from './policy/terms.ts'
import { tallyLine } from './review/churn.ts'
import type { FinalVerdict } from './review/review.ts'
import type { ReviewAnswer, SeatRecord } from './review/review-record.ts'
import type { Feedback } from './session/feedback.ts'
import type { RunningSession } from './session/session.ts'
import { inOneLine } from './session/tool-request.ts'
import type { BlockReason, FailReason } from './task.ts'

export type Step =
  /** Nothing to do until a person or a worker comes. */
  | { do: 'rest' }
  /** Make the branch and the worktree. */
  | { do: 'open' }
  /** Try the task's own gate on the base, so that the person knows how it stood before. */
  | { do: 'baseline'; gate: Gate }
  | {
      do: 'develop'
      iteration: number
      attempt: number
      notBefore: string | null
      unfinished: boolean
      prompt: PromptForm
    }
  | {
      do: 'review'
      cycle: number
      attempt: number
      notBefore: string | null
      ask: string | null
      prompt: PromptForm
      /** Of a panel: who of it is asked now. */
      seats?: SeatAsk[]
    }
  /** Make one review of what the panel's seats said. */
  | { do: 'combine'; seats: SeatRecord[] }
  /**
   * The loop's interval is reached: every loop that is developing is looked at, and this one if it is not done (`own`).
   */
  | { do: 'checkpoint'; iteration: number; own: boolean }
  /** Until one of the sessions beside has ended. */
  | { do: 'await' }
  /** Have what the reviewer said in plain words made into a review. */
  | { do: 'parse'; answer: ReviewAnswer; attempt: number; notBefore: string | null }
  /** See a started session through to its end, whoever started it. */
  | { do: 'attend'; session: RunningSession }
  | { do: 'commit'; session: string; subject: string }
  | { do: 'gate'; gate: Gate; tree: string }
  /** Run the witnesses of these issues on the tree: after the review, or before one, which is then null. */
  | { do: 'witness'; issues: number[]; tree: string; review: string | null }
  /** Merge the work into its base, check the result, and move the base. */
  | { do: 'land'; sha: string; gates: Gate[] }
  /** Bring the files of the worktree to the merge with another branch. */
  | { do: 'merge'; other: Unmerged }
  /** Have the conflicts of that merge settled. */
  | { do: 'resolve'; attempt: number; notBefore: string | null; told: string | null; prompt: PromptForm }
  /** Commit it as the merge that it is. */
  | { do: 'conclude'; other: Unmerged; session: string; subject: string }
  /** Give it up and bring everything back to how it was. */
  | { do: 'abandon'; events: [NewEvent, ...NewEvent[]] }
  | { do: 'record'; events: [NewEvent, ...NewEvent[]] }

/** What one seat of a panel is asked, and its attempt number. */
export interface SeatAsk {
  seat: number
  attempt: number
  ask: string | null
  prompt: PromptForm
}

export function recorded(...events: [NewEvent, ...NewEvent[]]): Step {
  return { do: 'record', events }
}

export function block(loop: Loop, reason: BlockReason, detail: string): Step {
  return recorded(blockedEvent(loop, reason, detail))
}

export function blockedEvent(loop: Loop, reason: BlockReason, detail: string): NewEvent {
  return {
    type: 'loop.blocked',
    data: {
      reason,
      detail: isAboutIssues(reason) ? `${detail} ${tallyLine(loop.review.tally)}`.trimEnd() : detail,
      recovery: recoveryFrom(reason, loop),
      verdict: verdictWhenBlocked(loop, reason),
      cycle: loop.review.cycle,
    },
  }
}

/** It stopped because the issues do not get fewer, and these are shown. */
function isAboutIssues(reason: BlockReason): boolean {
  return reason === 'stalled' || reason === 'churning'
}

function verdictWhenBlocked(loop: Loop, reason: BlockReason): FinalVerdict | null {
  if (reason === 'max_cycles') return 'MAX_CYCLES_REACHED'
  if (reason === 'needs_discussion' && !loop.turn.gaveUp) return 'NEEDS_DISCUSSION'
  if (reason === 'rejected') return 'REJECTED'
  // What stopped is the landing; the work is approved all the same.
  if (loop.turn.phase === 'land') return loop.landing.approval && 'APPROVED'
  return loop.review.last?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

export function fail(loop: Loop, reason: FailReason, detail: string): Step {
  return recorded({
    type: 'loop.failed',
    data: { reason, detail, recovery: recoveryFrom(reason, loop), cycle: loop.review.cycle },
  })
}

export function feedbackEvent(loop: Loop, feedback: Feedback): NewEvent {
  return { type: 'loop.feedback', data: { feedback, cycle: loop.review.cycle } }
}

export function gateFeedback(loop: Loop, failed: GateSummary[]): NewEvent {
  const gates = failed.map(({ passed: _, ...gate }) => gate)
  return feedbackEvent(loop, { from: 'gate', gates })
}

export function names(gates: { name: string }[]): string {
  return gates.map((gate) => gate.name).join(', ')
}

/** Words of ours, and the first line of the reviewer's. */
export function sentence(what: string, review: LastReview): string {
  const [line = ''] = review.summary.trim().split('\n')
  return line ? `${what}: ${line}` : `${what}.`
}

export function outOfCycles(loop: Loop, { maxCycles }: Pick<Policy, 'maxCycles'>): Step {
  return block(loop, 'max_cycles', `${loop.review.cycle} of ${maxCycles} reviews are done.`)
}

export function gateFailed(loop: Loop, terms: Terms, failed: GateSummary[]): Step {
  if (!terms.unattended) return block(loop, 'gate', `Gate ${names(failed)} failed.`)
  if (loop.check.failures + 1 >= terms.maxGateFailures) {
    return block(loop, 'gate', `Gate ${names(failed)} failed ${terms.maxGateFailures} times in a row.`)
  }
  return recorded(gateFeedback(loop, failed))
}

/** In the developer's own words, which are shown in a line. */
export function gaveUpDetail(why: string): string {
  return `The developer says that it can't do this: ${inOneLine(why, longestWords)}`
}

const longestWords = 500

export function conflictDetail(between: [string, string], files: string[]): string {
  return `${between.join(' and ')} conflict: ${listed(files)}. Both are kept.`
}
