/** What a diff does to the tests and to what runs them: a fact to be answered, never a judgement. */
export const weakenedKinds = [
  'deleted-test-file',
  'removed-assertion',
  'skipped-test',
  'focused-test',
  'loosened-expectation',
  'changed-gate',
  'changed-ci',
] as const
export type WeakenedKind = (typeof weakenedKinds)[number]

export interface WeakenedFact {
  kind: WeakenedKind
  file: string
  /** On the new side of the diff; on the old one for what is not there any more. Null for a file as a whole. */
  line: number | null
  /** One line, written by whoever wrote the diff, or in our words where there is none. */
  text: string
}

export interface WeakenedTests {
  facts: WeakenedFact[]
  /** How many more there are than are listed. */
  more: number
}
