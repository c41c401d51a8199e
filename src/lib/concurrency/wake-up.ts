/** Wakes the waiter. A ring while nothing waits is kept for the next wait, so none is missed. */
export interface Bell {
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
