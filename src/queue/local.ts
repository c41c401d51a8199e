/** The work source of one machine: two tables in the database that the journal is in, and the process table. */
import { LostClaimError } from '../core/errors.ts'
import { openBell } from '../lib/bell.ts'
import { type DatabaseOptions, openDatabase } from '../store/database.ts'
import { type Claim, claimsTable } from './claims.ts'
import { type Hold, OfferCancelledError, type Worker, type WorkSource } from './work-source.ts'

/** How long it takes to notice what another process did: an offer, a cancellation, its death. Our own is noticed at once. */
const pollMs = 300

export async function openLocalQueue(options: DatabaseOptions): Promise<WorkSource> {
  const database = await openDatabase(options)
  const claims = claimsTable(database)

  async function take(worker: Worker): Promise<Claim | null> {
    if (!(await database.read(() => claims.anyFree(worker.only)))) return null
    return database.write('lazy', () => claims.take(worker.only))
  }

  /** Tells the holders of claims that are no longer theirs to hold. */
  async function tellLost(held: Map<Claim, AbortController>): Promise<void> {
    await database.read(() => {
      for (const [claim, controller] of held) {
        const reason = lossOf(claim, claims.state(claim))
        if (reason && !controller.signal.aborted) controller.abort(reason)
      }
    })
  }

  async function run(
    worker: Worker,
    handle: (hold: Hold) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const held = new Map<Claim, AbortController>()
    const errors: unknown[] = []
    const bell = openBell()
    let open = true

    /** Never rejects: one task's surprise must not end the others. */
    async function hold(claim: Claim): Promise<void> {
      const controller = new AbortController()
      held.set(claim, controller)
      try {
        const { signal } = controller
        const confirm = async () => {
          await tellLost(held)
          signal.throwIfAborted()
        }
        await handle({ task: claim.task, signal, confirm })
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
      while (!signal.aborted && held.size < worker.slots) {
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
          await tellLost(held)
        } catch (error) {
          // The queue can't be read or written. Nothing more is taken, but what runs is seen through.
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

function lossOf({ task }: Claim, state: 'held' | 'cancelled' | 'gone'): Error | null {
  switch (state) {
    case 'held':
      return null
    case 'cancelled':
      return new OfferCancelledError(`Task ${task} was cancelled.`)
    case 'gone':
      return new LostClaimError(`Task ${task} was taken over by another worker.`)
  }
}
