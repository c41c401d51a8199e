/** How a merge with conflicts is recorded. */

/** The branch that was merged last, and the resulting tree. */
export interface MergedIn {
  branch: string
  tree: string
  /** Merges whose conflicts a resolver resolved and that no reviewer has approved yet. */
  resolutions?: Resolution[]
}

/**
 * `text`: the conflict is in lines of the file. `deleted`: one side deleted the file and the other changed it.
 * `whole`: the file has no lines in which git could mark the conflict.
 */
export type ConflictKind = 'text' | 'deleted' | 'whole'

export interface ConflictFile {
  path: string
  kind: ConflictKind
}

/** A merge commit in which conflicts were resolved. */
export interface Resolution {
  branch: string
  sha: string
  /** The two commits that were merged. */
  ours: string
  theirs: string
  /** The tree as git left it. */
  left: string
  conflicts: ConflictFile[]
}
