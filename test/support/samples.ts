/**
 * How many random cases a property is tried with: a modest number in `npm test`, ten times as many in
 * `npm run test:all`, which runs every test file that asks here (see vitest.long.config.ts).
 */
export function samples(few: number): number {
  return process.env.TEST_EXTENT === 'long' ? few * 10 : few
}
