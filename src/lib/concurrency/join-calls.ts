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
