/** A place where everything is kept: the journal, what screens read, what is lent to loops, and the way to make the second anew from the first. */
import type { Archive } from './archive.ts'
import type { Journal } from './journal.ts'
import type { PortRanges } from './port-ranges.ts'
import type { Spending } from './spending.ts'

export interface Store {
  journal: Journal
  archive: Archive
  spending: Spending
  portRanges: PortRanges
  /** Throws all projections away and folds the journal again. Messages are no projection and stay. */
  rebuild(): Promise<void>
  close(): Promise<void>
}
