/** The first items, and a last one that says how many more there are. */
export function withRest(items: readonly string[], most: number): string[] {
  const rest = items.length - most
  return rest > 0 ? [...items.slice(0, most), `and ${rest} more`] : [...items]
}

/** Names the first few items and says how many more there are. */
export function listed(items: readonly (string | number)[], most = 5): string {
  const rest = items.length - most
  const named = items.slice(0, most).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}

/** `3`, `3 and 5`, `3, 5 and 7`. A longer list shows the first ones and how many more there are. */
export function enumerated(items: readonly (string | number)[], most = 10): string {
  if (items.length > most || items.length < 2) return listed(items, most)
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
