import { describe, expect, it } from 'vitest'
import { readCorpus, verdictOf } from './corpus.ts'

const corpus = readCorpus()

describe.each([...corpus])('reads %s', (_file, cases) => {
  it.each(cases)('$name', ({ text, expect: expectations }) => {
    for (const { channel, verdict, issues } of expectations) {
      const review = verdictOf(text, channel)
      expect(review?.verdict ?? null, `by ${channel}`).toBe(verdict)
      if (issues !== undefined) expect(review?.issues.length, `issues by ${channel}`).toBe(issues)
    }
  })
})

it('has enough cases, each with its own name and an expectation', () => {
  const all = [...corpus].flatMap(([file, cases]) =>
    cases.map((one) => ({ ...one, at: `${file}: ${one.name}` })),
  )
  expect(all.length).toBeGreaterThanOrEqual(300)
  expect(new Set(all.map(({ at }) => at)).size).toBe(all.length)
  expect(all.filter((one) => one.expect.length === 0)).toEqual([])
})
