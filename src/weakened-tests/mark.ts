/** A changed line of a diff that matters for a test, on the old or the new side. */
import type { Language, Rank } from './language.ts'
import type { DiffLine } from './read-diff.ts'

export interface Mark {
  side: 'old' | 'new'
  line: number
  text: string
  /** Equal for two lines that differ only in their formatting. */
  key: string
  /** Equal for lines that changed together, without an unchanged line between them. */
  block: number
  /** The test that contains the line. */
  test: string
  /** The name, if a test begins here. */
  declares: string | null
  /** The name, if a function begins here that is not a test for any runner. */
  plainFunction: string | null
  assertions: number
  ranks: Rank[]
  wildcards: number
  /** How many marks on the line keep a test from running. */
  skips: number
  focuses: number
  /** The line begins a table of values, for each of which the same assertion runs. */
  table: boolean
  /** The project's own functions that are called here and have names like assertions. */
  calls: string[]
  /** The code with every number as `#`, and the numbers, if the line sets a tolerance, a timeout or a number of attempts. */
  leeway: string | null
  /** The key of the code that the line turned into a comment. */
  commented: string | null
  /** The same line is also on the other side of the diff. */
  moved: boolean
}

/** What a diff does to one file with tests. */
export interface TestChange {
  file: string
  /** Whether the file existed before the diff, and exists after it. */
  life: 'stays' | 'new' | 'deleted'
  language: Language
  marks: Mark[]
  /** Tests that the hunks show, before and after. */
  before: Set<string>
  after: Set<string>
  /** The blocks in which lines were removed. */
  replaced: Set<number>
  /** Tests whose text is still there, but which no longer run. */
  silenced: { line: number; text: string; test: string }[]
  /** Functions with assertions that the diff adds. */
  helpers: Set<string>
}

export function lineKey(text: string): string {
  return text.replace(/\s+/g, '').replace(/[;,]$/, '')
}

interface CodeLine {
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
