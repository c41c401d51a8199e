/** `3`, `3 and 5`, `3, 5 and 7`; of more than can be read the first ones, and how many there are beside. */
export function enumerated(items: (number | string)[], most = 10): string {
  const rest = items.length - most
  if (rest > 0) return `${items.slice(0, most).join(', ')} and ${rest} more`
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}
