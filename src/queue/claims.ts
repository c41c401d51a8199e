/**
 * The tables of the local queue. An offer says that there is work on a task; a claim says which process has it. A
 * claim is worth as much as its owner: when that process is gone, or is stopped and so can't work, the claim is void
 * at once, without any time-out. A process that is woken again finds its claim gone.
 *
 * Everything here is called within a transaction of the caller's.
 */
import { formatIdentity, identify, parseIdentity, processState } from '../lib/process-identity.ts'
import type { Database } from '../store/database.ts'

export interface Claim {
  id: number
  task: number
  offer: number
}

/** Which tasks may be taken: of these, when given, and none of those. */
export interface Choice {
  only: number[] | undefined
  except: number[]
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

  /** The lowest offered task of the choice that no living process has. */
  function firstFree({ only, except }: Choice, living: string): { task: number; offer: number } | null {
    const row = database
      .sql<{ task: number; offer: number }>(
        `SELECT task_id AS task, id AS offer FROM offers
        WHERE (?1 IS NULL OR task_id IN (SELECT value FROM json_each(?1)))
        AND NOT EXISTS (
          SELECT 1 FROM claims WHERE claims.task_id = offers.task_id AND owner IN (SELECT value FROM json_each(?2))
        )
        AND task_id NOT IN (SELECT value FROM json_each(?3))
        ORDER BY task_id LIMIT 1`,
      )
      .get(only ? JSON.stringify(only) : null, living, JSON.stringify(except))
    return row ?? null
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

    /** Whether `take` would find something; asked first, because the write lock should be left alone for nothing. */
    anyFree(choice: Choice): boolean {
      return firstFree(choice, JSON.stringify(livingOwners())) !== null
    },

    take(choice: Choice): Claim | null {
      const free = firstFree(choice, JSON.stringify(livingOwners()))
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

    state(claim: Claim): ClaimState {
      const row = database.sql<{ state: ClaimState }>('SELECT state FROM claims WHERE id = ?').get(claim.id)
      return row?.state ?? 'gone'
    },

    holders(): Map<number, string> {
      const rows = database
        .sql<{ task: number; owner: string }>('SELECT task_id AS task, owner FROM claims ORDER BY task_id')
        .all()
      return new Map(
        rows
          .filter((row) => isWorking(row.owner))
          .map((row) => [row.task, `pid ${parseIdentity(row.owner)?.pid}`]),
      )
    },
  }
}

function isWorking(owner: string): boolean {
  const identity = parseIdentity(owner)
  return identity !== null && processState(identity) === 'running'
}
