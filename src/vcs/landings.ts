import type { Place } from '../core/place.ts'
import type { Into } from './merges.ts'

/** PORT: Moving a branch to approved work, and removing what is merged or cancelled. */

export interface Landings {
  /**
   * Moves the branch from one commit to a later one, and a clean checkout of it along. They are what `integrateParts` told:
   * its base, and what any of the parts came to.
   */
  advance(into: Into, from: string, to: string): Promise<Advance>
  /** Whether the commit is in the result that waits for the checkout of this base. */
  isWaiting(place: Place, commit: string): Promise<boolean>
  /** Takes away the branch on which results wait for this base, because one of them is no longer to land. */
  withdrawWaiting(place: Place): Promise<void>
  /** Those of the commits that come into a branch with this one, because the branch has not got them yet. */
  broughtBy(sha: string, branch: string, commits: string[]): Promise<string[]>
  /** Whether the base branch contains the commit, however it got there. */
  isMerged(place: Place, commit: string): Promise<boolean>
  /**
   * Removes the worktree of a loop whose work, the commit, is merged; its branch stays. `kept`: something else is in it
   * than that commit, or somebody holds it.
   */
  dropWorktree(place: Place, sha: string): Promise<'dropped' | 'kept' | 'absent'>
  /** Removes branch and worktree of a loop that has ended, and nothing that is nowhere else. */
  removeWork(place: Place, how: 'merged' | 'cancelled'): Promise<RemovedWork>
  /** The same with the branch that gathered a group's work, once the base has all of it. */
  removeGroup(branch: string, base: string): Promise<RemovedWork>
}

export type Advance =
  /** `checkout` is where the base is checked out and was brought along. */
  | { kind: 'advanced'; checkout: string | null }
  /** The base is no longer where it was when the merge was made: merge and gate again. */
  | { kind: 'moved' }
  /** The base stayed, because its checkout can't be brought along; the result is on `branch`, which is kept for it, and at `ref`. */
  | { kind: 'waits'; checkout: string; branch: string; ref: string; why: string }

export type RemovedWork =
  /** `was` is where the branch stood; `kept` the ref that holds what a cancelled loop had and the base has not. */
  | { kind: 'removed'; was: string | null; kept: string | null }
  | { kind: 'kept'; why: string }
  /** There is neither branch nor worktree. */
  | { kind: 'absent' }
