import type { Language } from '../language.ts'

/** jest, vitest, mocha with chai or assert, node:test, ava, playwright. */
export const javascript: Language = {
  files: /\.[cm]?[jt]sx?$/,
  testNames: /(?:[._-](?:test|spec|e2e|cy)|(?:^|\/)test)\.[cm]?[jt]sx?$/i,
  found: 'by name',
  testFolders: /(?:^|\/)(?:__tests__|tests?|specs?|e2e|cypress)\//i,
  inline: null,
  syntax: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
      { open: '`', close: '`', lines: 'many', escapedBy: '\\' },
    ],
  },
  declares: /^\s*(?:[fx]?(?:it|test|specify))(?:\.\w+)*\s*(?:\(|`)\s*(.{0,200})/,
  functions: null,
  attribute: null,
  assertion:
    /\b(?:expect|assert|verify)\w*(?:\.\w+)*\s*\(|\bt\.(?:is|not|deepEqual|notDeepEqual|like|truthy|falsy|true|false|throws|throwsAsync|notThrows|notThrowsAsync|regex|notRegex|snapshot|assert|pass|fail|equal|strictEqual|same|ok|match|rejects|resolves)\(|\.should\b|\bsinon\.assert\b/g,
  ranks: [
    [
      0,
      /\bexpect\((?:true|1|!0)\)\.|\bassert(?:\.ok|\.equal|\.strictEqual)?\((?:true|1)\b|\bt\.(?:pass\(|true\(true\b|truthy\(true\b|ok\(true\b)|\bexpect\([^\n]{0,200}\|\|\s*true\s*\)/g,
    ],
    [
      1,
      /\.toBe(?:Truthy|Falsy|Defined)\(|\.not\.(?:toThrow\w*|toBeNull|toBeUndefined|toBeFalsy)\(|\.toHaveBeenCalled\(|\bassert(?:\.ok|\.exists|\.isOk|\.isDefined|\.isNotNull|\.doesNotThrow|\.doesNotReject)?\((?![^()]{0,200}[=!]==?)|\bt\.(?:truthy|falsy|notThrows|notThrowsAsync|ok|assert)\(|\.to\.(?:be\.)?(?:ok|exist|not\.throw|not\.be\.null|not\.be\.undefined)\b|\.not\.to\.(?:throw|be\.(?:null|undefined))\b/g,
    ],
    [
      2,
      /\.(?:toContain|toContainEqual|toContainText|toMatch|toMatchObject|toHaveProperty|toBeInstanceOf|toBeTypeOf|toBeCloseTo|toBeGreaterThan\w*|toBeLessThan\w*)\(|\bassert\.(?:match|include\w*|isAbove|isAtLeast|isBelow|isAtMost|closeTo|approximately|instanceOf|typeOf|property|partialDeepStrictEqual)\(|\bt\.(?:like|regex|match)\(|\.to\.(?:be\.(?:an?|above|below|at|within|closeTo|instanceof)|include|contain|match|have\.property)\b/g,
    ],
    [
      3,
      /\.(?:toBe|toEqual|toStrictEqual|toHaveLength|toHaveBeenCalledWith|toHaveBeenCalledTimes|toHaveBeenLastCalledWith|toHaveBeenNthCalledWith|toHaveText|toHaveURL|toHaveValue|toHaveCount|toBeNull|toBeUndefined|toBeNaN|toThrow\w*|toMatchSnapshot|toMatchInlineSnapshot|toReturnWith)\(|\bassert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|lengthOf|throws|rejects|isTrue|isFalse|isNull)\(|\bt\.(?:is|deepEqual|equal|strictEqual|same|throws|throwsAsync|true|false)\(|\.to\.(?:deep\.)?(?:equal|eql|eqls|throw)\b|\.to\.be\.(?:true|false|null|undefined)\b|\.(?:to\.)?have\.(?:length|lengthOf|members)\b/g,
    ],
  ],
  wildcard:
    /\bexpect\.(?:anything|any|objectContaining|arrayContaining|stringContaining|stringMatching)\(|\bsinon\.match\.any\b|\bmatch\.any\b/g,
  skip: /\b(?:it|test|describe|context|suite|specify|bench)(?:\.\w+)*\.(?:skip|skipIf|runIf|fixme|failing|fails|fail)\b(?=\s*[(.])|\b(?:xit|xtest|xdescribe|xcontext|xspecify)\s*[(.]|\b(?:this|t|ctx|context)\.skip\(|[{,]\s*skip:\s*(?!false\b|undefined\b)[^\s,}]|^\s*skip:\s*(?:true\b|['"`])/g,
  focus:
    /\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.only\b|(?:^|[;{])\s*(?:fit|fdescribe|fcontext)\s*\(\s*['"`]|[{,]\s*only:\s*true\b/g,
  table: /\.(?:each|for|forEach)\s*[(`]|\bfor\s*(?:await\s*)?\(|\.map\(|\.every\(/,
}
