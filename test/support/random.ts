/**
 * Random cases. `npm test` tries a modest number of them, and the same ones every time, so that it does not fail by
 * chance: some tests also count how often something happened. `npm run test:all` runs every test file that imports this
 * one again (see vitest.long.config.ts), with ten times as many cases and other ones each time. fast-check prints the
 * seed of a failure.
 */
import * as fc from 'fast-check'

const isLong = process.env.TEST_EXTENT === 'long'

if (!isLong) fc.configureGlobal({ seed: 20_261_118 })

export { fc }

export function samples(few: number): number {
  return isLong ? few * 10 : few
}
