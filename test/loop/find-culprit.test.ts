import { expect, test } from 'vitest'
import { findBlame, findCulprit } from '../../src/loop/land/find-culprit.ts'
import { fc } from '../support/random.ts'

test('finds the first part that fails, with as many runs as a bisection', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 64 }), fc.nat(), async (parts, at) => {
      const culprit = (at % parts) + 1
      let runs = 0
      const found = await findCulprit(0, parts, async (prefix) => {
        runs += 1
        return prefix < culprit
      })
      expect(found).toBe(culprit)
      expect(runs).toBeLessThanOrEqual(Math.ceil(Math.log2(parts)))
    }),
  )
})

test('finds one part that starts a failure if results alternate', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (between) => {
      const results = [true, ...between, false]
      const found = await findCulprit(0, results.length - 1, async (prefix) => results[prefix] ?? false)
      expect([results[found - 1], results[found]]).toEqual([true, false])
    }),
  )
})

test('runs the accused part once more, so that one flaky failure blames no part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 16 }), fc.nat(), fc.nat(), async (parts, at, chance) => {
      // A culprit after the last part means that no part is to blame.
      const culprit = (at % (parts + 1)) + 1
      // If no part is to blame, the failure of all parts together was already flaky.
      const unlucky = culprit > parts ? 0 : chance % 6
      let runs = 0
      const blame = await findBlame(parts, null, async (prefix) => {
        runs += 1
        return prefix < culprit && runs !== unlucky
      })
      expect(blame).toEqual(culprit > parts ? { kind: 'passed' } : { kind: 'part', number: culprit })
    }),
  )
})

test('blames no part if the base itself fails, and never runs a part’s own gate without that part', async () => {
  expect(await findBlame(3, null, async () => false)).toEqual({ kind: 'none' })
  const tried: number[] = []
  const blame = await findBlame(3, 2, async (prefix) => {
    tried.push(prefix)
    return false
  })
  expect(blame).toEqual({ kind: 'part', number: 2 })
  expect(Math.min(...tried)).toBe(2)
})
