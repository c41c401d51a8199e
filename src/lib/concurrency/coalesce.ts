/**
 * Calls at once when asked, but never more often than every so many milliseconds: requests in between become one call
 * at the end of the pause. Nothing waits for that call, not even the end of the program.
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
