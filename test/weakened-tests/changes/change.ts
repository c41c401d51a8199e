import type { WeakenedKind } from '../../../src/weakened-tests/fact.ts'

/** One file before and after, and the facts that Umpire must report. */
export interface Change {
  says: string
  file: string
  before: string
  after: string
  found: WeakenedKind[]
}

export const removed: WeakenedKind = 'removed-assertion'
export const skipped: WeakenedKind = 'skipped-test'
export const focused: WeakenedKind = 'focused-test'
export const loosened: WeakenedKind = 'loosened-expectation'

/** Each row has a description, both sides, and the facts to find. */
export function changesOf(
  file: string,
  frame: (body: string) => string,
  rows: [string, string, string, WeakenedKind[]][],
): Change[] {
  return rows.map(([says, before, after, found]) => ({
    says: `${file}: ${says}`,
    file,
    before: frame(before),
    after: frame(after),
    found,
  }))
}
