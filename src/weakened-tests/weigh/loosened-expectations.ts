/** Expectations that became looser with the same matcher: wildcards, tolerances, timeouts, more attempts, recorded snapshots. */
import type { WeakenedFact } from '../fact.ts'
import type { Mark, TestChange } from '../mark.ts'
import type { DiffFile } from '../read-diff.ts'

export function weighLeeway(change: TestChange): WeakenedFact[] {
  if (change.life !== 'stays') return []
  const blocks = new Map<number, { old: Mark[]; now: Mark[] }>()
  for (const mark of change.marks) {
    if (mark.moved) continue
    const block = blocks.get(mark.block) ?? { old: [], now: [] }
    blocks.set(mark.block, block)
    block[mark.side === 'old' ? 'old' : 'now'].push(mark)
  }
  return [...blocks].flatMap(([number, { old, now }]) => [
    ...(change.replaced.has(number) ? wildcards(old, now, change) : []),
    ...wider(old, now, change),
    ...retried(old, now, change),
  ])
}

function wildcards(old: Mark[], now: Mark[], { file, before }: TestChange): WeakenedFact[] {
  // In a new test, wildcards loosen nothing.
  const here = now.filter((mark) => mark.wildcards > 0 && before.has(mark.test))
  const sum = (marks: Mark[]) => marks.reduce((all, mark) => all + mark.wildcards, 0)
  return here
    .slice(0, Math.max(0, sum(here) - sum(old)))
    .map(({ line, text }) => ({ kind: 'loosened-expectation', file, line, text }))
}

function wider(old: Mark[], now: Mark[], { file }: TestChange): WeakenedFact[] {
  const byShape = new Map(
    old.flatMap(({ leeway }) => (leeway === null ? [] : [[shapeOf(leeway), leeway] as const])),
  )
  return now.flatMap(({ leeway, line, text }): WeakenedFact[] => {
    const was = leeway === null ? undefined : byShape.get(shapeOf(leeway))
    if (leeway === null || was === undefined || !isWider(was, leeway)) return []
    return [{ kind: 'loosened-expectation', file, line, text: `${was.trim()} → ${text.trim()}` }]
  })
}

const numbers = /\d[\d_.]*(?:e[-+]?\d+)?/gi

/** The end of a test, with or without a timeout. */
function shapeOf(code: string): string {
  return code
    .replace(/^(\s*\})(?:,\s*[\d_]+\s*)?\)/, '$1, 0)')
    .replace(/\s+/g, '')
    .replace(numbers, '#')
}

/** For a number of digits, fewer is looser. For every other number, more is looser. */
const digits = /\btoBeCloseTo\(|\bcloseTo\(|\bplaces\b|\bdecimal\b|\bprecision\b/i
/** The number that matters is the last one. The numbers before it are the compared values. */
const lastOne = /\btoBeCloseTo\(|Almost|InDelta|InEpsilon|\bin_delta|Approximately|closeTo\(|assertEquals\(/i

function isWider(was: string, is: string): boolean {
  const [before, after] = [was, is].map((code) =>
    (code.match(numbers) ?? []).map((text) => Number(text.replace(/_/g, ''))),
  )
  if (!before || !after) return false
  const last = lastOne.test(is) || after.length !== before.length
  const pairs = last
    ? [[before.at(-1) ?? 0, after.at(-1) ?? 0]]
    : after.map((number, at) => [before[at] ?? 0, number])
  return pairs.some(([old = 0, now = 0]) => (digits.test(is) ? now < old : now > old))
}

const again = /\bretries\b|\bretryTimes\b|\bflaky\b|\breruns\b|@RetryingTest\b|\[Retry\b|\bRetryAnalyzer\b/i

/** A new retry lets a flaky test pass. */
function retried(old: Mark[], now: Mark[], { file }: TestChange): WeakenedFact[] {
  if (old.some(({ leeway }) => leeway !== null && again.test(leeway))) return []
  return now
    .filter(({ leeway }) => leeway !== null && again.test(leeway))
    .map(({ line, text }) => ({ kind: 'loosened-expectation', file, line, text }))
}

/** Recorded results that tests compare with. Recording them again accepts whatever the code returns now. */
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
