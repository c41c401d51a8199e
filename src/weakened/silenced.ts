/** Tests that are still there as text, but no runner takes them for tests any more. */
import type { Mark, TestChange } from './mark.ts'

export function silencedByText(change: TestChange): TestChange['silenced'] {
  return [...commentedOut(change), ...renamedAway(change)]
}

/** A line that began a test, and now is a comment. */
function commentedOut({ marks }: TestChange): TestChange['silenced'] {
  const begun = new Map<string, string>()
  for (const { side, key, declares } of marks)
    if (side === 'old' && declares !== null) begun.set(key, declares)
  return marks.flatMap(({ side, line, text, commented }) => {
    const test = side === 'new' && commented !== null ? begun.get(commented) : undefined
    return test === undefined ? [] : [{ line, text, test }]
  })
}

/** `test_adds` that became `_test_adds` or `adds`. */
function renamedAway({ marks, after }: TestChange): TestChange['silenced'] {
  const blocks = new Map<number, Mark[]>()
  for (const mark of marks) {
    if (mark.side === 'old' || (mark.declares === null && mark.plainFunction === null)) continue
    const same = blocks.get(mark.block)
    if (same) same.push(mark)
    else blocks.set(mark.block, [mark])
  }
  return marks.flatMap((mark) => {
    if (mark.side === 'new' || mark.declares === null || after.has(mark.declares)) return []
    const stem = stemOf(mark.declares)
    const alike = (blocks.get(mark.block) ?? []).filter(
      ({ declares, plainFunction }) => stem !== '' && stemOf(declares ?? plainFunction ?? '').includes(stem),
    )
    const [other] = alike
    return other && alike.every(({ declares }) => declares === null)
      ? [{ line: other.line, text: other.text, test: mark.declares }]
      : []
  })
}

function stemOf(name: string): string {
  return name.toLowerCase().replace(/_/g, '').replace(/test/g, '')
}
