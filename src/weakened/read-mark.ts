import type { Language, Rank } from './language.ts'
import { lineKey, type Mark } from './mark.ts'
import type { DiffLine } from './read-diff.ts'

export interface CodeLine {
  line: DiffLine
  code: string
  comment: string
  declares: string | null
  test: string
  block: number
}

/** What a changed line means for tests, or null if nothing. */
export function readMark(
  { line, code, comment, declares, test, block }: CodeLine,
  language: Language,
): Mark | null {
  if (line.side === 'both') return null
  const assertions = count(code, language.assertion)
  const mark: Mark = {
    side: line.side,
    line: line.line,
    text: line.text,
    key: lineKey(line.text),
    block,
    test,
    declares,
    plainFunction: declares ? null : (language.functions?.exec(code)?.[1] ?? null),
    assertions,
    ranks: assertions > 0 || goesOnOrAsks.test(code) ? readRanks(code, language) : [],
    wildcards: count(code, language.wildcard),
    skips: count(code, language.skip) + (language.skipComment?.test(comment) ? 1 : 0),
    focuses: language.focus ? count(code, language.focus) : 0,
    table: language.table.test(code),
    calls: code.includes('(') ? [...code.matchAll(ownCall)].map(([, name = '']) => name) : [],
    leeway: aboutLeeway.test(code) ? code : null,
    commented: code.trim() === '' && comment !== '' ? lineKey(comment.replace(/^[\s/*#]+/, '')) : null,
    moved: false,
  }
  return isOfInterest(mark) ? mark : null
}

/** An expectation that began on an earlier line, or a condition that guards a failure. */
const goesOnOrAsks = /^\s*(?:[.)]|if\b)/

const ownCall = /\b((?:assert|expect|verify|check|ensure|should)\w*)\s*\(/gi

const aboutLeeway =
  /timeout|retr(?:y|ies)|closeto|toleranc|epsilon|delta|within|places|decimal|precision|[ra]tol\b|\b(?:rel|abs)=|approx|reruns|flaky|^\s*\}(?:,\s*[\d_]+\s*)?\)/i

function count(code: string, pattern: RegExp): number {
  return code.match(pattern)?.length ?? 0
}

/** Later patterns do not see the text that an earlier one has matched. */
function readRanks(code: string, { ranks }: Language): Rank[] {
  const found: Rank[] = []
  let rest = code
  for (const [rank, pattern] of ranks)
    rest = rest.replace(pattern, (match) => {
      found.push(rank)
      return ' '.repeat(match.length)
    })
  // If the expectation can't fail, the matcher after it checks nothing.
  return found.includes(0) ? [0] : found
}

function isOfInterest(mark: Mark): boolean {
  return (
    mark.declares !== null ||
    mark.plainFunction !== null ||
    mark.assertions + mark.ranks.length + mark.wildcards + mark.skips + mark.focuses + mark.calls.length >
      0 ||
    mark.table ||
    mark.leeway !== null ||
    mark.commented !== null
  )
}
