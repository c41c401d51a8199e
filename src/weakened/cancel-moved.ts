/**
 * Finds lines that are in the diff twice, once as taken away and once as added: in the same test, with another
 * indentation perhaps; in another test; in another file. Nothing was weakened by them.
 */
import type { Mark, TestChange } from './mark.ts'

export function cancelMoved(changes: TestChange[]): void {
  for (const change of changes) pair(change.marks, ({ key, test }) => `${test}\n${key}`)
  pair(
    changes.flatMap(({ marks }) => marks),
    ({ key }) => key,
  )
}

function pair(marks: Mark[], keyOf: (mark: Mark) => string): void {
  const added = new Map<string, Mark[]>()
  for (const mark of marks) {
    if (mark.side === 'old' || mark.moved) continue
    const key = keyOf(mark)
    const same = added.get(key)
    if (same) same.push(mark)
    else added.set(key, [mark])
  }
  for (const mark of marks) {
    if (mark.side === 'new' || mark.moved) continue
    const other = added.get(keyOf(mark))?.pop()
    if (!other) continue
    mark.moved = true
    other.moved = true
  }
}
