/** A place where everything is kept: the journal, what screens read, and the way to make the second anew from the first. */
import type { Archive } from './archive.ts'
import type { Journal } from './journal.ts'

export interface Store {
  journal: Journal
  archive: Archive
  /** Throws all projections away and folds the journal again. Messages are no projection and stay. */
  rebuild(): Promise<void>
  close(): Promise<void>
}
