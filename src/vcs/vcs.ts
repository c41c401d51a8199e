/**
 * PORT: what a loop needs of version control. Trees are compared, not commits; the person's checkout is never touched;
 * nothing unmerged is ever deleted. Every operation can be repeated: opening an open worktree, committing what is
 * committed and removing what is gone are fine. Expected endings are values; VcsError is for what the loop can't mend.
 */
import type { CommitRecord, Place, ReviewedState } from '../core/event.ts'
import type { RepositorySurroundings } from '../core/surroundings.ts'

export interface Vcs {
  /** The branch checked out where Umpire was started, and its commit. UserError when detached or without commits. */
  base(): Promise<{ branch: string; commit: string }>
  /** Where the loop of this task shall live; UserError when the branch name is taken. */
  plan(task: { id: number; title: string }): Promise<Place>
  /** Makes branch and worktree, or finds them; a worktree that was deleted by hand is made again from the branch. */
  openWorktree(place: Place, needs: CheckoutNeeds, signal: AbortSignal): Promise<OpenWorktree>
  /** What somebody who works in the worktree must be able to write, its commits included. */
  writable(place: Place): Promise<Writable>
  /** The repository around the worktrees, to be compared with how it was or will be at another time. */
  surroundings(): Promise<RepositorySurroundings>
  /** Whether the worktree is there; one that was cleaned away is not made again by asking. */
  hasWorktree(place: Place): Promise<boolean>
  /**
   * Clears the way after a worker that died here in the middle of something: ends what it had started and removes its
   * locks. Only when nobody works in the worktree.
   */
  recover(place: Place): Promise<void>
  /**
   * Looks at what the developer's session did to the branch. When HEAD is not on the branch or does not descend from
   * `recorded`, the record is restored, the files are kept, and the answer says what was wrong. The same when the
   * worktree is not there any more: the next to open it makes it again.
   */
  settle(place: Place, recorded: string): Promise<{ kind: 'fine' } | { kind: 'restored'; what: string }>
  /**
   * The tree of what is in the worktree now. Whoever works there is not interrupted: branch, index and files stay as
   * they are.
   */
  snapshot(place: Place, signal: AbortSignal): Promise<string>
  /** A commit of such a tree on top of another commit, for a scratch checkout. It is on no branch. */
  commitTree(tree: string, parent: string): Promise<string>
  /** Commits all there is, hooks honoured. `attempt` goes into the trailer, by which a commit made before a crash is found again. */
  commit(place: Place, request: CommitRequest, signal: AbortSignal): Promise<CommitOutcome>
  /** Takes away what a gate left behind in the worktree, its commits too; ignored files and what the checkout was given stay. */
  discard(place: Place, sha: string): Promise<void>
  /**
   * Keeps under a ref of its own whatever is in branch and worktree beside or instead of the commit, for `discard` to
   * come. Null when there is nothing of that kind.
   */
  keepAside(place: Place, sha: string, name: string): Promise<string | null>
  /** The full diff of a tree against the branch's merge base. */
  diff(place: Place, to: string): Promise<Diff>
  /** Changed line ranges, on the new side, by file. */
  changedLines(fromTree: string, toTree: string): Promise<Record<string, [number, number][]>>
  /** Diff text between two trees. */
  diffTrees(fromTree: string, toTree: string): Promise<string>
  /**
   * A clone of its own for the reviewer: the tree under review as one commit on top of the base. Null is an empty tree,
   * for who has nothing to look at and must not touch anything all the same.
   */
  openClone(name: string, place: Place, tree: string | null): Promise<{ path: string; state: ReviewedState }>
  /** What a reviewer changed that it must not, or null. Null-safe for a clone that is gone: that is a change, too. */
  tampered(name: string, place: Place, before: ReviewedState): Promise<string | null>
  /** A scratch checkout of a commit in which something is run. */
  openScratch(name: string, commit: string, needs: CheckoutNeeds, signal: AbortSignal): Promise<string>
  /** Removes a clone or scratch checkout by its name. */
  removeCheckout(name: string): Promise<void>
  /**
   * Merges an approved commit into what the base is now, in a scratch checkout that is made anew; the base itself, the
   * branch and everybody's checkouts stay as they are. What else waits for this base (`also`) is merged with it, as far
   * as it goes together; what does not is left out, and is told when it is its own turn.
   * Only a `merged` leaves the scratch checkout, for gates to run in and for the caller to remove.
   */
  integrate(
    place: Place,
    request: MergeRequest,
    needs: CheckoutNeeds,
    signal: AbortSignal,
  ): Promise<Integration>
  /** Brings a scratch checkout back to the commit after something ran in it; ignored files and what it was given stay. */
  restoreScratch(name: string, commit: string): Promise<void>
  /**
   * Moves the base branch from one commit to a later one, and a clean checkout of it along. Both are what `integrate`
   * told as `base` and `commit`.
   */
  advanceBase(place: Place, from: string, to: string): Promise<Advance>
  /** Whether the commit is in the result that waits for the checkout of this base. */
  isWaiting(place: Place, commit: string): Promise<boolean>
  /** Takes away the branch on which results wait for this base, because one of them is no longer to land. */
  withdrawWaiting(place: Place): Promise<void>
  /** Whether the base branch has the commit, whoever brought it there. */
  isMerged(place: Place, commit: string): Promise<boolean>
  /** Removes branch and worktree of a loop that has ended, and nothing that is nowhere else. */
  removeWork(place: Place, how: 'merged' | 'cancelled'): Promise<RemovedWork>
  /** The names of all clones and scratch checkouts that are there. */
  checkouts(): Promise<string[]>
  /**
   * Where something else than a commit stands at the name of the loop's branch, as a link to another branch, what was
   * recorded last (`start`) is put there.
   */
  mendBranch(place: Place): Promise<void>
  /** The commit of a branch, or null. */
  branchHead(branch: string): Promise<string | null>
  /**
   * The same for somebody who may lose the right to work here: the guard is asked before each change, also in the
   * middle of an operation, and what it throws ends the operation.
   */
  guardedBy(guard: () => Promise<void>): Vcs
}

export interface OpenWorktree {
  path: string
  head: string
  tree: string
}

/** Paths; `kept` is what must stay as it is although it lies in one of the others. */
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

export interface MergeRequest {
  /** Of the scratch checkout. */
  name: string
  /** The approved commit. */
  head: string
  /** Of the merge commit, where one is needed. */
  message: string
  /** Other approved work for the same base that waits for its checkout. */
  also: { branch: string; commit: string; message: string }[]
  /** How long the repository's hooks and the signing may take. */
  hookLimitMs: number
}

export type Integration =
  /** The base has the commit already. */
  | { kind: 'contained'; base: string }
  /** `commit` is the approved one itself where the base had not moved; the checkout at `path` is ready for gates. */
  | { kind: 'merged'; base: string; commit: string; tree: string; path: string }
  | { kind: 'conflict'; base: string; files: string[] }
  /** A hook refused the merge commit. */
  | { kind: 'refused'; base: string; output: string; exitCode: number | null; timedOut: boolean }

export type Advance =
  /** `checkout` is where the base is checked out and was brought along. */
  | { kind: 'advanced'; checkout: string | null }
  /** The base is no longer where it was when the merge was made: merge and gate again. */
  | { kind: 'moved' }
  /** The base stayed, because its checkout can't be brought along; the result is on `branch`, which is kept for it, and at `ref`. */
  | { kind: 'waits'; checkout: string; branch: string; ref: string; why: string }

export type RemovedWork =
  /** `was` is where the branch stood; `kept` the ref that holds what a cancelled loop had and the base has not. */
  | { kind: 'removed'; was: string | null; kept: string | null }
  | { kind: 'kept'; why: string }
  /** There is neither branch nor worktree. */
  | { kind: 'absent' }

export interface Diff {
  text: string
  files: { path: string; added: number | null; removed: number | null }[]
  /** The commit it is against. */
  against: string
  /** It is longer than can be held: the end of the text is missing. */
  cut: boolean
}
