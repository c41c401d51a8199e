/**
 * How many random cases a property is tried with: a modest number in `npm test`, ten times as many in `npm run
 * test:all`, which runs every test file that uses this (see vitest.long.config.ts). `npm test` tries the same cases
 * every time, so that it does not fail by chance: some tests also count how often something occurred. The long tests
 * try other cases in each run, and fast-check prints the seed of a failure.
 */
import fc from 'fast-check'

const isLong = process.env.TEST_EXTENT === 'long'

if (!isLong) fc.configureGlobal({ seed: 20_261_118 })

export function samples(few: number): number {
  return isLong ? few * 10 : few
}
