import { oneLine } from '../lib/text/printable.ts'
import type { WeakenedTests } from '../weakened/fact.ts'

/** A line for each fact, and one for those that are not listed. What files say is shown as text only. */
export function weakenedLines(weakened: WeakenedTests | null): string[] {
  if (!weakened) return []
  const { facts, more } = weakened
  const lines = facts.map(
    ({ kind, file, line, text }) =>
      `${kind} ${oneLine(file)}${line === null ? '' : `:${line}`}: ${oneLine(text, 200)}`,
  )
  return more === 0 ? lines : [...lines, `and ${more} more that are not listed`]
}
