/**
 * The tables of the local queue. An offer says that there is work on a task; a claim says which process has it. A
 * claim is worth as much as its owner: when that process is gone, or is stopped and so can't work, the claim is void
 * at once, without any time-out. A process that is woken again finds its claim gone.
 *
 * Everything here is called within a transaction of the caller's.
 */
import { formatIdentity, identify, parseIdentity, processState } from '../lib/process/process-identity.ts'
import type { Database } from '../store/sqlite/database.ts'

export interface Claim {
  id: number
  task: number
  offer: number
}

/** How a claim of ours stands. `cancelled`: its offer was taken back. `gone`: it is another's now, or nobody's. */
export type ClaimState = 'held' | 'cancelled' | 'gone'

export function claimsTable(database: Database) {
  const self = identify()
  if (!self) throw new Error('This process is not in the process table.')
  const owner = formatIdentity(self)

  function livingOwners(): string[] {
    return database
      .sql<{ owner: string }>('SELECT DISTINCT owner FROM claims')
      .all()
      .map((row) => row.owner)
      .filter((text) => text === owner || isWorking(text))
  }

  /** The offered tasks, of these where some are named, that no living process has; the lowest first. */
  function findFree(only: number[] | undefined): { task: number; offer: number }[] {
    return database
      .sql<{ task: number; offer: number }>(
        `SELECT task_id AS task, id AS offer FROM offers
        WHERE (?1 IS NULL OR task_id IN (SELECT value FROM json_each(?1)))
        AND NOT EXISTS (
          SELECT 1 FROM claims WHERE claims.task_id = offers.task_id AND owner IN (SELECT value FROM json_each(?2))
        )
        ORDER BY task_id`,
      )
      .all(only ? JSON.stringify(only) : null, JSON.stringify(livingOwners()))
  }

  return {
    /** The new row has a new number, so whoever holds the task does not take this offer away when it is done. */
    offer(task: number): void {
      database.sql('INSERT OR REPLACE INTO offers (task_id) VALUES (?)').run(task)
    },

    cancel(task: number): void {
      database.sql('DELETE FROM offers WHERE task_id = ?').run(task)
      database.sql("UPDATE claims SET state = 'cancelled' WHERE task_id = ?").run(task)
    },

    /** Asked before `take`, because the write lock should be left alone for nothing. */
    free: (only: number[] | undefined): number[] => findFree(only).map(({ task }) => task),

    /** Null when somebody else was quicker. */
    take(task: number): Claim | null {
      const [free] = findFree([task])
      if (!free) return null
      // There may be a claim that became void; the new row has a new number, by which its old owner sees it.
      const row = database
        .sql<{ id: number }>(
          "INSERT OR REPLACE INTO claims (task_id, offer_id, state, owner) VALUES (?, ?, 'held', ?) RETURNING id",
        )
        .get(free.task, free.offer, owner)
      return row ? { id: row.id, ...free } : null
    },

    /** The offer goes with the claim. When the claim was lost meanwhile, both are another's. */
    release(claim: Claim): void {
      if (database.sql('DELETE FROM claims WHERE id = ?').run(claim.id) === 0) return
      database.sql('DELETE FROM offers WHERE id = ?').run(claim.offer)
    },

    /** How the claims of this process stand, by their number; one that is missing is gone. */
    states(): Map<number, ClaimState> {
      const rows = database
        .sql<{ id: number; state: ClaimState }>('SELECT id, state FROM claims WHERE owner = ?')
        .all(owner)
      return new Map(rows.map(({ id, state }) => [id, state]))
    },

    holders(): Map<number, string> {
      const rows = database
        .sql<{ task: number; owner: string }>('SELECT task_id AS task, owner FROM claims ORDER BY task_id')
        .all()
      const living = new Set(livingOwners())
      return new Map(
        rows
          .filter((row) => living.has(row.owner))
          .map((row) => [row.task, `pid ${parseIdentity(row.owner)?.pid}`]),
      )
    },
  }
}

function isWorking(owner: string): boolean {
  const identity = parseIdentity(owner)
  return identity !== null && processState(identity) === 'running'
}
