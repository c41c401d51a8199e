/** The work source of one machine: two tables in the journal's database, and the process table. */
import { LostClaimError } from '../core/errors.ts'
import { openBell } from '../lib/concurrency/wake-up.ts'
import { type DatabaseOptions, openDatabase } from '../store/sqlite/database.ts'
import { claimsTable, type QueueClaim } from './claims.ts'
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

function lossOf({ task }: QueueClaim, state: 'held' | 'cancelled' | 'gone'): Error | null {
  switch (state) {
    case 'held':
      return null
    case 'cancelled':
      return new OfferCancelledError(`Task ${task} was cancelled.`)
    case 'gone':
      return new LostClaimError(`Another worker has taken over task ${task}.`)
  }
}
