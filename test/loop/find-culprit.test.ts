import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findBlame, findCulprit } from '../../src/loop/land/find-culprit.ts'

test('names the part with which it begins to fail, in as many runs as a bisection takes', async () => {
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

test('of what passes and fails by turns it names a part at which it begins to fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (between) => {
      const results = [true, ...between, false]
      const found = await findCulprit(0, results.length - 1, async (prefix) => results[prefix] ?? false)
      expect([results[found - 1], results[found]]).toEqual([true, false])
    }),
  )
})

test('what is accused is tried once more, so that one failure by chance names nobody', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 16 }), fc.nat(), fc.nat(), async (parts, at, chance) => {
      // After the last of them there is none.
      const culprit = (at % (parts + 1)) + 1
      // Where none is to blame, it was by chance that all of them failed.
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

test('what fails without any of them is nobody’s; a part’s own gate is never tried without it', async () => {
  expect(await findBlame(3, null, async () => false)).toEqual({ kind: 'none' })
  const tried: number[] = []
  const blame = await findBlame(3, 2, async (prefix) => {
    tried.push(prefix)
    return false
  })
  expect(blame).toEqual({ kind: 'part', number: 2 })
  expect(Math.min(...tried)).toBe(2)
})
