/** Recorded results that tests compare with. Whoever records them anew expects whatever comes out. */
import type { WeakenedFact } from '../fact.ts'
import type { DiffFile } from '../read-diff.ts'

const snapshots =
  /(?:^|\/)__(?:image_)?snapshots__\/|-snapshots\/[^/]+$|\.(?:snap|ambr|golden|approved\.\w+|verified\.\w+)$|(?:^|\/)(?:golden|goldens)\//

export function isSnapshot(path: string): boolean {
  return snapshots.test(path)
}

/** New ones and new parts are no matter: only what was expected before and is not now. */
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
