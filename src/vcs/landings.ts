import type { Place } from '../core/place.ts'
import type { Into } from './merges.ts'

/** PORT: Moving a branch to approved work, and removing what is merged or cancelled. */

export interface Landings {
  /**
   * Moves the branch from one commit to a later one, and a clean checkout of it along. Both come from `integrateParts`:
   * its base, and the result of any part.
   */
  advance(into: Into, from: string, to: string): Promise<Advance>
  /** Whether the commit is in the result that waits for the checkout of this base. */
  isWaiting(place: Place, commit: string): Promise<boolean>
  /** Removes the branch on which results wait for this base, because one of them must no longer land. */
  withdrawWaiting(place: Place): Promise<void>
  /** The commits that this one would bring into a branch, because the branch does not contain them yet. */
  broughtBy(sha: string, branch: string, commits: string[]): Promise<string[]>
  /** Whether the base branch contains the commit, however it got there. */
  isMerged(place: Place, commit: string): Promise<boolean>
  /**
   * Removes the worktree of a loop whose commit is merged. Its branch stays. `kept`: the worktree has something besides
   * that commit, or is locked or in use.
   */
  dropWorktree(place: Place, sha: string): Promise<'dropped' | 'kept' | 'absent'>
  /** Removes the branch and the worktree of a loop that has ended, but never the only copy of anything. */
  removeWork(place: Place, how: 'merged' | 'cancelled'): Promise<RemovedWork>
  /** The same for a group's branch, once the base contains all of it. */
  removeGroup(branch: string, base: string): Promise<RemovedWork>
}

export type Advance =
  /** `checkout` is the checkout of the base that was updated with it. */
  | { kind: 'advanced'; checkout: string | null }
  /** The base has moved since the merge was made. Merge and run the gates again. */
  | { kind: 'moved' }
  /** The base stayed, because its checkout can't be updated. The result waits on `branch` and at `ref`. */
  | { kind: 'waits'; checkout: string; branch: string; ref: string; why: string }

export type RemovedWork =
  /**
   * `was` is the branch's last commit. `kept` is the ref with the work of a cancelled loop that the base does not
   * contain.
   */
  | { kind: 'removed'; was: string | null; kept: string | null }
  | { kind: 'kept'; why: string }
  /** There is neither branch nor worktree. */
  | { kind: 'absent' }
