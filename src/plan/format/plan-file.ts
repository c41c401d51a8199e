/**
 * A plan is a folder of Markdown files, one for each task. This type is the content of one file, with the plan's own
 * numbers, before it becomes one of Umpire's tasks.
 */
import type { Task, TaskStatus } from '../../core/task.ts'

export interface PlanFile {
  /** Its number in the plan. The plan's files refer to each other by these numbers. */
  task: number
  title: string
  status: TaskStatus
  description: string
  scope: string | null
  accept: string[]
  /** The commands under `backpressure`. */
  gates: string[]
  dependsOn: number[]
  group: number | null
  /** The number of the task that a review or an improvement is for. */
  of: number | null
  /** The settings of the task that the file contains. Settings that it leaves out stay as they are. */
  settings: PlanSettings
  /** Identifies an exported file. Null in a file that a person wrote. */
  mark: ExportMark | null
}

export type PlanSettings = Partial<
  Pick<Task, 'type' | 'autoReview' | 'maxCycles' | 'effort' | 'agent' | 'model' | 'reviewer' | 'reviewModel'>
>

export interface ExportMark {
  /** Umpire's own number of the task, in the store with this name. */
  id: number
  store: string
  /** The digest of the rest of the file. It shows whether the file was changed since the export. */
  digest: string
}

/** One problem in one file. */
export interface PlanProblem {
  file: string
  /** Null if the problem is with the file as a whole. */
  line: number | null
  text: string
}

/** `lineOf` returns the line of a key of the front matter, or null. */
export interface WhereIn {
  plan: PlanFile
  lineOf: (key: string) => number | null
}

export type ParsedPlan =
  | ({ kind: 'task' } & WhereIn)
  /** Some other Markdown file. */
  | { kind: 'other'; why: string }
  /**
   * `rest`: the readable part of the file, if that includes its number. It never becomes a task. It is needed to report
   * problems between files at the same time, and to report nothing false about other files.
   */
  | { kind: 'malformed'; problems: PlanProblem[]; rest: WhereIn | null }
