/** Names the first few items and says how many more there are. */
export function listed(items: readonly (string | number)[], most = 5): string {
  const rest = items.length - most
  const named = items.slice(0, most).join(', ')
  return rest > 0 ? `${named} and ${rest} more` : named
}
