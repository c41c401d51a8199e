/** Where a loop's work is, how it was committed, and how merging it ended. */
import type { FailedGate, Feedback } from './session/feedback.ts'

/** The branch and the worktree of a loop, and the commits it begins with. */
export interface Place {
  branch: string
  /** The branch the work is for, and its commit when the loop began. */
  base: string
  baseCommit: string
  /** A path relative to the repository's `.umpire` folder, so that a moved repository still works. */
  worktree: string
  /** The commit that the branch begins at, if that is another task's work and not the base. */
  start?: string
  /** The approved work of other tasks that this one is built on, not its own work. `start` is then the same commit. */
  root?: string
  /** The branch that the work is merged into at its group's end, if that is not the base. */
  target?: string
  /** The commit that the target branch begins at. It is the same for all tasks that share the branch. */
  targetFrom?: string
  /** The tasks whose work the branch began with. It leaves out what those are built on, and work gathered by groups. */
  builtOn?: BuiltOn[]
}

/** The work of another task, as it was when this task began with it. */
export interface BuiltOn {
  task: number
  sha: string
}

/** Why the work of another task must not land together with the task that is built on it. */
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
  /** The other task's last review, which an improvement begins with. */
  feedback: Feedback | null
}

/** Another task's work that is still to be merged, and the files that were in conflict when the merge was last tried. */
export interface Unmerged {
  commit: string
  branch: string
  files: string[]
}

/** How the attempt to merge approved work into its base ended. */
export type LandOutcome =
  | { kind: 'landed'; commit: string; tree: string | null; checkout: string | null }
  /**
   * `between`: the loop's branch and the one it lands on; in older records also a branch whose result waits. `commit`: the tip of the branch
   * that the work was to be merged into. Older records leave `commit` out, here and below.
   */
  | { kind: 'conflict'; between: [string, string]; files: string[]; commit?: string }
  /** A hook refused the merge commit. */
  | { kind: 'refused'; output: string }
  /** `alone`: the gates fail on the base even without this work, so the work is not to blame. */
  | { kind: 'gate'; gates: FailedGate[]; tree: string; commit?: string; alone?: boolean }
  /** The branch contains other tasks' work that was not approved in its present form, and the base would get that too. */
  | { kind: 'carries'; works: CarriedWork[] }
  /**
   * The base is checked out and dirty, so the result waits on the branch named here. `ref` names the same commit, but no
   * sandboxed agent can move it. Older records leave `ref` out.
   */
  | { kind: 'waits'; checkout: string; branch: string; ref?: string; why: string; behind?: Behind }

/**
 * The work conflicts with other tasks' work that waits for the same checkout, so the waiting result does not include it.
 * When the others have landed, Umpire tries again to land it. `names` are files or gates.
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
  /** The branch as a whole does not differ from its base. */
  empty: boolean
  message: string
}
