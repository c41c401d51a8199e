/** Recorded results that tests compare with. Recording them again accepts whatever the code returns now. */
import type { WeakenedFact } from '../fact.ts'
import type { DiffFile } from '../read-diff.ts'

const snapshots =
  /(?:^|\/)__(?:image_)?snapshots__\/|-snapshots\/[^/]+$|\.(?:snap|ambr|golden|approved\.\w+|verified\.\w+)$|(?:^|\/)(?:golden|goldens)\//

export function isSnapshot(path: string): boolean {
  return snapshots.test(path)
}

/** New results don't matter. Only results that were expected before and no longer are do. */
export function weighSnapshot({ from, to, content, hunks }: DiffFile): WeakenedFact[] {
  if (from === null) return []
  const kind = 'loosened-expectation'
  if (content === 'binary')
    return [{ kind, file: to ?? from, line: null, text: 'a recorded result was replaced' }]
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const [first, ...more] = lines.filter(({ side }) => side === 'old')
  if (!first) return []
  const rest = more.length === 0 ? '' : ` (and ${more.length} more lines of a recorded result)`
  return [{ kind, file: to ?? from, line: first.line, text: `${first.text.trim()}${rest}` }]
}
