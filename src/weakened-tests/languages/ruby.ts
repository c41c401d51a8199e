import type { Language } from '../language.ts'

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
