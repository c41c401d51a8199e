/** Where a loop's work lies, what it was committed as, and what came of merging it. */
import type { FailedGate, Feedback } from './session/feedback.ts'

/** Where a loop lives. */
export interface Place {
  branch: string
  /** The branch the work is for, and its commit when the loop began. */
  base: string
  baseCommit: string
  /** Relative to the repository's `.umpire` folder, so that a moved repository still works. */
  worktree: string
  /** The commit that the branch begins at, where it is not the base: the work of another task. */
  start?: string
  /** Other tasks' approved work that this one is built on; `start` is then the same commit. It is none of this task's own. */
  root?: string
  /** The branch that the work is merged into at its group's end, where that is not the base. */
  target?: string
  /** Where that branch begins: the same commit for all tasks that share it. */
  targetFrom?: string
  /** Whose work the branch began with; what those are built on in their turn, and what groups gathered, is left out. */
  builtOn?: BuiltOn[]
}

/** The work of another task, as it was then. */
export interface BuiltOn {
  task: number
  sha: string
}

/** Why such work must not get into a base together with what is built on it. */
export type CarriedWorkDoubt =
  | 'unreviewed'
  | 'unapproved'
  | 'rejected'
  | 'sent_back'
  | 'awaits_review'
  | 'changed'
  | 'unfinished'
  | 'cancelled'
  | 'deleted'

export interface CarriedWork extends BuiltOn {
  doubt: CarriedWorkDoubt
}

export interface Inherited {
  task: number
  sha: string
  tree: string
  /** What an improvement begins with: the other task's last review. */
  feedback: Feedback | null
}

/** Another task's work, and the files in which it conflicts with what is there as far as that was tried. */
export interface Unmerged {
  commit: string
  branch: string
  files: string[]
}

/** How the attempt to merge approved work into its base ended. */
export type LandOutcome =
  | { kind: 'landed'; commit: string; tree: string | null; checkout: string | null }
  /** Between the base and the loop's branch, or another on which results wait. */
  /** `commit` is where the branch is that it was to be merged into; it is missing in older records, here and below. */
  | { kind: 'conflict'; between: [string, string]; files: string[]; commit?: string }
  /** A hook refused the merge commit. */
  | { kind: 'refused'; output: string }
  /** `alone`: they fail there also without this work, so it is not to blame. */
  | { kind: 'gate'; gates: FailedGate[]; tree: string; commit?: string; alone?: boolean }
  /** The base would get work of other tasks with it that nobody approved as it is. */
  | { kind: 'carries'; works: CarriedWork[] }
  /** The base is checked out and dirty: the result is on the branch named here. */
  /** `ref` is the same where no agent in a sandbox can write; it is missing in older records. */
  | { kind: 'waits'; checkout: string; branch: string; ref?: string; why: string; behind?: Behind }

/**
 * It does not go together with other tasks' work that waits for the same checkout, and is not in the result that waits:
 * whether it goes together with the base is seen when the others have landed. The names are those of files, or of gates.
 */
export interface Behind {
  tasks: number[]
  why: 'conflict' | 'gate'
  names: string[]
}

export interface CommitRecord {
  sha: string
  tree: string
  /** The commit before this developer session; the commits in between are the developer's own. */
  from: string
  session: string
  iteration: number
  /** The branch as a whole changes nothing against its base. */
  empty: boolean
  message: string
}
