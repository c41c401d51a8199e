/**
 * What Umpire knows about a language and its test runners, as data. All patterns are matched against single lines of
 * limited length. Each begins with something that can't repeat, so that none takes more than linear time.
 */
export interface Language {
  /** Matches the paths of the language's files. */
  files: RegExp
  /** Matches the paths of files that a runner finds as tests by their names. */
  testNames: RegExp
  /** Whether a runner ignores files with other names. */
  found: 'by name' | 'by content'
  /** Matches folders in which all files of this language belong to tests. Null if there are none. */
  testFolders: RegExp | null
  /** Recognises tests among other code, in the hunk or above it. Null if tests have files of their own. */
  inline: RegExp | null
  syntax: Syntax
  /** The beginning of a test. The first group that matched is its name. Matched against the line with its strings. */
  declares: RegExp
  /** The beginning of any function, with its name. Null if tests are not named functions. */
  functions: RegExp | null
  /** The line that turns the function below it into a test. Null if the function's name or a call does that. */
  attribute: RegExp | null
  /** The beginning of an assertion. This and the patterns below are matched in code only, without strings and comments. */
  assertion: RegExp
  /** How much an expectation checks, see Rank. The first pattern that matches counts. */
  ranks: readonly (readonly [Rank, RegExp])[]
  /** A matcher that accepts anything. */
  wildcard: RegExp
  skip: RegExp
  /** A comment that keeps a whole file from being built or run. */
  skipComment?: RegExp
  focus: RegExp | null
  /** A table of values, for each of which the same assertion runs. */
  table: RegExp
}

/** 0 can't fail. 1 accepts almost anything (it exists, it is true, nothing was thrown). 2 checks a part. 3 is exact. */
export type Rank = 0 | 1 | 2 | 3

export interface Syntax {
  lineComments: readonly string[]
  blockComments: readonly (readonly [string, string])[]
  /** Longer openings come first. `lines` says whether a string can continue past the end of a line. */
  strings: readonly { open: string; close: string; lines: 'one' | 'many'; escapedBy: '\\' | null }[]
}
