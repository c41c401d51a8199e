import { expect, test } from 'vitest'
import { weakenedLines } from '../../src/view/task-page.ts'

test('every fact is one line without control characters, and the facts that are not listed are counted', () => {
  const lines = weakenedLines({
    facts: [
      { kind: 'removed-assertion', file: 'a\u001b[2J.test.ts', line: 3, text: 'expect(\u202ea)\n.toBe(1)' },
      { kind: 'deleted-test-file', file: 'b.test.ts', line: null, text: 'deleted' },
    ],
    more: 7,
  })
  expect(lines).toEqual([
    'removed-assertion a.test.ts:3: expect(a) .toBe(1)',
    'deleted-test-file b.test.ts: deleted',
    'and 7 more that are not listed',
  ])
  expect(weakenedLines(null)).toEqual([])
})
