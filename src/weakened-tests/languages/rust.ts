import type { Language } from '../language.ts'

/** cargo test, rstest, tokio and the like. Tests are in the same files as the code, so the hunk must show that it is a test. */
export const rust: Language = {
  files: /\.rs$/,
  testNames: /(?:^|\/)(?:tests?|[^/]*_tests?)\.rs$/,
  found: 'by content',
  testFolders: /(?:^|\/)tests\//,
  inline: /#\[(?:\w+::)*(?:test|rstest|test_case)\b|\bcfg\(test\)|\bmod\s+tests?\b/,
  syntax: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: 'r##"', close: '"##', lines: 'many', escapedBy: null },
      { open: 'r#"', close: '"#', lines: 'many', escapedBy: null },
      { open: 'r"', close: '"', lines: 'one', escapedBy: null },
      { open: "'\"'", close: '', lines: 'one', escapedBy: null },
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
    ],
  },
  declares: /^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/,
  functions: null,
  attribute: /^\s*#\[(?:\w+::)*(?:test|rstest)\b[^\]]{0,200}\]\s*$/,
  assertion:
    /\b(?:debug_)?assert\w*!\s*[([{]|\bpanic!\s*\(|\b(?:assert|expect|verify|check)_\w+\(|#\[(?:case|test_case)\b|#\[should_panic\b|\binsta::assert\w+!/g,
  ranks: [
    [0, /\bassert!\s*\(\s*true\b|\bassert!\s*\([^\n]{0,400}\|\|\s*true\b/g],
    [2, /\bassert!\s*\([^\n]{0,400}(?:\.contains\(|\.starts_with\(|\.ends_with\(|\bmatches!|\s[<>]=?\s)/g],
    [1, /\bassert!\s*\((?!\s*$)(?![^\n]{0,400}(?:==|!=))|\bassert_ne!/g],
    [3, /\bassert_eq!|\bassert!\s*\(|\bassert_matches!|#\[should_panic\b/g],
  ],
  wildcard: /\b(?:predicate::)?always\(\)|\bmockall::predicate::always\b|\bmatchers::any\(/g,
  skip: /#\[ignore\b|#\[cfg\((?:not\(test\)|any\(\)|FALSE)\)\]|#\[cfg_attr\([^\n]{0,200}\bignore\b/g,
  focus: null,
  table: /^\s*for\b|#\[(?:case|values|rstest|test_case)\b|\.for_each\(/,
}
