import type { Place } from '../core/place.ts'
import type { ReviewedState } from '../core/session/session.ts'
import type { RepositorySurroundings } from '../core/session/surroundings.ts'
import type { CheckoutNeeds } from './worktrees.ts'

/**
 * PORT: What reviewers and gates get: the diff, a clone to read, a scratch checkout to run commands in. Also finds out
 * whether they changed anything.
 */

export interface ReviewRooms {
  /** The state of the repository around the worktrees, to compare with a later one. */
  surroundings(): Promise<RepositorySurroundings>
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
  /** A scratch checkout of a commit, to run commands in. */
  openScratch(name: string, commit: string, needs: CheckoutNeeds, signal: AbortSignal): Promise<string>
  /** Resets a scratch checkout to the commit after something ran in it. Ignored files and files given to it stay. */
  restoreScratch(name: string, commit: string): Promise<void>
  /** Removes a clone or scratch checkout by its name. */
  removeCheckout(name: string): Promise<void>
  /** The names of all existing clones and scratch checkouts. */
  checkouts(): Promise<string[]>
}

export interface Diff {
  text: string
  files: { path: string; added: number | null; removed: number | null }[]
  /** The commit that it is compared with. */
  against: string
  /** It is too long for memory, so the end of the text is missing. */
  cut: boolean
}
