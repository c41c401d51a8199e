/** The independent checker accepts real runs of many tasks, and finds every kind of damage to them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { damagesOfReviews } from './damages-of-reviews.ts'
import { damagesTogether } from './damages-together.ts'
import { check, removeRepository, violationsAfter } from './played-repository.ts'
import { playTogether } from './played-together.ts'

let healthy = ''
beforeAll(async () => {
  healthy = await playTogether()
}, 180_000)
afterAll(() => removeRepository(healthy))

test('accepts groups, conflicts, panels, checkpoints, waivers, witnesses and budgets', () => {
  const { code, stdout } = check(healthy)
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^14 tasks, \d+ events: everything holds\.\n$/),
  })
})

test.each([...damagesTogether, ...damagesOfReviews])('finds it when %s', async (_, how, wanted) => {
  expect(await violationsAfter(healthy, how)).toContainEqual(expect.stringMatching(wanted))
})
