/**
 * The limits that apply to a loop, and which of several settings wins. They are resolved once per claim and recorded in
 * the `loop.claimed` event, so that `decide` needs only the state and a later run may change them.
 */
import type { Task } from '../task.ts'
import { type Effort, effortTable, type ReviewDepth } from './effort.ts'

/**
 * When a developer's work goes to review: when its session has ended by itself, also when the session goes idle without
 * ending, or only when a person asks for the review.
 */
export const reviewTriggers = ['script_completion', 'session_idle', 'explicit'] as const
export type ReviewTrigger = (typeof reviewTriggers)[number]

export interface Policy {
  effort: Effort
  depth: ReviewDepth
  /** False: the work ends as completed without a review. */
  reviewed: boolean
  trigger: ReviewTrigger
  /** What happens to approved work: it stays on its branch, or it is merged into its base. */
  land: 'branch' | 'base'
  maxCycles: number
  maxIterations: number
  until: 'session_end' | 'claim'
  gates: Gate[]
  /** Run the task's own gates once on the base before the first session. */
  baseline: boolean
  maxGateFailures: number
  reviewRetries: number
  agentRetries: number
  minScore: number
  /** After how many developer sessions unfinished work gets a checkpoint review; null for never. */
  checkpointEvery: number | null
  /** How many reviewers judge each review, and how many of them must approve. */
  seats: number
  approveBy: ApproveBy
  /** Whether a finding has to be proven by its witness. */
  proof: Proof
}

export type ApproveBy = 'all' | 'any' | { quorum: number }

/** `prefer`: a finding whose witness passes no longer blocks. `require`: only a proven finding blocks. */
export const proofs = ['off', 'prefer', 'require'] as const
export type Proof = (typeof proofs)[number]

export interface Gate {
  name: string
  command: string
  kind: 'gate' | 'backpressure'
}

/** Where `max_cycles` and `effort` can be set, nearest first. The first place that sets a value wins. */
export interface CycleSettings {
  task: { maxCycles: number | null; effort: Effort | null }
  run: { effort: Effort | null }
  type: { maxCycles?: number | undefined; effort?: Effort | undefined }
  file: { maxCycles?: number | undefined; effort?: Effort | undefined }
}

/**
 * `--max-cycles` > `--effort` (the task's before the run's) > the task type's setting > the file's `max_cycles` > the
 * file's `effort` > medium.
 */
export function resolveCycles(from: CycleSettings): { effort: Effort; maxCycles: number } {
  const effort = from.task.effort ?? from.run.effort ?? from.type.effort ?? from.file.effort ?? 'medium'
  const byEffort = (level: Effort) => effortTable[level].maxRevisionAttempts + 1
  const flagEffort = from.task.effort ?? from.run.effort
  const maxCycles =
    from.task.maxCycles ??
    (flagEffort && byEffort(flagEffort)) ??
    from.type.maxCycles ??
    (from.type.effort && byEffort(from.type.effort)) ??
    from.file.maxCycles ??
    byEffort(effort)
  return { effort, maxCycles }
}

/** The configured gates and then the task's own, each with a unique name. */
export function gatesFor(task: Task, configured: Record<string, string>): Gate[] {
  const own = task.gates.map((command, index): Gate => {
    const name = index === 0 ? 'backpressure' : `backpressure-${index + 1}`
    return { name, command, kind: 'backpressure' }
  })
  const gates = Object.entries(configured).map(([name, command]): Gate => ({ name, command, kind: 'gate' }))
  return [...gates, ...own]
}

/** The parts of the material that the reviewer is shown. */
export interface ReviewContext {
  taskDefinition: boolean
  gitDiff: boolean
  /** The output of every gate but `lint`. */
  testResults: boolean
  /** The output of the gate named `lint`. */
  lintResults: boolean
  /** The developer's transcript; never together with `blind`. */
  sessionLog: boolean
  plan: boolean
}
