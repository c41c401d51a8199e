/** Runs what it is given one after the other, in the order of asking. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    // One that fails is its caller's matter; the next one comes all the same.
    last = mine.catch(() => {})
    return mine
  }
}
