/**
 * PORT: who works on what, now. Liveness only: a task may be handed out more than once, because the journal's
 * `loop.claimed` fences every older holder. Nothing here decides whether work counts.
 */
export interface WorkSource {
  /** Says that there is work on this task. Offering it again changes nothing, unless it is held: then it is handed out once more afterwards. */
  offer(task: number): Promise<void>
  /**
   * Hands out offered tasks, the lowest number first unless the worker chooses, and at most `slots` at once, until none is
   * left that is free and chosen (or, with `watch`, until the signal aborts). Tasks held by another living worker are passed over. Once the signal has
   * aborted nothing more is handed out; the handlers that run are the caller's to end. Resolves when every handler has
   * returned. A handler that throws ends its own task's hold only; the first such error is thrown when all is over.
   */
  run(worker: Worker, handle: (hold: Hold) => Promise<void>, signal: AbortSignal): Promise<void>
  /** Takes back the offer. Whoever holds the task learns it from its hold's signal. */
  cancel(task: number): Promise<void>
  /** The living holder of each held task. */
  holders(): Promise<Map<number, string>>
  close(): Promise<void>
}

export interface Worker {
  id: string
  slots: number
  watch: boolean
  /** Only these, when given. */
  only?: number[]
  /**
   * Which of the tasks that are free shall be handed out next; null for none of them now. They are given by number, at least
   * one; asked whenever there is a free slot, and never twice at the same time.
   */
  choose?: (free: number[]) => Promise<number | null>
}

export interface Hold {
  task: number
  /**
   * Aborts when the hold is lost or the offer was taken back. The reason is a LostClaimError when another worker has
   * the task now (its agent is then that worker's to end), and an OfferCancelledError when nobody shall have it.
   */
  signal: AbortSignal
  /** Looks now how the hold stands, before the signal tells it; throws the signal's reason when it is lost. */
  confirm(): Promise<void>
  /**
   * Lends its slot to another task until the promise is settled, and waits for a free one then. Those that wait for
   * their slot come before what was not handed out yet.
   */
  rest<T>(until: Promise<T>): Promise<T>
}

/** The offer was taken back while the task was held. */
export class OfferCancelledError extends Error {
  override name = 'OfferCancelledError'
}
