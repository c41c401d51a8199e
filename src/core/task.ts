import type { Effort } from './policy/effort.ts'

/** What a person wants. Everything here is the person's own words and settings; a loop's progress is in `Loop`. */
export interface Task {
  title: string
  description: string
  type: TaskType
  /** The task that an improve or review task is for. */
  of: number | null
  /** A plan the reviewer compares the work with, as it stood when the task was filed. */
  plan: { path: string; text: string } | null
  accept: string[]
  scope: string | null
  /** What must be completed before it begins; it begins with their work. */
  dependsOn: number[]
  /** It begins when every task of the groups before is completed. */
  group: number | null
  /** The task's own backpressure commands, run by the harness beside the configured gates. */
  gates: string[]
  autoReview: boolean | null
  maxCycles: number | null
  effort: Effort | null
  agent: string | null
  model: string | null
  reviewer: string | null
  reviewModel: string | null
  /** The plan file that it was imported from, by the folder of the plan and its number there; absent when filed by hand. */
  source?: TaskSource
}

export interface TaskSource {
  /** From the top of the repository, where it lies inside. */
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

/** Why the machinery could not go on. */
export type FailReason = FailureClass | 'vcs' | 'disk'

/** A step of the loop that a person asks for. It is taken once, and then the person is asked again. */
export type HandMove = 'review' | 'improve' | 'merge'

/** What is left of such a step: a merge into the base goes through the branch of its group, which has to `gather` it first. */
export type HandStep = HandMove | 'gather'

/** How an agent run can end other than well. */
export type FailureClass = 'crash' | 'idle' | 'rate_limited' | 'auth' | 'overloaded' | 'timeout'

/**
 * What is known of another try after a failure, where it is not simply the same once more. `never`: it can only fail
 * again, until a person changes something. `shorter`: the prompt was too long for the model.
 */
export type Retry = 'never' | 'shorter'

/** A task with nothing but a title; what `add` starts from. */
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
