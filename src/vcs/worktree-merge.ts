/** The requests and results of a merge in a loop's own worktree. */
import type { CommitOutcome, CommitRequest } from './vcs.ts'

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
