import type { Effort } from './policy/effort.ts'

/** What a person wants done, in the person's own words and settings. A loop's progress is in `Loop`. */
export interface Task {
  title: string
  description: string
  type: TaskType
  /** The task that an improve or review task is for. */
  of: number | null
  /** A plan that the reviewer compares the work with, in its version from when the task was added. */
  plan: { path: string; text: string } | null
  accept: string[]
  scope: string | null
  /** The tasks that must be completed before this one begins. It begins with their work. */
  dependsOn: number[]
  /** The task begins when every task of the earlier groups is completed. */
  group: number | null
  /** The task's own backpressure commands. Umpire runs them in addition to the configured gates. */
  gates: string[]
  autoReview: boolean | null
  maxCycles: number | null
  effort: Effort | null
  agent: string | null
  model: string | null
  reviewer: string | null
  reviewModel: string | null
  /** The plan folder that the task was imported from, and its number there. Absent if a person added the task by hand. */
  source?: TaskSource
}

export interface TaskSource {
  /** Relative to the top of the repository, if the plan is inside it. */
  plan: string
  task: number
}

/** The highest group that can be named. */
export const lastGroup = 1_000_000

export const taskTypes = ['implement', 'improve', 'review', 'plan', 'spec'] as const
export type TaskType = (typeof taskTypes)[number]

export const taskStatuses = [
  'pending',
  'in_progress',
  'awaiting_review',
  'completed',
  'blocked',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** Why a person is needed. */
export type BlockReason =
  | 'max_cycles'
  | 'changes_requested'
  | 'needs_discussion'
  | 'rejected'
  | 'malformed_review'
  | 'stalled'
  | 'churning'
  | 'gate'
  | 'budget'
  | 'conflict'
  | 'reviewer_tampered'
  | 'dependency'
  | 'timeout'
  | 'checkout_dirty'

/** Why Umpire could not continue. */
export type FailReason = FailureClass | 'vcs' | 'disk'

/** A step of the loop that a person asks for. The loop takes it once, and then waits for the person again. */
export type HandMove = 'review' | 'improve' | 'merge'

/** The part of such a step that is still to do. A merge into the base goes through its group's branch first: `gather`. */
export type HandStep = HandMove | 'gather'

/** The ways an agent run can fail. */
export type FailureClass = 'crash' | 'idle' | 'rate_limited' | 'auth' | 'overloaded' | 'timeout'

/**
 * How to retry after a failure, if the same attempt again would not help. `never`: a retry fails until a person changes
 * something. `shorter`: the prompt was too long for the model.
 */
export type Retry = 'never' | 'shorter'

/** A task with nothing but a title. `add` starts from it. */
export function newTask(title: string): Task {
  return {
    title,
    description: '',
    type: 'implement',
    of: null,
    plan: null,
    accept: [],
    scope: null,
    dependsOn: [],
    group: null,
    gates: [],
    autoReview: null,
    maxCycles: null,
    effort: null,
    agent: null,
    model: null,
    reviewer: null,
    reviewModel: null,
  }
}
