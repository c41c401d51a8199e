import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Callers that ask while a call runs share the next one. That call begins after they asked, so it sees their changes,
 * and there is never more than one call at a time.
 */
export function joinCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | null = null
  let next: Promise<T> | null = null

  function begin(): Promise<T> {
    const mine = call().finally(() => {
      if (running === mine) running = null
    })
    running = mine
    return mine
  }

  return () => {
    if (!running) return begin()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        return begin()
      })
    return next
  }
}

/**
 * Calls immediately when asked, but at most once every `everyMs` milliseconds: requests in between become one call at
 * the end of the pause. Nothing waits for that call, not even the end of the program.
 */
export function coalesce(call: () => void, everyMs: number): { ask(): void; stop(): void } {
  let pause: NodeJS.Timeout | null = null
  let asked = false
  function rest(): void {
    pause = setTimeout(() => {
      pause = null
      if (asked) begin()
    }, everyMs)
    pause.unref()
  }
  function begin(): void {
    asked = false
    rest()
    call()
  }
  return {
    ask() {
      if (pause) asked = true
      else begin()
    },
    stop() {
      if (pause) clearTimeout(pause)
      asked = false
    },
  }
}

/** Wakes the waiter. A ring while nothing waits is kept for the next wait, so none is missed. */
interface Bell {
  /** There was a ring since the last wait. */
  readonly rung: boolean
  ring(): void
  /** Resolves at the next ring, or after this many milliseconds. Resolves at once if it rang since the last wait. */
  wait(ms: number): Promise<void>
}

export function openBell(): Bell {
  let rung = false
  let wake = () => {}
  return {
    get rung() {
      return rung
    },
    ring() {
      rung = true
      wake()
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
    },
  }
}

/** A pause before looking again, where nothing reports a change. */
export async function pause(ms: number): Promise<void> {
  await sleep(ms)
}
