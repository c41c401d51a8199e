/** The store in one SQLite file. */
import type { Archive } from '../archive.ts'
import type { Store } from '../store.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { gatesTable } from './gates-table.ts'
import { loopsTable } from './loops-table.ts'
import { messagesTable } from './messages-table.ts'
import { reviewsTable } from './reviews-table.ts'
import { sessionsTable } from './sessions-table.ts'
import { projections, sqliteJournal } from './sqlite-journal.ts'
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

/** The data that screens show, from SQLite. */
function sqliteArchive(database: Database): Archive {
  const loops = loopsTable(database)
  const sessions = sessionsTable(database)
  const reviews = reviewsTable(database)
  const gates = gatesTable(database)
  const messages = messagesTable(database)

  return {
    tasks: (filter) => database.read(() => loops.tasks(filter?.recent)),
    standings: () => database.read(() => loops.standings()),
    loop: (task) => database.read(() => loops.load(task)),
    sessions: (task) => database.read(() => sessions.ofTask(task)),
    session: (id) => database.read(() => sessions.get(id)),
    prompt: (id) => database.read(() => sessions.prompt(id)),
    usage: () => database.read(() => sessions.usage()),
    reviews: (task) => database.read(() => reviews.ofTask(task)),
    gates: (task) => database.read(() => gates.ofTask(task)),
    addMessages: (id, added) => database.write('lazy', () => messages.add(id, added)),
    messages: (id, after = -1, limit = -1) => database.read(() => messages.list(id, after, limit)),
    lastMessage: (id) => database.read(() => messages.last(id)),
    messageEnd: (id) => database.read(() => messages.end(id)),
  }
}
