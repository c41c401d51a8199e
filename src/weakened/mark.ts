/** A changed line of a diff that matters for a test, on the old or the new side. */
import type { Language, Rank } from './language.ts'

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
  /** Keeps a test from being run; `alone` where another line says which. */
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
