/**
 * The tables of the local queue. An offer says that a task has work to do. A claim says which process does it. A claim
 * is only as good as its owner: when that process is gone, or is stopped and so can't work, the claim is void at once,
 * without a timeout. A process that is resumed finds its claim gone.
 *
 * Every function here must be called within the caller's transaction.
 */
import { formatIdentity, identify, parseIdentity, processState } from '../lib/process/process-identity.ts'
import type { Database } from '../store/sqlite/database.ts'

export interface QueueClaim {
  id: number
  task: number
  offer: number
}

/** The state of one of our claims. `cancelled`: its offer was withdrawn. `gone`: another process has it, or no one. */
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

  /** The offered tasks that no living process has, lowest number first. `only` limits them to these. */
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
    /**
     * The new row gets a new number. So a process that holds the task now does not delete this offer when it is done.
     */
    offer(task: number): void {
      database.sql('INSERT OR REPLACE INTO offers (task_id) VALUES (?)').run(task)
    },

    cancel(task: number): void {
      database.sql('DELETE FROM offers WHERE task_id = ?').run(task)
      database.sql("UPDATE claims SET state = 'cancelled' WHERE task_id = ?").run(task)
    },

    /** Called before `take`, so that the write lock is not taken in vain. */
    free: (only: number[] | undefined): number[] => findFree(only).map(({ task }) => task),

    /** Null if another process was faster. */
    take(task: number): QueueClaim | null {
      const [free] = findFree([task])
      if (!free) return null
      // There may be a void claim. The new row gets a new number, which tells the old owner that its claim is gone.
      const row = database
        .sql<{ id: number }>(
          "INSERT OR REPLACE INTO claims (task_id, offer_id, state, owner) VALUES (?, ?, 'held', ?) RETURNING id",
        )
        .get(free.task, free.offer, owner)
      return row ? { id: row.id, ...free } : null
    },

    /** Deletes the claim and its offer. If the claim was lost meanwhile, both belong to another process. */
    release(claim: QueueClaim): void {
      if (database.sql('DELETE FROM claims WHERE id = ?').run(claim.id) === 0) return
      database.sql('DELETE FROM offers WHERE id = ?').run(claim.offer)
    },

    /** The state of this process's claims, by number. A missing claim is gone. */
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
