/** The work source of one machine: two tables in the journal's database, and the process table. */
import { LostClaimError } from '../core/errors.ts'
import { openBell } from '../lib/concurrency.ts'
import { formatIdentity, identify, parseIdentity, processState } from '../lib/process/process-identity.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../store/sqlite/database.ts'
import { type HeldTask, OfferCancelledError, type Worker, type WorkSource } from './work-source.ts'

/**
 * How long it takes to notice what another process did: an offer, a cancellation, its death. Our own changes are
 * noticed at once.
 */
const pollMs = 300

export async function openLocalQueue(options: DatabaseOptions): Promise<WorkSource> {
  const database = await openDatabase(options)
  const claims = claimsTable(database)

  async function take(worker: Worker): Promise<QueueClaim | null> {
    for (;;) {
      const free = await database.read(() => claims.free(worker.only))
      const [first] = free
      if (first === undefined) return null
      const task = worker.choose ? await worker.choose(free) : first
      if (task === null) return null
      const claim = await database.write('lazy', () => claims.take(task))
      // Otherwise another process was faster, and there may be more tasks.
      if (claim) return claim
    }
  }

  /** Aborts the signals of claims that were lost. */
  async function tellLost(held: Map<QueueClaim, AbortController>): Promise<void> {
    if (held.size === 0) return
    const states = await database.read(() => claims.states())
    for (const [claim, controller] of held) {
      const reason = lossOf(claim, states.get(claim.id) ?? 'gone')
      if (reason && !controller.signal.aborted) controller.abort(reason)
    }
  }

  async function run(
    worker: Worker,
    handle: (hold: HeldTask) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const held = new Map<QueueClaim, AbortController>()
    const errors: unknown[] = []
    const bell = openBell()
    let open = true
    /** Holds that lent their slot. `goOn` is set once they want it back. */
    const resting = new Set<{ goOn: (() => void) | null }>()
    const hasFreeSlot = () => held.size - resting.size < worker.slots

    async function rest<T>(until: Promise<T>, lost: AbortSignal): Promise<T> {
      const self: { goOn: (() => void) | null } = { goOn: null }
      resting.add(self)
      bell.ring()
      try {
        const result = await until
        await new Promise<void>((resolve) => {
          self.goOn = resolve
          // A lost claim needs no slot: it has nothing left to do.
          lost.addEventListener('abort', () => resolve(), { once: true })
          if (lost.aborted) resolve()
          bell.ring()
        })
        return result
      } finally {
        resting.delete(self)
      }
    }

    function wake(): void {
      for (const each of resting) {
        if (!each.goOn || !(signal.aborted || hasFreeSlot())) continue
        resting.delete(each)
        each.goOn()
      }
    }

    /** Never rejects: an unexpected error in one task must not stop the others. */
    async function hold(claim: QueueClaim): Promise<void> {
      const controller = new AbortController()
      held.set(claim, controller)
      try {
        const { signal } = controller
        const confirm = async () => {
          await tellLost(held)
          signal.throwIfAborted()
        }
        const { task } = claim
        await handle({ task, signal, confirm, rest: (until) => rest(until, signal) })
      } catch (error) {
        errors.push(error)
      }
      try {
        await database.write('lazy', () => claims.release(claim))
      } catch (error) {
        errors.push(error)
      }
      held.delete(claim)
      bell.ring()
    }

    async function fill(): Promise<void> {
      wake()
      while (!signal.aborted && hasFreeSlot()) {
        const claim = await take(worker)
        if (!claim) return
        void hold(claim)
      }
    }

    const stopListening = database.onCommit(bell.ring)
    signal.addEventListener('abort', bell.ring)
    try {
      for (;;) {
        try {
          if (open) await fill()
          else wake()
          await tellLost(held)
        } catch (error) {
          // The queue can't be read or written. Take no more tasks, but let the running ones finish.
          open = false
          errors.push(error)
        }
        const waiting = worker.watch && open && !signal.aborted
        // A ring means that something ended or was offered while we looked: look again before leaving.
        if (held.size === 0 && !waiting && !bell.rung) break
        await bell.wait(pollMs)
      }
    } finally {
      stopListening()
      signal.removeEventListener('abort', bell.ring)
    }
    if (errors.length > 0) throw errors[0]
  }

  return {
    offer: (task) => database.write('lazy', () => claims.offer(task)),
    cancel: (task) => database.write('lazy', () => claims.cancel(task)),
    run,
    holders: () => database.read(() => claims.holders()),
    async close() {
      database.close()
    },
  }
}

function lossOf({ task }: QueueClaim, state: ClaimState): Error | null {
  switch (state) {
    case 'held':
      return null
    case 'cancelled':
      return new OfferCancelledError(`Task ${task} was cancelled.`)
    case 'gone':
      return new LostClaimError(`Another worker has taken over task ${task}.`)
  }
}

interface QueueClaim {
  id: number
  task: number
  offer: number
}

/** The state of one of our claims. `cancelled`: its offer was withdrawn. `gone`: another process has it, or no one. */
type ClaimState = 'held' | 'cancelled' | 'gone'

/**
 * The tables of the local queue. An offer says that a task has work to do. A claim says which process does it. A claim
 * is only as good as its owner: when that process is gone, or is stopped and so can't work, the claim is void at once,
 * without a timeout. A process that is resumed finds its claim gone.
 *
 * Every function here must be called within the caller's transaction.
 */
function claimsTable(database: Database) {
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
