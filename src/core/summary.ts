/** The row that `status` shows for a task and that programs read as JSON. It is derived from the loop alone. */
import { type Loop, loopName, type Phase, runningSessions } from './loop.ts'
import { limitWaitedFor } from './policy/failure.ts'
import type { FinalVerdict } from './review/review.ts'
import type { BlockReason, FailReason, HandStep, TaskStatus, TaskType } from './task.ts'

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
  /** The running task that this one waits for, because both seem to change the same files. */
  behind: number | null
  phase: Phase
  /** The step that a person asked for, until it has ended. */
  hand: HandStep | null
  loop: string
  cycle: number
  maxCycles: number | null
  iteration: number
  reviewStatus: 'pending' | 'in_progress' | 'passed' | 'failed'
  revisionAttempts: number
  lastCheckpointReviewAt: string | null
  lastReviewId: string | null
  lateFindings: number
  /** How many reviewers of the panel voted against the approved work. */
  dissent: number
  branch: string | null
  base: string | null
  /** The branch that gathers the work of its group, if there is one. */
  target: string | null
  of: number | null
  /** The commit that brought the work into the base. */
  landed: string | null
  /** The branch that it was merged into: the base, or so far only its group's branch. */
  landedOn: string | null
  /** The task waits until this agent's limit is over. `until` may be in the past, if no worker has claimed the task since. */
  waitsFor: { agent: string; until: string } | null
  /** The progress that the running agent reported. */
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
    status: loop.standing.status,
    verdict: loop.standing.verdict,
    reason: loop.standing.reason,
    detail: loop.standing.detail,
    recovery: loop.standing.recovery,
    heldBy: loop.standing.heldBy ?? [],
    behind: loop.standing.deferred?.behind ?? null,
    phase: loop.turn.phase,
    hand: loop.asked,
    loop: loopName(id),
    cycle: loop.review.cycle,
    maxCycles: loop.policy?.maxCycles ?? task.maxCycles,
    iteration: loop.turn.iteration,
    reviewStatus: reviewStatus(loop),
    revisionAttempts: loop.turn.revisions,
    lastCheckpointReviewAt: loop.review.lastCheckpointAt,
    lastReviewId: loop.review.last?.id ?? null,
    lateFindings: loop.review.ledger.filter((issue) => issue.late && issue.status === 'open').length,
    dissent: loop.standing.verdict === 'APPROVED' ? (loop.review.last?.dissent ?? 0) : 0,
    branch: loop.work.place?.branch ?? null,
    base: loop.work.place?.base ?? null,
    target: loop.work.place?.target ?? null,
    of: task.of,
    landed: loop.landing.landed?.commit ?? null,
    landedOn: loop.landing.landed?.base ?? null,
    waitsFor: limitWaitedFor(loop),
    progress: runningSessions(loop).find((session) => session.progress)?.progress?.text ?? null,
    group: task.group,
    dependsOn: task.dependsOn,
    costUsd: loop.standing.costUsd,
    tokens: loop.standing.tokens,
    startedAt: loop.standing.startedAt,
    endedAt: loop.standing.endedAt,
  }
}

function reviewStatus(loop: Loop): TaskSummary['reviewStatus'] {
  if (loop.standing.verdict === 'APPROVED') return 'passed'
  if (loop.turn.session?.role === 'reviewer' || loop.turn.session?.role === 'parser') return 'in_progress'
  if (loop.turn.beside.some(({ beside }) => beside?.kind === 'panel')) return 'in_progress'
  // A review is about one tree. After a revision the next review is still to come.
  if (!loop.review.last || loop.review.last.tree !== loop.work.head?.tree) return 'pending'
  return loop.review.last.verdict === 'APPROVED' ? 'passed' : 'failed'
}

/** The tasks that a command was asked to act on, and the state of all tasks. */
export interface Asked {
  /** Only these tasks; null for all. */
  only: number[] | null
  /** All tasks, including those that were not asked for. */
  tasks: TaskSummary[]
}

export function isAsked(only: Asked['only'], task: number): boolean {
  return only === null || only.includes(task)
}
