/** What a person's retry does: the loop goes on at the phase that failed; earlier phases and their commits stand. */
import { type Loop, noAsks, noTries } from './loop.ts'

export function retried(loop: Loop): Partial<Loop> {
  const phase = phaseToRetry(loop)
  // A review that came to no verdict is the same cycle again, and the reviewer is still told what it was told.
  const unjudged = loop.phase !== 'judge' && loop.reviewing !== null
  return {
    phase,
    // What the person did in the worktree meanwhile is taken in before anything is checked or reviewed.
    uncommitted: phase === 'commit' ? (loop.uncommitted ?? loop.developer) : loop.uncommitted,
    // A gate that failed speaks again before the developer is asked.
    check: loop.phase === 'check' ? null : loop.check,
    tries: noTries,
    reviewing: unjudged ? loop.reviewing : null,
    asks: { ...noAsks, why: unjudged ? loop.asks.why : null },
    refusal: null,
    gateFailures: 0,
    granted: loop.turns,
    tampered: null,
    overdue: null,
  }
}

/** Where the phase that stopped only waited for a person, the one that led there is gone through again. */
function phaseToRetry(loop: Loop): Loop['phase'] {
  if (loop.overdue) return 'develop'
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
