/** Whether the work is approved, and what came of merging it. */
import type { LandOutcome, Unmerged } from '../place.ts'
import type { ConflictFile } from '../resolution.ts'

export interface LandingState {
  /** Who approved which tree; void as soon as there is another one. */
  approval: { by: 'review' | 'person'; tree: string | null } | null
  outcome: 'begun' | LandOutcome | null
  setbacks: Setbacks
  /** A merge that comes first; the phase is then `resolve`. */
  resolving: Resolving | null
  resolver: LastResolver | null
  landed: { base: string; commit: string } | null
}

/**
 * A merge in the loop's own worktree that comes before anything else: of a base that the approved work conflicts with,
 * of a base together with which it fails its gates, or of the work of tasks that it builds on.
 */
export interface Resolving {
  why: 'conflict' | 'gate' | 'start'
  /** What is merged in now, and what after it. */
  other: Unmerged
  next: Unmerged[]
  /**
   * `begin`: the files are to be brought to the merge. `resolve`: a resolver has to settle the conflicts. `commit`: what
   * is there is to be committed.
   */
  stage: 'begin' | 'resolve' | 'commit'
  /** Where the loop goes on. */
  after: 'develop' | 'check'
  files: string[]
  /** All that git could not merge by itself, and the tree as git left it; older records have neither. */
  conflicts?: ConflictFile[]
  left?: string
  /** How many sessions left it unresolved, and what the next one is told about it. */
  unresolved: number
  told: string | null
  /** In whose name the merge is committed; null where git merged everything by itself. */
  session: string | null
}

/** The latest resolver, by which the next one is numbered. */
export interface LastResolver {
  iteration: number
  cycle: number
  attempt: number
}

/** Landings in a row that met a conflict, and how often the work was sent back because it fails merged with other work. */
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
