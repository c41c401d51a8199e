/** A merge in which conflicts had to be settled, as it is recorded. */

/** What was merged last, and the tree that came of it. */
export interface MergedIn {
  branch: string
  tree: string
  /** Merges in which a resolver settled conflicts and that no reviewer has approved yet. */
  resolutions?: Resolution[]
}

/** `text`: in lines. `deleted`: one side deleted what the other changed. `whole`: in a file that has no lines to mark. */
export type ConflictKind = 'text' | 'deleted' | 'whole'

export interface ConflictFile {
  path: string
  kind: ConflictKind
}

/** A merge commit in which conflicts were settled. */
export interface Resolution {
  branch: string
  sha: string
  /** Its two sides. */
  ours: string
  theirs: string
  /** The tree as git left it. */
  left: string
  conflicts: ConflictFile[]
}
