/** What is asked and told of a merge that is made in a loop's own worktree. */
import type { CommitOutcome, CommitRequest } from './vcs.ts'

export type MergeBegun =
  /** The files that somebody has to look at. */
  | { kind: 'conflict'; files: string[] }
  /** All went together; it is only to be finished. */
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
  /** Or files without marks are as git left them, and nobody said that they are to be so. */
  | { kind: 'undecided'; files: string[] }
  /** Or other files are not as git left them; those are at `left`. */
  | { kind: 'beyond'; files: string[]; left: string }

export interface ComparedMerge {
  /** Null when what git had left is not there any more. */
  beyond: string[] | null
  /** Diffs of the files in conflict and of those beyond. */
  againstOurs: string
  againstTheirs: string
}
