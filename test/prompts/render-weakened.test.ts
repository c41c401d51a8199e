import { expect, test } from 'vitest'
import { renderWeakened } from '../../src/prompts/render-weakened.ts'
import type { WeakenedFact } from '../../src/weakened-tests/fact.ts'

const fact: WeakenedFact = { kind: 'skipped-test', file: 'a "b".test.ts', line: 4, text: "it.skip('```')" }

test('numbers the facts in a fence that they cannot close, and asks for an answer to each', () => {
  const text = renderWeakened({ facts: [fact, { ...fact, line: null }], more: 0 }, 10_000) ?? ''
  expect(text).toContain('````\n1. skipped-test "a \\"b\\".test.ts":4: it.skip(\'```\')\n2. skipped-test')
  expect(text).toMatch(/Answer each of them[\s\S]+justified by the task/)
  expect(text).not.toContain('more of the same kind')
  expect(renderWeakened({ facts: [], more: 0 }, 10_000)).toBeNull()
})

test('lists some facts and counts the others when there is little room', () => {
  const text = renderWeakened({ facts: Array.from({ length: 40 }, () => fact), more: 5 }, 200) ?? ''
  expect(text.match(/skipped-test/g)).toHaveLength(3)
  expect(text).toContain('And 42 more of the same kind')
})
