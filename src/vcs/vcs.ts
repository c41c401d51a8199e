/**
 * PORT: what a loop needs from version control. It compares trees, not commits. It never touches the user's checkout
 * and never deletes unmerged work. Every operation can be repeated: opening an open worktree, committing what is
 * committed and removing what is gone are fine. Expected outcomes are values. VcsError is for what the loop can't fix.
 */
import type { Landings } from './landings.ts'
import type { Merges } from './merges.ts'
import type { ReviewRooms } from './review-rooms.ts'
import type { Worktrees } from './worktrees.ts'

export interface Vcs extends Worktrees, ReviewRooms, Merges, Landings {
  /**
   * The same for a caller that may lose its claim: the guard is called before each change, also in the middle of an
   * operation. If it throws, the operation ends.
   */
  guardedBy(guard: () => Promise<void>): Vcs
}
