/**
 * Checkpoints: reviews of unfinished work, to catch a developer that goes in circles or in the wrong direction. Their
 * findings only go to the next developer session: a checkpoint approves nothing, stops nothing and costs no cycle.
 */
import type { Change, Loop } from '../loop.ts'
import type { CheckpointFindings } from '../phases/review-state.ts'
import type { Policy } from '../policy/policy.ts'
import type { RunningSession } from '../session/session.ts'
import type { CheckpointRecord } from './review-record.ts'

/** Whether this loop takes part in checkpoints: it can get one itself, and its interval triggers those of other loops. */
export function hasCheckpoints(loop: Pick<Loop, 'asked' | 'task'>, policy: Policy): boolean {
  const reviewed = policy.reviewed && policy.trigger !== 'explicit' && loop.task.type !== 'review'
  return reviewed && !loop.asked && Boolean(policy.checkpointEvery)
}

/** Whether the developer's turn that just ended is one after which every developing loop gets a checkpoint. */
export function reachedInterval(loop: Loop, policy: Policy): boolean {
  const {
    turn: { done: turns },
    id,
    review: { checkpointed },
  } = loop
  if (!hasCheckpoints(loop, policy) || turns === 0 || turns % (policy.checkpointEvery ?? 1) !== 0)
    return false
  return (checkpointed[id] ?? 0) < turns
}

/** Whether the loop itself gets a checkpoint. If its developer is finished or stopped, a review or a person comes next. */
export function isLookedAt(
  { work: { head }, turn: { saidDone: claimed, overdue, gaveUp }, check: { refusal } }: Loop,
  { until }: Policy,
): boolean {
  if (!head || head.empty || overdue !== null || gaveUp !== null || refusal !== null) return false
  return until === 'claim' && !claimed
}

/** Whether a snapshot of the loop's work may get a checkpoint now that the loop of another task reached its interval. */
export function mayBeLookedAt(loop: Loop, by: { task: number; iteration: number }): boolean {
  const {
    policy,
    turn: { phase, beside },
    standing: { status },
    review: { checkpointed },
  } = loop
  if (!policy || status !== 'in_progress' || !hasCheckpoints(loop, policy)) return false
  const develops = phase === 'develop' || phase === 'commit' || phase === 'check'
  return develops && !beside.some(isCheckpoint) && (checkpointed[by.task] ?? 0) < by.iteration
}

export function isCheckpoint({ beside }: Pick<RunningSession, 'beside'>): boolean {
  return beside?.kind === 'checkpoint'
}

/** The findings of a checkpoint for the developer, or null if it found nothing. */
export function findingsOf({ iteration, body }: CheckpointRecord): CheckpointFindings | null {
  const issues = body.issues.filter(({ status }) => status !== 'resolved')
  if (issues.length === 0) return null
  return { iteration, verdict: body.verdict, summary: body.summary, issues, told: false }
}

export function checkpointed(loop: Loop, record: CheckpointRecord, at: string): Change {
  return { review: { checkpoint: findingsOf(record) ?? loop.review.checkpoint, lastCheckpointAt: at } }
}
