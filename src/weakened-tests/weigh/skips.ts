/** Tests that are still there but no longer run, or that keep the others from running. */
import type { WeakenedFact } from '../fact.ts'
import type { Mark, TestChange } from '../mark.ts'

export function weighSkips(change: TestChange): WeakenedFact[] {
  const { file, life, marks, silenced } = change
  if (life === 'deleted') return []
  const fact = (kind: WeakenedFact['kind'], { line, text }: Pick<Mark, 'line' | 'text'>): WeakenedFact => ({
    kind,
    file,
    line,
    text,
  })
  return [
    ...added(marks, (mark) => (isOnlyNewFile(mark, change) ? 0 : mark.skips)).map((mark) =>
      fact('skipped-test', mark),
    ),
    ...added(marks, ({ focuses }) => focuses).map((mark) => fact('focused-test', mark)),
    ...silenced.map((each) => fact('skipped-test', each)),
  ]
}

/** It is fine for a new file of tests to run in some builds only. */
function isOnlyNewFile(mark: Mark, { life, language }: TestChange): boolean {
  return life === 'new' && (language.skipComment?.test(mark.text.trim()) ?? false)
}

/** If a line had such a mark already and changed in another way, nothing was added. */
function added(marks: Mark[], of: (mark: Mark) => number): Mark[] {
  const had = new Map<number, number>()
  for (const mark of marks)
    if (mark.side === 'old' && !mark.moved) had.set(mark.block, (had.get(mark.block) ?? 0) + of(mark))
  return marks.filter((mark) => {
    const found = mark.side === 'new' && !mark.moved ? of(mark) : 0
    const before = had.get(mark.block) ?? 0
    had.set(mark.block, Math.max(0, before - found))
    return found > before
  })
}
