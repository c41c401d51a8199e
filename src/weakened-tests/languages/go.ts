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
