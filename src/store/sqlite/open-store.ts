/** The store in one SQLite file. */

import type { Store } from '../store.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'
import { projections } from './projections.ts'
import { sqliteArchive } from './sqlite-archive.ts'
import { sqliteJournal } from './sqlite-journal.ts'
import { sqlitePortRanges } from './sqlite-port-ranges.ts'
import { sqliteSpending } from './sqlite-spending.ts'

export interface StoreOptions extends DatabaseOptions {
  now?: () => Date
}

export async function openStore({ now = () => new Date(), ...options }: StoreOptions): Promise<Store> {
  const database = await openDatabase(options)
  return {
    journal: sqliteJournal(database, now),
    archive: sqliteArchive(database),
    spending: sqliteSpending(database),
    portRanges: sqlitePortRanges(database),
    rebuild: () => database.write('durable', () => projections(database).rebuild()),
    async close() {
      database.close()
    },
  }
}
