import type { CommitRecord, Place } from '../core/place.ts'

/** PORT: A loop's branch and worktree: create, read, commit, and restore the record. */

export interface Worktrees {
  /** The branch checked out where Umpire was started, and its commit. UserError when detached or without commits. */
  base(): Promise<{ branch: string; commit: string }>
  /** Where this task's loop will live. UserError if the branch name is taken. */
  plan(task: { id: number; title: string }): Promise<Place>
  /**
   * Creates branch and worktree, or finds them. A worktree that was deleted by hand is created again from the branch.
   */
  openWorktree(place: Place, needs: CheckoutNeeds, signal: AbortSignal): Promise<OpenWorktree>
  /** The paths that a developer in the worktree must be able to write, including for commits. */
  writable(place: Place): Promise<Writable>
  /** Whether the worktree exists. Asking does not create it again. */
  hasWorktree(place: Place): Promise<boolean>
  /**
   * Cleans up after a worker that died here: stops what it had started and removes its locks. Call it only when no
   * session works in the worktree.
   */
  recover(place: Place): Promise<void>
  /** The files that differ from the loop's start so far, committed or not. */
  touched(place: Place): Promise<string[]>
  /**
   * Checks what the developer's session did to the branch. If HEAD is not on the branch or does not descend from
   * `recorded`, the record is restored, the files are kept, and the answer says what was wrong. The same if the
   * worktree is gone: the next `openWorktree` creates it again.
   */
  restoreBranch(
    place: Place,
    recorded: string,
  ): Promise<{ kind: 'fine' } | { kind: 'restored'; what: string }>
  /**
   * The tree of the worktree's current files. It does not disturb a session there: branch, index and files stay
   * unchanged.
   */
  snapshot(place: Place, signal: AbortSignal): Promise<string>
  /** A commit of such a tree on top of another commit, for a scratch checkout. It is on no branch. */
  commitTree(tree: string, parent: string): Promise<string>
  /**
   * Commits everything, with the repository's hooks. `attempt` goes into the trailer, which finds a commit made before
   * a crash.
   */
  commit(place: Place, request: CommitRequest, signal: AbortSignal): Promise<CommitOutcome>
  /**
   * Removes what a gate left in the worktree, including commits. Ignored files and files given to the checkout stay.
   */
  discard(place: Place, sha: string): Promise<void>
  /**
   * Saves whatever is in branch and worktree apart from the commit under its own ref, before a `discard`. Null if there
   * is nothing.
   */
  keepAside(place: Place, sha: string, name: string): Promise<string | null>
  /** How the branch and the worktree, if it exists, compare with the record, if there is one. */
  workState(place: Place, recorded: { sha: string; tree: string } | null): Promise<WorkState>
  /**
   * If something other than a commit is at the name of the loop's branch, such as a link to another branch, restores
   * what was recorded last (`start`).
   */
  mendBranch(place: Place): Promise<void>
  /** The commit of a branch, or null. */
  branchHead(branch: string): Promise<string | null>
}

export interface OpenWorktree {
  path: string
  head: string
  tree: string
}

/** Paths. `kept` must stay unchanged although they are inside one of the others. */
export interface Writable {
  writable: string[]
  kept: string[]
}

/**
 * What a checkout needs before something can run in it. What was copied or linked is remembered with the checkout:
 * it never counts as a change and is never part of a commit, also when the settings change later.
 */
export interface CheckoutNeeds {
  copy: string[]
  link: string[]
  /** Commands of the configuration file, run in order in a new checkout. */
  setup: (path: string, signal: AbortSignal) => Promise<void>
}

export interface CommitRequest {
  message: string
  /** `task/n`, the trailer's value. */
  attempt: string
  session: string
  iteration: number
  /** The commit before this developer session. */
  recorded: string
  /** How long the repository's hooks may take. */
  hookLimitMs: number
}

export type CommitOutcome =
  | { kind: 'committed'; commit: CommitRecord }
  /** A hook refused; nothing was committed and the files are still there. */
  | { kind: 'refused'; output: string; exitCode: number | null; timedOut: boolean }

export interface WorkState {
  isChanged: boolean
  /** The files with unresolved conflicts of a merge or similar operation that a person started there. */
  unmerged: string[]
}
