import type { SetupError } from '../core/errors.ts'
import type { ConflictFile, Resolution } from '../core/phases/landing-state.ts'
import type { Place } from '../core/place.ts'
import type { CheckoutNeeds, CommitOutcome, CommitRequest } from './worktrees.ts'

/** PORT: Merging in a worktree or a scratch checkout: what a task starts from, conflicts in its own worktree, approved work together. */

export interface Merges {
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
}

export interface Part {
  /** The caller's name for it. */
  key: string
  commit: string
  branch: string
}

export interface StartRequest {
  /** Of the scratch checkout, and of what keeps the commit. */
  name: string
  parts: Part[]
}

export type StartPoint =
  | { kind: 'commit'; commit: string }
  /** `merged` has the parts before this one, and is kept like a whole one. */
  | { kind: 'conflict'; merged: string; with: Part; files: string[] }

export type MergeBegun =
  /** The files with conflicts to resolve. */
  | { kind: 'conflict'; files: string[] }
  /** Nothing conflicts. The merge only has to be finished. */
  | { kind: 'clean' }
  /** The recorded head has the other commit; there is nothing to do. */
  | { kind: 'contained' }

export interface MergeRequest extends CommitRequest {
  other: string
  /** Whether files may be changed in which nothing conflicts. */
  beyond?: 'allowed' | 'refused'
}

export type MergeFinished =
  | CommitOutcome
  /** Nothing was committed: there are marks of the conflict left. */
  | { kind: 'unresolved'; files: string[] }
  /** Files without marks are as git left them, and no one said that they should be. */
  | { kind: 'undecided'; files: string[] }
  /** Other files are not as git left them. The tree as git left it is `left`. */
  | { kind: 'beyond'; files: string[]; left: string }

export interface ComparedMerge {
  /** Null when what git had left is not there any more. */
  beyond: string[] | null
  /** Diffs of the files in conflict and of those beyond. */
  againstOurs: string
  againstTheirs: string
}

/** What approved work is merged into. */
export interface Into {
  /** A person's branch, or with `from` one of Umpire's own that gathers the work of a group. */
  branch: string
  /** Where a group's branch begins as long as there is none; it is made when it is first moved. */
  from?: string
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
