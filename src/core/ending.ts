/** How a loop shows that it is being worked on, waits to be, or has come to an end. */
import type { Loop } from './loop.ts'
import type { FinalVerdict } from './review/review.ts'
import type { BlockReason } from './task.ts'

/** A loop that is being worked on has no ending to show. */
export const going = {
  status: 'in_progress',
  reason: null,
  detail: null,
  recovery: [],
  verdict: null,
  heldBy: null,
  deferred: null,
  endedAt: null,
} satisfies Partial<Loop>

export function ended(at: string, how: Partial<Loop>): Partial<Loop> {
  return { ...going, claim: null, beside: [], ...how, endedAt: at }
}

/** A review that was asked for by hand has come to its end with a verdict; with any other end it is still to be had. */
export function isStepOver({ hand }: Loop, reason: BlockReason): boolean {
  // Nothing is left that could be reviewed: only a developer gets any further.
  if (hand === 'review' && reason === 'stalled') return true
  return reason === 'changes_requested' || reason === 'needs_discussion' || reason === 'rejected'
}

/** Stopped on the way with a revision outstanding. */
export function verdictInMidLoop(loop: Loop): FinalVerdict | null {
  if (loop.phase === 'land') return verdictWhileLanding(loop)
  return loop.review?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

export function verdictWhileLanding({ phase, approval }: Loop): FinalVerdict | null {
  return phase === 'land' && approval ? 'APPROVED' : null
}

/** Back into the queue, to go on like this. */
export function put(loop: Loop, on: Partial<Loop>): Partial<Loop> {
  return { ...going, status: 'pending', ...on, verdict: verdictWhileLanding({ ...loop, ...on }) }
}
