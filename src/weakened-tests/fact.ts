/** What a diff does to the tests and to the files that run them. It is a fact for the reviewer, never a judgement. */
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
  /** The line on the new side of the diff, or on the old side for removed lines. Null for a file as a whole. */
  line: number | null
  /** One line of the diff, or a description in Umpire's words if no line shows it. */
  text: string
}

export interface WeakenedTests {
  facts: WeakenedFact[]
  /** How many facts were left out of the list. */
  more: number
}
