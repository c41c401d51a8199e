/**
 * Takes out the keys whose value is null, at every depth. Who fills in a form with a place for everything says by null
 * that it does not apply; only a verdict is never left open that way.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => each !== null || key === 'verdict')
      .map(([key, each]) => [key, withoutNulls(each)]),
  )
}
