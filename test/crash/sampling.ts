/** Runs up to `slots` actions at once. Throws the failures after all have ended. */
export async function inParallel<T>(items: T[], act: (item: T) => Promise<void>, slots = 3): Promise<void> {
  const left = [...items]
  const errors: unknown[] = []
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await act(item).catch((error: unknown) => errors.push(error))
  }
  await Promise.all(Array.from({ length: slots }, work))
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, errors.join('\n'))
}

/** Chooses the instants if not all of them are tested. SWEEP_SEED chooses others. */
export const seed = Number(process.env.SWEEP_SEED ?? 20)

/** A repeatable choice of `size` items, in their order. */
export function sample<T>(all: T[], size: number, from = seed): T[] {
  const next = randomFrom(from)
  const kept = all.map((item, index) => ({ item, index, rank: next() })).sort((a, b) => a.rank - b.rank)
  return kept
    .slice(0, size)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item)
}

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
export function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
