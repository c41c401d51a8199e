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

/** rspec and minitest. */
export const ruby: Language = {
  files: /\.rb$/,
  testNames: /(?:_spec|_test)\.rb$|(?:^|\/)test_[^/]*\.rb$/,
  found: 'by name',
  testFolders: /(?:^|\/)(?:spec|test)\//,
  inline: null,
  syntax: {
    lineComments: ['#'],
    blockComments: [],
    strings: [
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
    ],
  },
  declares: /^\s*(?:def\s+(test_\w+)|[fx]?(?:it|specify|example|test|scenario)\b\s*\(?\s*(['"].{0,200}))/,
  functions: /^\s*def\s+(\w+)/,
  attribute: null,
  assertion:
    /\bexpect\b\s*[({]|\bexpect\s+do\b|\bis_expected\b|\b(?:assert|refute)(?:_\w+)?\b|\.must_\w+|\.wont_\w+|\.should(?:_not)?\b|\bflunk\b|\bexpect_\w+\b|\bverify_\w+\b/g,
  ranks: [
    [0, /\bexpect\(\s*true\s*\)|\bassert[ (]\s*true\s*(?:\)|,|$)/g],
    [
      1,
      /\bbe_truthy\b|\bbe_falsey\b|\bbe_present\b|\b(?:not_to|to_not)\s+(?:be_nil|raise_error|be_empty|be_blank)\b|\b(?:not_to|to_not)\s*\(?(?:be_nil|raise_error)\b|\bassert(?:_not_nil|_predicate|_nothing_raised)?\b(?!_)(?!\()(?![^\n]{0,400}==)|\bassert\((?![^\n]{0,400}==)|\brefute_nil\b|\brefute_empty\b|\bwont_be_nil\b|\bbe_ok\b/g,
    ],
    [
      2,
      /\bto\s*\(?\s*(?:include|match|be_an?|be_kind_of|be_within|be_between|start_with|end_with|have_key|have_attributes|be\s+[<>])|\bassert_(?:includes|match|in_delta|in_epsilon|kind_of|instance_of|respond_to|operator)\b|\bmust_(?:include|match|be_kind_of|be_close_to)\b/g,
    ],
    [
      3,
      /\bto\s*\(?\s*(?:eq|eql|equal|be\b|match_array|contain_exactly|raise_error|be_nil|be_empty|be_zero|be_true|be_false|have_received)|\bassert_(?:equal|same|nil|empty|raises|throws|silent|output)\b|\bmust_(?:equal|be_nil|be_same_as|raise)\b|\bassert\b/g,
    ],
  ],
  wildcard: /\b(?:anything|any_args|hash_including|array_including|kind_of|instance_of)\b/g,
  skip: /^\s*(?:xit|xspecify|xexample|xdescribe|xcontext|xscenario)\b|^\s*(?:skip|pending)\b(?!\s*[=.])|[,(]\s*(?:skip|pending):\s*(?!false\b|nil\b)\S|[,(]\s*:(?:skip|pending)\b|\bmeta\[:skip\]/g,
  focus: /^\s*(?:fit|fspecify|fexample|fdescribe|fcontext)\b|[,(]\s*focus:\s*true\b|[,(]\s*:focus\b/g,
  table:
    /\.each\b|\.each_with_index\b|\.times\b|\.map\b|\bwhere\b|^\s*for\b|\b(?:shared_examples|it_behaves_like|include_examples)\b/,
}
