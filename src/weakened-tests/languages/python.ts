import type { Language } from '../language.ts'

/** pytest and unittest. */
export const python: Language = {
  files: /\.pyi?$/,
  testNames: /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests?|conftest)\.py$/,
  found: 'by name',
  testFolders: /(?:^|\/)tests?\//,
  inline: null,
  syntax: {
    lineComments: ['#'],
    blockComments: [],
    strings: [
      { open: '"""', close: '"""', lines: 'many', escapedBy: '\\' },
      { open: "'''", close: "'''", lines: 'many', escapedBy: '\\' },
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
    ],
  },
  declares: /^\s*(?:(?:async\s+)?def\s+(test\w*)|class\s+(Test\w*))/,
  functions: /^\s*(?:(?:async\s+)?def|class)\s+(\w+)/,
  attribute: null,
  assertion:
    /^\s*assert\b|\.assert(?!ions?\b)\w+\s*\(|\b(?:assert|verify|expect|check)_\w+\s*\(|\bpytest\.(?:raises|fail|warns)\b|\bself\.fail\(/g,
  ranks: [
    [0, /^\s*assert\s+(?:True|1)\s*(?:,|$)|\.assertTrue\(\s*True\b|\bor\s+True\b/g],
    [3, /\.assert(?:Equals?|Is)\([^()]{0,200},\s*(?:True|False)\s*\)/g],
    [
      1,
      /\.assert(?:True|IsNotNone|_called)\((?![^()]{0,200}==)|^\s*assert\s+(?!not\b)(?![^\n]*(?:==|<|>|!=|\bin\b|\bis\b|\bisinstance\b|[([{\\]\s*$))|^\s*assert\s[^\n]{0,400}\bis\s+not\s+None\b/g,
    ],
    [
      2,
      /\.assert(?:In|Regex|Greater\w*|Less\w*|AlmostEquals?|IsInstance|_any_call|DictContainsSubset)\(|^\s*assert\s(?![^\n]{0,800}==)[^\n]{0,800}(?:\bin\b|<|>|\bisinstance\b)|\bapprox\(/g,
    ],
    [
      3,
      /\.assert(?:Equals?|Is|IsNone|False|ListEqual|DictEqual|SetEqual|TupleEqual|SequenceEqual|MultiLineEqual|CountEqual|Raises\w*|_called_with|_called_once_with|_called_once|_not_called)\(|^\s*assert\b|\bassert_(?:array_)?equal\(|\bpytest\.raises\b/g,
    ],
  ],
  wildcard: /\b(?:mock\.)?ANY\b/g,
  skip: /@(?:pytest\.)?mark\.(?:skip|skipif|xfail)\b|@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b|^\s*pytestmark\s*=.{0,200}(?:skip|xfail)|\bmarks?\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)|^\s*collect_ignore|^\s*__test__\s*=\s*False\b/g,
  focus: null,
  table: /\bparametrize\(|\bsubTest\(|^\s*(?:async\s+)?for\b|\bfor\s+\w+(?:,\s*\w+)*\s+in\b/,
}
