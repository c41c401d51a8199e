/**
 * A merge in the loop's own worktree that comes before anything else: of a base with which the approved work conflicts, of
 * a base together with which it fails, or of the work of tasks that it builds on.
 */
import type { Unmerged } from '../place.ts'
import type { Role } from '../session/session.ts'

export interface Resolving {
  why: 'conflict' | 'gate' | 'start'
  /** What is merged in now, and what after it. */
  other: Unmerged
  next: Unmerged[]
  /**
   * `begin`: the files are to be brought to the merge. `resolve`: somebody has to settle what conflicts. `commit`: what is
   * there is to be committed.
   */
  stage: 'begin' | 'resolve' | 'commit'
  /** Where the loop goes on. */
  after: 'develop' | 'check'
  files: string[]
  /** All that git could not settle by itself, and the tree as git left it; of older records neither is known. */
  conflicts?: ConflictFile[]
  left?: string
  /** How many sessions left it unresolved, and what the next one is told about it. */
  unresolved: number
  told: string | null
  /** In whose name the merge is committed; null where nobody had to settle anything. */
  session: string | null
}

/** The latest resolver, by which the next one is numbered. */
export interface LastResolver {
  iteration: number
  cycle: number
  attempt: number
}

/** What was merged last, and the tree that came of it. */
export interface MergedIn {
  branch: string
  tree: string
  /** Where somebody had to settle something, and no reviewer has approved that yet. */
  resolutions?: Resolution[]
}

/** `text`: in lines. `deleted`: one side deleted what the other changed. `whole`: in what has no lines to put marks into. */
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

/** Landings in a row that met a conflict, and how often the work was sent back because it fails merged with others. */
export interface Setbacks {
  conflicts: number
  gates: number
}

export const noSetbacks: Setbacks = { conflicts: 0, gates: 0 }

/** So many resolvers try, then a person is asked. */
export const mostUnresolved = 2

/**
 * At so many conflicts in a row of landings a person is asked. Each of them means that other work got in meanwhile, so
 * many loops about the same lines still come to an end.
 */
export const mostConflicts = 10

/** So often work is sent back that passes its gates only by itself. */
export const mostReturns = 2

/** A person asked for one step and decides on the next, as when all has been tried. */
export const allSetbacks: Setbacks = { conflicts: mostConflicts, gates: mostReturns }

/** Who works in the loop's worktree and may change what is there. */
export function isWriter(role: Role): boolean {
  return role === 'developer' || role === 'resolver'
}

export function beginning(
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
