/**
 * Removes the keys whose value is null, at every depth. An agent that must fill in every key uses null for a key that does
 * not apply. A null verdict is kept, so that it is read as an error.
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
