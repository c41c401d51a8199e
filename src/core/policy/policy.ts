/**
 * The limits a loop runs under, and which of several settings wins. They are resolved once per claim and travel in
 * the `loop.claimed` event, so that `decide` needs nothing but the state and a later run may change them.
 */

import type { Task } from '../task.ts'
import { type Effort, effortTable, type ReviewDepth } from './effort.ts'

/**
 * When a developer's work goes to review: once its session has ended by itself, also when it falls quiet without
 * ending, or only when a person says so.
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
  /** Try the task's own gates once on the base before the first session. */
  baseline: boolean
  maxGateFailures: number
  reviewRetries: number
  agentRetries: number
  minScore: number
  /** After how many developer sessions those who are not done yet are looked at; null for never. */
  checkpointEvery: number | null
  /** How many reviewers judge each review, and how many of them must approve. */
  seats: number
  approveBy: ApproveBy
  /** Whether a finding has to be proven by its witness. */
  proof: Proof
}

export type ApproveBy = 'all' | 'any' | { quorum: number }

/** `prefer`: a witness that passes takes its finding's right to block. `require`: only a proven finding blocks. */
export const proofs = ['off', 'prefer', 'require'] as const
export type Proof = (typeof proofs)[number]

export interface Gate {
  name: string
  command: string
  kind: 'gate' | 'backpressure'
}

/** Where `max_cycles` and `effort` can be set, nearest first; the first that says something wins. */
export interface CycleSettings {
  task: { maxCycles: number | null; effort: Effort | null }
  run: { effort: Effort | null }
  type: { maxCycles?: number | undefined; effort?: Effort | undefined }
  file: { maxCycles?: number | undefined; effort?: Effort | undefined }
}

/** `--max-cycles` > `--effort` (the task's before the run's) > the task type's setting > the file's `max_cycles` > the file's `effort` > medium. */
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

/** The configured gates and then the task's own, each under a name of its own. */
export function gatesFor(task: Task, configured: Record<string, string>): Gate[] {
  const own = task.gates.map((command, index): Gate => {
    const name = index === 0 ? 'backpressure' : `backpressure-${index + 1}`
    return { name, command, kind: 'backpressure' }
  })
  const gates = Object.entries(configured).map(([name, command]): Gate => ({ name, command, kind: 'gate' }))
  return [...gates, ...own]
}
