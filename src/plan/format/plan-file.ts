/**
 * A plan is a folder of Markdown files, one for each task. This type is the content of a file, with the plan's own
 * numbers, before it becomes one of Umpire's tasks.
 */
import type { Task, TaskStatus } from '../../core/task.ts'

export interface PlanFile {
  /** Its number in the plan; the plan's files refer to each other by it. */
  task: number
  title: string
  status: TaskStatus
  description: string
  scope: string | null
  accept: string[]
  /** Its `backpressure`. */
  gates: string[]
  dependsOn: number[]
  group: number | null
  /** The number of the task that a review or an improvement is for. */
  of: number | null
  /** Settings of a task that the file speaks of; of others it says nothing, so they stay as they are. */
  settings: PlanSettings
  /** By this an exported file is known again; null in one that a person wrote. */
  mark: ExportMark | null
}

export type PlanSettings = Partial<
  Pick<Task, 'type' | 'autoReview' | 'maxCycles' | 'effort' | 'agent' | 'model' | 'reviewer' | 'reviewModel'>
>

export interface ExportMark {
  /** Umpire's own number of the task, in the store of this name. */
  id: number
  store: string
  /** Of the rest of the file, which tells whether somebody changed it since. */
  digest: string
}

/** One thing that is wrong in one file. */
export interface PlanProblem {
  file: string
  /** Null when the file as a whole is meant. */
  line: number | null
  text: string
}

/** `lineOf` tells where a key of the front matter stands, or null. */
export interface WhereIn {
  plan: PlanFile
  lineOf: (key: string) => number | null
}

export type ParsedPlan =
  | ({ kind: 'task' } & WhereIn)
  /** Some other Markdown file. */
  | { kind: 'other'; why: string }
  /**
   * `rest`: what could be read of it all the same, where that is at least its number. It is never filed; it is there so
   * that what is wrong beyond the file itself can be said in the same breath, and nothing false of other files.
   */
  | { kind: 'malformed'; problems: PlanProblem[]; rest: WhereIn | null }
