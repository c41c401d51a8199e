import type { SetupError } from '../core/errors.ts'
import type { ConflictFile, Resolution } from '../core/phases/landing-state.ts'
import type { Place } from '../core/place.ts'
import type { CheckoutNeeds, CommitOutcome, CommitRequest } from './worktrees.ts'

/**
 * PORT: Merging in a worktree or a scratch checkout: the start of a task, conflicts in a task's own worktree, and
 * several tasks' approved work.
 */

export interface Merges {
  /**
   * The start commit of a task: one that contains the approved work of all its dependencies. It is kept until a
   * worktree is opened at a place with that `root`.
   */
  startFrom(request: StartRequest, signal: AbortSignal): Promise<StartPoint>
  /**
   * Merges another commit into the files of the loop's worktree, on top of the recorded head, with conflict markers.
   * Branch and HEAD stay. If the merge was started before, the work on it since then is kept.
   */
  beginMerge(
    place: Place,
    merge: { recorded: string; other: string },
    needs: CheckoutNeeds,
    signal: AbortSignal,
  ): Promise<MergeBegun>
  /**
   * Commits the worktree's files as the merge that was started, with hooks. After a crash it is found like any other
   * commit. The resolver may have committed it already.
   */
  finishMerge(place: Place, request: MergeRequest, signal: AbortSignal): Promise<MergeFinished>
  /** What git could not merge here, and the tree as git left it. Null if no merge was started. */
  begunMerge(place: Place): Promise<{ left: string; conflicts: ConflictFile[] } | null>
  /** What a resolver did: the other files that it changed, and the resolved files compared with each side. */
  compareMerge(resolution: Resolution): Promise<ComparedMerge>
  /** Goes back to the recorded head and discards the resolution so far. */
  abandonMerge(place: Place, recorded: string): Promise<void>
  /**
   * Merges approved work into the current state of a branch, part by part, in one fresh scratch checkout. The branch
   * itself and all other checkouts stay unchanged. A part that can't be merged is reported, and the others are merged
   * without it. If anything was merged, the checkout of the result stays, prepared for gates, and the caller removes
   * it.
   */
  integrateParts(
    request: IntegrationRequest,
    needs: CheckoutNeeds,
    signal: AbortSignal,
  ): Promise<IntegratedParts>
}

export interface Part {
  /** The caller's name for the part. */
  key: string
  commit: string
  branch: string
}

export interface StartRequest {
  /** The name of the scratch checkout, and of the ref that keeps the commit. */
  name: string
  parts: Part[]
}

export type StartPoint =
  | { kind: 'commit'; commit: string }
  /** `merged` contains the parts before this one, and is kept like a complete result. */
  | { kind: 'conflict'; merged: string; with: Part; files: string[] }

export type MergeBegun =
  /** The files with conflicts to resolve. */
  | { kind: 'conflict'; files: string[] }
  /** Nothing conflicts. The merge only has to be finished. */
  | { kind: 'clean' }
  /** The recorded head already contains the other commit. */
  | { kind: 'contained' }

export interface MergeRequest extends CommitRequest {
  other: string
  /** Whether files without conflicts may be changed. */
  beyond?: 'allowed' | 'refused'
}

export type MergeFinished =
  | CommitOutcome
  /** Nothing was committed, because conflict markers are left. */
  | { kind: 'unresolved'; files: string[] }
  /** Files without markers are as git left them, and no one confirmed that. */
  | { kind: 'undecided'; files: string[] }
  /** Other files are not as git left them. The tree as git left it is `left`. */
  | { kind: 'beyond'; files: string[]; left: string }

export interface ComparedMerge {
  /** Null if the state that git left is gone. */
  beyond: string[] | null
  /** Diffs of the files in conflict and of those beyond. */
  againstOurs: string
  againstTheirs: string
}

/** What approved work is merged into. */
export interface Into {
  /** A person's branch or, with `from`, Umpire's own branch for a group. */
  branch: string
  /** Where a group's branch would start. It is created when it first moves. */
  from?: string
}

export interface IntegrationRequest {
  /** The name of the scratch checkout. */
  name: string
  into: Into
  /** In merge order. `message` is for the merge commit, if one is needed. */
  parts: (Part & { message: string })[]
  /** How long the repository's hooks and the signing may take, for each part. */
  hookLimitMs: number
  /** Whether the caller needs a checkout of the result to run something in. */
  inCheckout: boolean
}

export interface IntegratedParts {
  /** The branch's current commit, or where it would start. */
  base: string
  /** The commit after all successful merges, or the base if there were none. */
  commit: string
  tree: string
  /** The path of the checkout. Null if nothing was merged, or if none was requested or needed. */
  path: string | null
  /** Why the checkout is not prepared. Then nothing can run in it or land. */
  unprepared: SetupError | null
  /** In the order of the request. */
  parts: PartOutcome[]
}

export type PartOutcome =
  /** The result with the parts before it. It is the part's own commit if that was a fast-forward. */
  | { key: string; kind: 'merged'; commit: string; tree: string }
  /** It needed no merge, because this commit already contains it: the base, or the result of another part. */
  | { key: string; kind: 'contained'; commit: string; tree: string }
  /** `with` lists the earlier parts and the branch that it conflicts with, as far as known. */
  | { key: string; kind: 'conflict'; files: string[]; with: string[] }
  /** A hook refused the merge commit. */
  | { key: string; kind: 'refused'; output: string; exitCode: number | null; timedOut: boolean }
  /** Its objects in the repository are missing or changed. */
  | { key: string; kind: 'damaged'; why: string; fix: string | null }
