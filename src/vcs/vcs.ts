/**
 * PORT: what a loop needs from version control. It compares trees, not commits. It never touches the user's checkout
 * and never deletes unmerged work. Every operation can be repeated: opening an open worktree, committing what is
 * committed and removing what is gone are fine. Expected outcomes are values. VcsError is for what the loop can't fix.
 */

import type { SetupError } from '../core/errors.ts'
import type { CommitRecord, Place } from '../core/place.ts'
import type { ConflictFile, Resolution } from '../core/resolution.ts'
import type { ReviewedState } from '../core/session/session.ts'
import type { RepositorySurroundings } from '../core/session/surroundings.ts'
import type { ComparedMerge, MergeBegun, MergeFinished, MergeRequest } from './worktree-merge.ts'

export interface Vcs {
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
  /** The state of the repository around the worktrees, to compare with another time. */
  surroundings(): Promise<RepositorySurroundings>
  /** Whether the worktree exists. Asking does not create it again. */
  hasWorktree(place: Place): Promise<boolean>
  /**
   * Cleans up after a worker that died here: stops what it had started and removes its locks. Call it only when no
   * session works in the worktree.
   */
  recover(place: Place): Promise<void>
  /** The files that differ from what the loop began with, as far as it has got, committed or not. */
  touched(place: Place): Promise<string[]>
  /**
   * Checks what the developer's session did to the branch. If HEAD is not on the branch or does not descend from
   * `recorded`, the record is restored, the files are kept, and the answer says what was wrong. The same if the
   * worktree is gone: the next `openWorktree` creates it again.
   */
  settle(place: Place, recorded: string): Promise<{ kind: 'fine' } | { kind: 'restored'; what: string }>
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
  /** The full diff of a tree against the branch's merge base. */
  diff(place: Place, to: string): Promise<Diff>
  /** Changed line ranges, on the new side, by file. */
  changedLines(fromTree: string, toTree: string): Promise<Record<string, [number, number][]>>
  /** Diff text between two trees. */
  diffTrees(fromTree: string, toTree: string): Promise<string>
  /**
   * A separate clone for the reviewer: the tree under review as one commit on top of the base. Null gives an empty
   * tree, for an agent that has nothing to read but must not touch anything either.
   */
  openClone(name: string, place: Place, tree: string | null): Promise<{ path: string; state: ReviewedState }>
  /** What a reviewer changed without permission, or null. A clone that is gone is a change too. */
  tampered(
    name: string,
    place: Place,
    before: ReviewedState,
    /** `clone`: checks only the clone, hooks and config, because a developer works in branch and worktree meanwhile. */
    held?: 'all' | 'clone',
  ): Promise<string | null>
  /** A scratch checkout of a commit in which something is run. */
  openScratch(name: string, commit: string, needs: CheckoutNeeds, signal: AbortSignal): Promise<string>
  /** Removes a clone or scratch checkout by its name. */
  removeCheckout(name: string): Promise<void>
  /**
   * Merges approved work into what a branch is now, one part after the other, in one scratch checkout that is made anew;
   * the branch itself and everybody's checkouts stay as they are. A part that can't be merged is left out and told; the
   * others are merged without it. Unless nothing is merged the checkout is left, prepared for what all came to, for gates to
   * run in and for the caller to remove.
   */
  integrateParts(
    request: IntegrationRequest,
    needs: CheckoutNeeds,
    signal: AbortSignal,
  ): Promise<IntegratedParts>
  /**
   * Moves the branch from one commit to a later one, and a clean checkout of it along. They are what `integrateParts` told:
   * its base, and what any of the parts came to.
   */
  advance(into: Into, from: string, to: string): Promise<Advance>
  /**
   * The commit that a task begins at whose dependencies' approved work is given: one that has all of them. It is kept
   * until a worktree is opened at a place with that `root`.
   */
  startFrom(request: StartRequest, signal: AbortSignal): Promise<StartPoint>
  /**
   * Brings the files of the loop's worktree to the merge of the recorded head with another commit, with marks where they
   * conflict; branch and HEAD stay. Where it was begun before and somebody has worked on it since, that is found and left.
   */
  beginMerge(
    place: Place,
    merge: { recorded: string; other: string },
    needs: CheckoutNeeds,
    signal: AbortSignal,
  ): Promise<MergeBegun>
  /**
   * Commits what is in the worktree as the merge that was begun, hooks honoured; found again like any other commit. Whoever
   * resolved it may have committed it already.
   */
  finishMerge(place: Place, request: MergeRequest, signal: AbortSignal): Promise<MergeFinished>
  /** What git could not settle in the merge that was begun here, and the tree as git left it. Null when none was begun. */
  begunMerge(place: Place): Promise<{ left: string; conflicts: ConflictFile[] } | null>
  /**
   * What a resolver made of a merge: the other files that are not as git left them, and the resolved ones against each
   * side.
   */
  compareMerge(resolution: Resolution): Promise<ComparedMerge>
  /** Back to the recorded head; what was resolved so far is given up. */
  abandonMerge(place: Place, recorded: string): Promise<void>
  /** Brings a scratch checkout back to the commit after something ran in it; ignored files and what it was given stay. */
  restoreScratch(name: string, commit: string): Promise<void>
  /** Whether the commit is in the result that waits for the checkout of this base. */
  isWaiting(place: Place, commit: string): Promise<boolean>
  /** Takes away the branch on which results wait for this base, because one of them is no longer to land. */
  withdrawWaiting(place: Place): Promise<void>
  /** Those of the commits that come into a branch with this one, because the branch has not got them yet. */
  broughtBy(sha: string, branch: string, commits: string[]): Promise<string[]>
  /** How the branch and the worktree, as far as there is one, compare with what is recorded of them, if anything is. */
  workState(place: Place, recorded: { sha: string; tree: string } | null): Promise<WorkState>
  /** Whether the base branch contains the commit, however it got there. */
  isMerged(place: Place, commit: string): Promise<boolean>
  /**
   * Removes the worktree of a loop whose work, the commit, is merged; its branch stays. `kept`: something else is in it
   * than that commit, or somebody holds it.
   */
  dropWorktree(place: Place, sha: string): Promise<'dropped' | 'kept' | 'absent'>
  /** Removes branch and worktree of a loop that has ended, and nothing that is nowhere else. */
  removeWork(place: Place, how: 'merged' | 'cancelled'): Promise<RemovedWork>
  /** The same with the branch that gathered a group's work, once the base has all of it. */
  removeGroup(branch: string, base: string): Promise<RemovedWork>
  /** The names of all clones and scratch checkouts that are there. */
  checkouts(): Promise<string[]>
  /**
   * If something other than a commit is at the name of the loop's branch, such as a link to another branch, restores
   * what was recorded last (`start`).
   */
  mendBranch(place: Place): Promise<void>
  /** The commit of a branch, or null. */
  branchHead(branch: string): Promise<string | null>
  /**
   * The same for a caller that may lose its claim: the guard is called before each change, also in the middle of an
   * operation. If it throws, the operation ends.
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

/** What approved work is merged into. */
export interface Into {
  /** A person's branch, or with `from` one of Umpire's own that gathers the work of a group. */
  branch: string
  /** Where a group's branch begins as long as there is none; it is made when it is first moved. */
  from?: string
}

export interface Part {
  /** The caller's name for it. */
  key: string
  commit: string
  branch: string
}

export interface IntegrationRequest {
  /** Of the scratch checkout. */
  name: string
  into: Into
  /** In the order in which they are merged; `message` is that of the merge commit, where one is needed. */
  parts: (Part & { message: string })[]
  /** How long the repository's hooks and the signing may take, for each part. */
  hookLimitMs: number
  /** Something is to be run in a checkout of what comes of it. */
  inCheckout: boolean
}

export interface IntegratedParts {
  /** Where the branch is, or would begin. */
  base: string
  /** After all that could be merged; the base when nothing was. */
  commit: string
  tree: string
  /** Of the checkout; null when nothing was merged, or when nobody asked for one and none was needed. */
  path: string | null
  /** Why the checkout is not prepared; nothing can be run in it then, nor landed. */
  unprepared: SetupError | null
  /** In the order of the request. */
  parts: PartOutcome[]
}

export type PartOutcome =
  /** What it came to with the parts before it; the part's own commit where nothing else had happened. */
  | { key: string; kind: 'merged'; commit: string; tree: string }
  /** It is there without a merge of its own, at this commit on the way: the base, or what another part came to. */
  | { key: string; kind: 'contained'; commit: string; tree: string }
  /** With the keys of earlier parts and the branch, as far as it is known whose doing it is. */
  | { key: string; kind: 'conflict'; files: string[]; with: string[] }
  /** A hook refused the merge commit. */
  | { key: string; kind: 'refused'; output: string; exitCode: number | null; timedOut: boolean }
  /** What it consists of is not in the repository as it was made. */
  | { key: string; kind: 'damaged'; why: string; fix: string | null }

export interface StartRequest {
  /** Of the scratch checkout, and of what keeps the commit. */
  name: string
  parts: Part[]
}

export type StartPoint =
  | { kind: 'commit'; commit: string }
  /** `merged` has the parts before this one, and is kept like a whole one. */
  | { kind: 'conflict'; merged: string; with: Part; files: string[] }

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

export interface WorkState {
  isChanged: boolean
  /** The files in which a merge, or the like, that a person began there is not resolved yet. */
  unmerged: string[]
}
