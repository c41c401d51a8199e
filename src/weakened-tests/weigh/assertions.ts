/**
 * Whether tests check less than before. A test that stays is compared with its own old version. A removed test is compared
 * with the tests that were added to the same file, or with the test of the same name in another file.
 */
import type { WeakenedFact } from '../fact.ts'
import type { Mark, TestChange } from '../mark.ts'

interface Group {
  file: string
  fate: 'stays' | 'replaced'
  /** A table of values replaced some of these assertions. */
  spread: boolean
  old: Mark[]
  now: Mark[]
}

export function weighAssertions(changes: TestChange[]): WeakenedFact[] {
  const helpers = new Set(changes.flatMap((change) => [...change.helpers]))
  return gather(changes).flatMap((group) => [...removed(group, helpers), ...loosened(group)])
}

function gather(changes: TestChange[]): Group[] {
  const groups = new Map<string, Group>()
  const came = new Set(changes.flatMap(({ before, after }) => [...after].filter((test) => !before.has(test))))
  const went = new Set(changes.flatMap(({ before, after }) => [...before].filter((test) => !after.has(test))))
  changes.forEach(({ file, life, marks, before, after, silenced }, index) => {
    // Deleted files, and tests that no longer run, are reported elsewhere.
    if (life === 'deleted') return
    const spread = spreadBlocks(marks)
    const told = new Set(silenced.map(({ test }) => test))
    for (const mark of marks) {
      if (mark.moved || told.has(mark.test)) continue
      const stays = before.has(mark.test) && after.has(mark.test)
      const elsewhere = mark.side === 'old' ? came.has(mark.test) : went.has(mark.test)
      const key = stays ? `${index} ${mark.test}` : elsewhere ? `moved ${mark.test}` : `${index}`
      const group: Group = groups.get(key) ?? {
        file,
        fate: stays ? 'stays' : 'replaced',
        spread: false,
        old: [],
        now: [],
      }
      groups.set(key, group)
      if (spread.has(mark.block)) group.spread = true
      // A moved test is reported in its old file.
      if (mark.side === 'old') group.file = file
      group[mark.side === 'old' ? 'old' : 'now'].push(mark)
    }
  })
  return [...groups.values()]
}

/** The blocks that add a table of values with assertions. The table may come before its test. */
function spreadBlocks(marks: Mark[]): Set<number> {
  const added = marks.filter((mark) => mark.side === 'new' && !mark.moved)
  const asserting = new Set(added.filter((mark) => mark.assertions > 0).map(({ block }) => block))
  return new Set(added.filter((mark) => mark.table && asserting.has(mark.block)).map(({ block }) => block))
}

function removed({ file, fate, spread, old, now }: Group, helpers: Set<string>): WeakenedFact[] {
  const [lost, won] = [weight(old, fate), weight(now, fate)]
  if (lost <= won || spread || now.some(({ calls }) => calls.some((name) => helpers.has(name)))) return []
  const gone = fate === 'stays' || won > 0 ? [] : old.filter((mark) => mark.declares !== null)
  if (gone.length > 0) return gone.map(({ line, text }) => ({ kind: 'removed-assertion', file, line, text }))
  const first = old.find((mark) => mark.assertions > 0) ?? old.find((mark) => mark.declares !== null)
  if (!first) return []
  const more = lost - won - 1
  const text = more === 0 ? first.text : `${first.text.trim()} (and ${more} more)`
  return [{ kind: 'removed-assertion', file, line: first.line, text }]
}

/** The number of assertions. A test without a known assertion counts as one. */
function weight(marks: Mark[], fate: Group['fate']): number {
  const assertions = marks.reduce((sum, mark) => sum + mark.assertions, 0)
  if (fate === 'stays') return assertions
  const filled = new Set(marks.filter((mark) => mark.assertions > 0).map(({ test }) => test))
  return assertions + marks.filter(({ declares }) => declares !== null && !filled.has(declares)).length
}

/** Expectations of equal strength cancel each other out. The remaining ones are compared, the strongest with the strongest. */
function loosened({ file, old, now }: Group): WeakenedFact[] {
  const [had, has] = [byRank(old), byRank(now)]
  const left = (these: Mark[][], others: Mark[][]) =>
    these
      .flatMap((marks, rank) => marks.slice(others[rank]?.length ?? 0).map((mark) => ({ rank, mark })))
      .reverse()
  const [were, are] = [left(had, has), left(has, had)]
  return were.flatMap((was, index): WeakenedFact[] => {
    const is = are[index]
    if (!is || is.rank >= was.rank) return []
    const text = `${was.mark.text.trim()} → ${is.mark.text.trim()}`
    return [{ kind: 'loosened-expectation', file, line: is.mark.line, text }]
  })
}

function byRank(marks: Mark[]): Mark[][] {
  const ranks: Mark[][] = [[], [], [], []]
  for (const mark of marks) for (const rank of mark.ranks) ranks[rank]?.push(mark)
  return ranks
}
