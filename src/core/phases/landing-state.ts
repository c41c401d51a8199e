/** Whether the work is approved, and how merging it went. */
import type { LandOutcome, Unmerged } from '../place.ts'

export interface LandingState {
  /** Who approved which tree. A new tree makes it void. */
  approval: { by: 'review' | 'person'; tree: string | null } | null
  outcome: 'begun' | LandOutcome | null
  setbacks: Setbacks
  /** A merge that has to come first. The phase is then `resolve`. */
  resolving: Resolving | null
  resolver: LastResolver | null
  landed: { base: string; commit: string } | null
}

/**
 * A merge in the loop's own worktree that comes before anything else. It merges a base that the approved work conflicts
 * with, a base on which its gates fail, or the work of tasks that it builds on.
 */
export interface Resolving {
  why: 'conflict' | 'gate' | 'start'
  /** The work that is merged now, and the work that is merged after it. */
  other: Unmerged
  next: Unmerged[]
  /**
   * `begin`: git has yet to merge the files. `resolve`: a resolver has to resolve the conflicts. `commit`: the merged
   * files have yet to be committed.
   */
  stage: 'begin' | 'resolve' | 'commit'
  /** The phase in which the loop continues. */
  after: 'develop' | 'check'
  files: string[]
  /** The files that git could not merge by itself, and the tree as git left it. Older records have neither. */
  conflicts?: ConflictFile[]
  left?: string
  /** How many sessions left the merge unresolved, and what the next one is told about that. */
  unresolved: number
  told: string | null
  /** The session in whose name the merge is committed, or null if git merged everything by itself. */
  session: string | null
}

/** The latest resolver. The attempt number of the next one follows from it. */
export interface LastResolver {
  iteration: number
  cycle: number
  attempt: number
}

/** How many landings in a row met a conflict, and how often the work was sent back because gates failed after the merge. */
export interface Setbacks {
  conflicts: number
  gates: number
}

export const noSetbacks: Setbacks = { conflicts: 0, gates: 0 }

export const noLanding: LandingState = {
  approval: null,
  outcome: null,
  setbacks: noSetbacks,
  resolving: null,
  resolver: null,
  landed: null,
}

export function newResolving(
  why: Resolving['why'],
  other: Unmerged,
  next: Unmerged[],
  after: Resolving['after'],
): Resolving {
  return {
    why,
    other,
    next,
    after,
    stage: 'begin',
    files: other.files,
    unresolved: 0,
    told: null,
    session: null,
  }
}

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
