import type { Language } from '../language.ts'

/** The testing package, testify, gomega. */
export const go: Language = {
  files: /\.go$/,
  testNames: /_test\.go$/,
  found: 'by name',
  testFolders: null,
  inline: null,
  syntax: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
      { open: '`', close: '`', lines: 'many', escapedBy: null },
    ],
  },
  declares: /^func\s+(?:\([^)]{0,100}\)\s*)?((?:Test|Fuzz|Example)\w*)\s*\(/,
  functions: /^func\s+(?:\([^)]{0,100}\)\s*)?(\w+)\s*\(/,
  attribute: null,
  assertion:
    /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|qt)\.\w+\(|\b(?:Expect|Eventually|Consistently|Ω)\(|\b(?:assert|require|check|verify|expect|must)[A-Z]\w*\(/g,
  ranks: [
    [0, /\b(?:assert|require)\.True\(\s*t,\s*true\b/g],
    [
      1,
      /\b(?:assert|require)\.(?:NotNil|NotEmpty|NotZero|NoError|NotPanics|True|False|Error)f?\((?![^()]{0,200}==)|^\s*if\s[^\n]{0,400}(?:==\s*nil|\blen\([^()]{0,100}\)\s*==\s*0)\s*\{|\.To\(\s*(?:Not\(BeNil|BeTrue|Succeed|Not\(BeEmpty)/g,
    ],
    [
      2,
      /\b(?:assert|require)\.(?:Contains|Subset|Regexp|Greater\w*|Less\w*|InDelta|InEpsilon|IsType|WithinDuration|ErrorContains)f?\(|^\s*if\s[^\n]{0,400}\bstrings\.(?:Contains|HasPrefix|HasSuffix)\(|\.To\(\s*(?:ContainElement|ContainSubstring|MatchRegexp|BeNumerically)/g,
    ],
    [
      3,
      /\b(?:assert|require)\.(?:Equal|EqualValues|Exactly|ElementsMatch|Len|Nil|Empty|Zero|JSONEq|EqualError|ErrorIs|Panics\w*|Same)f?\(|^\s*if\s[^\n]{0,400}(?:!=\s*(?!nil\b)|!reflect\.DeepEqual\(|!bytes\.Equal\(|!slices\.Equal\(|cmp\.Diff\()|\.To\(\s*(?:Equal|BeEquivalentTo|ConsistOf|HaveLen|BeNil)/g,
    ],
  ],
  wildcard: /\bmock\.(?:Anything\b|AnythingOfType\()|\bgomock\.Any\(/g,
  skip: /\b[tbf]\.(?:Skip|Skipf|SkipNow)\(|\b(?:PIt|PDescribe|PContext|XIt|XDescribe|XContext)\(|\bSkip\(""/g,
  skipComment: /^\/\/\s*(?:go:build|\+build)\b/,
  focus: /\b(?:FIt|FDescribe|FContext|FEntry)\(/g,
  table: /^\s*for\b|\bDescribeTable\(/,
}

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
