/** What `status` shows of a task: the row that programs read as JSON, derived from the loop and from nothing else. */

import { type Loop, loopName, runningSessions } from './loop.ts'
import { limitWaitedFor } from './policy/failure.ts'
import type { FinalVerdict } from './review/review.ts'
import type { BlockReason, FailReason, TaskStatus, TaskType } from './task.ts'

export interface TaskSummary {
  id: number
  title: string
  type: TaskType
  status: TaskStatus
  verdict: FinalVerdict | null
  reason: BlockReason | FailReason | null
  detail: string | null
  recovery: string[]
  /** The tasks that a person has to look at before this one can start. */
  heldBy: number[]
  /** A running task behind which it waits, because both seem to be about the same files. */
  behind: number | null
  phase: Loop['phase']
  /** The step that a person asked for, until it came to its end. */
  hand: Loop['hand']
  loop: string
  cycle: number
  maxCycles: number | null
  iteration: number
  reviewStatus: 'pending' | 'in_progress' | 'passed' | 'failed'
  revisionAttempts: number
  lastCheckpointReviewAt: string | null
  lastReviewId: string | null
  lateFindings: number
  /** Reviewers of a panel who were against what it approved. */
  dissent: number
  branch: string | null
  base: string | null
  /** The branch that gathers the work of its group, where there is one. */
  target: string | null
  of: number | null
  /** The commit of the base with which the work got there. */
  landed: string | null
  /** The branch that it was merged into: the base, or so far only the one that gathers its group's work. */
  landedOn: string | null
  /** Nothing is done until this agent's limit is over. The time may have passed, and nobody have taken the task up since. */
  waitsFor: { agent: string; until: string } | null
  /** How far the agent that runs says that it is. */
  progress: string | null
  group: number | null
  dependsOn: number[]
  costUsd: number | null
  tokens: number | null
  startedAt: string | null
  endedAt: string | null
}

export function summarise(loop: Loop): TaskSummary {
  const { id, task } = loop
  return {
    id,
    title: task.title,
    type: task.type,
    status: loop.status,
    verdict: loop.verdict,
    reason: loop.reason,
    detail: loop.detail,
    recovery: loop.recovery,
    heldBy: loop.heldBy ?? [],
    behind: loop.deferred?.behind ?? null,
    phase: loop.phase,
    hand: loop.hand,
    loop: loopName(id),
    cycle: loop.cycle,
    maxCycles: loop.policy?.maxCycles ?? task.maxCycles,
    iteration: loop.iteration,
    reviewStatus: reviewStatus(loop),
    revisionAttempts: loop.revisions,
    lastCheckpointReviewAt: loop.lastCheckpointAt,
    lastReviewId: loop.review?.id ?? null,
    lateFindings: loop.ledger.filter((issue) => issue.late && issue.status === 'open').length,
    dissent: loop.verdict === 'APPROVED' ? (loop.review?.dissent ?? 0) : 0,
    branch: loop.place?.branch ?? null,
    base: loop.place?.base ?? null,
    target: loop.place?.target ?? null,
    of: task.of,
    landed: loop.landed?.commit ?? null,
    landedOn: loop.landed?.base ?? null,
    waitsFor: limitWaitedFor(loop),
    progress: runningSessions(loop).find((session) => session.progress)?.progress?.text ?? null,
    group: task.group,
    dependsOn: task.dependsOn,
    costUsd: loop.costUsd,
    tokens: loop.tokens,
    startedAt: loop.startedAt,
    endedAt: loop.endedAt,
  }
}

function reviewStatus(loop: Loop): TaskSummary['reviewStatus'] {
  if (loop.verdict === 'APPROVED') return 'passed'
  if (loop.session?.role === 'reviewer' || loop.session?.role === 'parser') return 'in_progress'
  if (loop.beside.some(({ beside }) => beside?.kind === 'panel')) return 'in_progress'
  // A review speaks of its tree; after a revision the next one is still to come.
  if (!loop.review || loop.review.tree !== loop.head?.tree) return 'pending'
  return loop.review.verdict === 'APPROVED' ? 'passed' : 'failed'
}
