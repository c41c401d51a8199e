/**
 * PORT: which worker has which task now. It only knows which workers are alive. A task may be handed out more than
 * once, because the journal's `loop.claimed` fences off every older holder. Nothing here decides whether work counts.
 */
export interface WorkSource {
  /**
   * Announces that a task has work to do. Offering it again changes nothing, unless a worker holds it: then it is
   * handed out once more afterwards.
   */
  offer(task: number): Promise<void>
  /**
   * Hands out offered tasks, at most `slots` at once. The lowest number comes first, unless the worker chooses. It goes
   * on until no free, chosen task is left (with `watch`: until the signal aborts). Tasks held by another living worker
   * are skipped. After an abort nothing more is handed out, and the caller has to stop the running handlers. Resolves
   * when every handler has returned. If a handler throws, only its own task's hold ends. The first such error is thrown
   * at the very end.
   */
  run(worker: Worker, handle: (hold: HeldTask) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Withdraws the offer. A worker that holds the task learns it from its hold's signal. */
  cancel(task: number): Promise<void>
  /** The living holder of each held task. */
  holders(): Promise<Map<number, string>>
  close(): Promise<void>
}

export interface Worker {
  id: string
  slots: number
  watch: boolean
  /** Limits the worker to these tasks. */
  only?: number[]
  /**
   * Chooses which free task to hand out next. Null means none for now. `free` is never empty and sorted by number.
   * Called whenever a slot is free, and never twice at the same time.
   */
  choose?: (free: number[]) => Promise<number | null>
}

export interface HeldTask {
  task: number
  /**
   * Aborts when the hold is lost or the offer was withdrawn. The reason is a LostClaimError if another worker has the
   * task now (that worker then also stops the agent), and an OfferCancelledError if no worker should have it.
   */
  signal: AbortSignal
  /** Checks the hold now, before the signal reports a loss. Throws the signal's reason if it is lost. */
  confirm(): Promise<void>
  /**
   * Lends its slot to another task until the promise settles, then waits for a free slot. Waiting holds get a slot
   * before any new task.
   */
  rest<T>(until: Promise<T>): Promise<T>
}

/** The offer was withdrawn while the task was held. */
export class OfferCancelledError extends Error {
  override name = 'OfferCancelledError'
}
