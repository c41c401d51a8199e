/** The steps that a loop can ask for, as values, and the endings that a rule can record. */

import type { NewEvent } from './event.ts'
import { listed } from './listed.ts'
import type { GateSummary, Loop } from './loop.ts'
import { recoveryFrom } from './person/recovery.ts'
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
  /** Nothing to do until a person or a worker acts. */
  | { do: 'rest' }
  /** Create the branch and the worktree. */
  | { do: 'open' }
  /** Run the task's own gate on the base, so that the person knows whether it passed before the work began. */
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
      /** The seats of the panel that are asked now. */
      seats?: SeatAsk[]
    }
  /** Combine the reviews of the panel's seats into one. */
  | { do: 'combine'; seats: SeatRecord[] }
  /**
   * The loop has reached its interval. Every loop that is developing gets a checkpoint review, and so does this one if
   * it is not done (`own`).
   */
  | { do: 'checkpoint'; iteration: number; own: boolean }
  /** Wait until one of the parallel sessions has ended. */
  | { do: 'await' }
  /** Let a parser agent turn the reviewer's plain words into a review. */
  | { do: 'parse'; answer: ReviewAnswer; attempt: number; notBefore: string | null }
  /** Follow a started session to its end, even if another worker started it. */
  | { do: 'attend'; session: RunningSession }
  | { do: 'commit'; session: string; subject: string }
  | { do: 'gate'; gate: Gate; tree: string }
  /** Run the witnesses of these issues on the tree. `review` is null if they are run before a review. */
  | { do: 'witness'; issues: number[]; tree: string; review: string | null }
  /** Merge the work into its base, check the result, and move the base. */
  | { do: 'land'; sha: string; gates: Gate[] }
  /** Merge another branch into the files of the worktree, without a commit. */
  | { do: 'merge'; other: Unmerged }
  /** Let a resolver resolve the conflicts of that merge. */
  | { do: 'resolve'; attempt: number; notBefore: string | null; told: string | null; prompt: PromptForm }
  /** Commit the result as a merge commit. */
  | { do: 'conclude'; other: Unmerged; session: string; subject: string }
  /** Abandon the merge and restore branch and files to how they were before it. */
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

/** The loop stopped because its issues do not get fewer, so the detail counts them. */
function isAboutIssues(reason: BlockReason): boolean {
  return reason === 'stalled' || reason === 'churning'
}

function verdictWhenBlocked(loop: Loop, reason: BlockReason): FinalVerdict | null {
  if (reason === 'max_cycles') return 'MAX_CYCLES_REACHED'
  if (reason === 'needs_discussion' && !loop.turn.gaveUp) return 'NEEDS_DISCUSSION'
  if (reason === 'rejected') return 'REJECTED'
  // Only the landing stopped. The work is still approved.
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

/** Umpire's words, followed by the first line of the reviewer's summary. */
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

/** Quotes the developer's own words, shortened to one line. */
export function gaveUpDetail(why: string): string {
  return `The developer says that it can't do this: ${inOneLine(why, longestWords)}`
}

const longestWords = 500

export function conflictDetail(between: [string, string], files: string[]): string {
  return `${between.join(' conflicts with ')}: ${listed(files)}. Both branches are kept.`
}
