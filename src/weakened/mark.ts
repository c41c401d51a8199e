/** A line of a diff that says something about a test, or takes it away. */
import type { Language, Rank } from './language.ts'

export interface Mark {
  side: 'old' | 'new'
  line: number
  text: string
  /** The same for two lines that differ only in how they are set. */
  key: string
  /** Lines that were changed together, without any unchanged one between, have the same. */
  block: number
  /** The test that it is in. */
  test: string
  /** The name, if a test begins here. */
  declares: string | null
  /** The name, if a function begins here that no runner takes for a test. */
  plainFunction: string | null
  assertions: number
  ranks: Rank[]
  wildcards: number
  /** Keeps a test from being run; `alone` where another line says which. */
  skips: number
  focuses: number
  /** One assertion for many values. */
  table: boolean
  /** Own functions with names like those of assertions that are called here. */
  calls: string[]
  /** The code with every number as `#`, and the numbers, where the line is about how exact, how long or how often. */
  leeway: string | null
  /** What a comment holds that was code, as a key. */
  commented: string | null
  /** It is in the diff once more, on the other side. */
  moved: boolean
}

/** What a diff does to one file with tests. */
export interface TestChange {
  file: string
  /** Whether the file was there before, and is afterwards. */
  life: 'stays' | 'new' | 'deleted'
  language: Language
  marks: Mark[]
  /** Tests that the hunks show, before and after. */
  before: Set<string>
  after: Set<string>
  /** Blocks in which something was taken away. */
  replaced: Set<number>
  /** Tests that are still there as text, but are no longer run. */
  silenced: { line: number; text: string; test: string }[]
  /** Own functions with assertions in them that the diff adds. */
  helpers: Set<string>
}

export function lineKey(text: string): string {
  return text.replace(/\s+/g, '').replace(/[;,]$/, '')
}
