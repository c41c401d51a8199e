/**
 * The store of all data: the journal, the archive that screens read, and what is lent to loops. The archive can be
 * rebuilt from the journal.
 */
import type { Archive } from './archive.ts'
import type { Journal } from './journal.ts'
import type { PortRanges } from './port-ranges.ts'
import type { Spending } from './spending.ts'

export interface Store {
  journal: Journal
  archive: Archive
  spending: Spending
  portRanges: PortRanges
  /** Deletes all projections and folds the journal again. Messages are not a projection, so they stay. */
  rebuild(): Promise<void>
  close(): Promise<void>
}
