/**
 * What there is to know of a language and its test runners, as data. All patterns are matched against single lines of
 * bounded length; each begins with something that can't repeat, so that none takes more than linear time.
 */
export interface Language {
  /** Of the paths of its files. */
  files: RegExp
  /** Of the paths of its tests, by their names: what a runner finds. */
  testNames: RegExp
  /** Whether a runner passes by a file with another name. */
  found: 'by name' | 'by content'
  /** Of folders all of whose files of this language have to do with tests; null where there are none. */
  testFolders: RegExp | null
  /** Tests among other code are told by this, in the hunk or above it; null where they have files of their own. */
  inline: RegExp | null
  syntax: Syntax
  /** A test begins; the first group that matched is its name. Matched against the line with its strings. */
  declares: RegExp
  /** A function begins, test or not, with its name. Null where tests have no names of functions. */
  functions: RegExp | null
  /** What makes a test of the function below it; null where its name or a call does. */
  attribute: RegExp | null
  /** Where an assertion begins. Counted in the code alone, without strings and comments; so are all that follow. */
  assertion: RegExp
  /** How much an expectation says, the first that fits a place: see Rank. */
  ranks: readonly (readonly [Rank, RegExp])[]
  /** What fits anything. */
  wildcard: RegExp
  skip: RegExp
  /** A comment that keeps a whole file from being built or run. */
  skipComment?: RegExp
  focus: RegExp | null
  /** One assertion that is run for many values. */
  table: RegExp
}

/** 0 can't fail, 1 holds for almost anything (it is there, it is true, nothing was thrown), 2 holds for a part, 3 is exact. */
export type Rank = 0 | 1 | 2 | 3

export interface Syntax {
  lineComments: readonly string[]
  blockComments: readonly (readonly [string, string])[]
  /** Longer openings first. `lines` says whether one goes on over the end of a line. */
  strings: readonly { open: string; close: string; lines: 'one' | 'many'; escapedBy: '\\' | null }[]
}
