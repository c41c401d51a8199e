/** Random policies, random people, and agents that do anything an agent can do, in any order, again and again. */

import type { Move } from '../../src/core/person/move.ts'
import type { Inherited } from '../../src/core/place.ts'
import { type Gate, type Policy, proofs } from '../../src/core/policy/policy.ts'
import { issueTypes, type ReportedIssue, type Review, verdicts } from '../../src/core/review/review.ts'
import type { ProofOutcome } from '../../src/core/review/review-record.ts'
import type { Feedback } from '../../src/core/session/feedback.ts'
import type { TaskType } from '../../src/core/task.ts'
import { fc } from '../support/random.ts'
import { baseTree } from './played-tree.ts'
import type { MergeTurn, ResolutionTurn, Script } from './script.ts'
import {
  type DeveloperTurn,
  isInterrupted,
  isLimited,
  isTooLong,
  type LandTurn,
  type ParserTurn,
  type ReviewerTurn,
  type Touched,
} from './turns.ts'
import { usualPolicy } from './world.ts'

const knownGates: Gate[] = [
  { name: 'test', command: 'npm test', kind: 'gate' },
  { name: 'backpressure', command: './check', kind: 'backpressure' },
]

export const anyPolicy: fc.Arbitrary<Policy> = fc.record({
  effort: fc.constant(usualPolicy.effort),
  depth: fc.constant(usualPolicy.depth),
  minScore: fc.constant(usualPolicy.minScore),
  reviewed: rarely(false, true),
  trigger: rarely('explicit', 'script_completion'),
  land: fc.constantFrom('branch', 'base'),
  maxCycles: fc.integer({ min: 1, max: 4 }),
  maxIterations: fc.integer({ min: 1, max: 25 }),
  until: fc.constantFrom('session_end', 'claim'),
  gates: fc.subarray(knownGates),
  baseline: fc.boolean(),
  maxGateFailures: fc.integer({ min: 1, max: 3 }),
  reviewRetries: fc.integer({ min: 0, max: 2 }),
  agentRetries: fc.integer({ min: 0, max: 2 }),
  checkpointEvery: fc.constant(null),
  seats: fc.constant(1),
  approveBy: fc.constant('all'),
  proof: fc.constantFrom(...proofs),
})

// Few trees, files and words, so that values repeat: a revision that changes nothing, an issue that comes back.
const anyTree = fc.constantFrom(baseTree, 'one', 'two', 'three', undefined, undefined, undefined)
const anyFile = fc.constantFrom('src/a.ts', './src/a.ts', 'src/b.ts', 'constructor', null, null)
const anyRange = fc.constantFrom<[number, number]>([1, 5], [8, 8])

const anyTouched: fc.Arbitrary<Touched> = fc.dictionary(
  fc.constantFrom('src/a.ts', 'src/b.ts'),
  fc.array(anyRange, { maxLength: 2 }),
  { maxKeys: 2, noNullPrototype: true },
)

const anyIssue: fc.Arbitrary<ReportedIssue> = fc.record({
  id: fc.constantFrom(null, null, '1', '#2', '3', 'a'),
  file: anyFile,
  line: fc.constantFrom(null, 2, 8, 40),
  section: fc.constant(null),
  type: fc.constantFrom(...issueTypes),
  severity: fc.constantFrom('blocking', 'blocking', 'blocking', 'advisory'),
  description: fc.constantFrom('It is slow.', 'it  is slow.', 'It leaks.', 'It lies.', 'It hangs.', ''),
  suggestion: fc.constantFrom(null, 'Mend it.'),
  witness: fc.constantFrom(null, null, ['./check'], ['./check', 'again']),
  status: fc.constantFrom(null, null, null, 'open', 'resolved'),
})

/** Includes reviews that contradict themselves. Real ones never get this far. */
const anyReview: fc.Arbitrary<Partial<Review>> = fc.record({
  verdict: fc.oneof(
    { weight: 9, arbitrary: fc.constant('CHANGES_REQUESTED' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...verdicts) },
  ),
  summary: fc.constantFrom('', 'Not yet.'),
  blocking: rarely(true, false),
  issues: fc.array(anyIssue, { maxLength: 4, size: 'max' }),
})

const failing = fc.oneof(
  fc.record({
    does: fc.constant('fails' as const),
    class: fc.constantFrom('crash', 'idle', 'rate_limited', 'auth', 'overloaded'),
  }),
  // A limit that ends in some hours, in some days, or too late for Umpire to wait.
  fc
    .constantFrom('2026-01-01T05:00:00.000Z', '2026-01-03T00:00:00.000Z', '2026-09-01T00:00:00.000Z')
    .map(isLimited),
  fc.constant(isTooLong),
  fc.constant({ does: 'fails' as const, class: 'crash' as const, retry: 'never' as const }),
)

const anyDeveloperTurn: fc.Arbitrary<DeveloperTurn> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .record({ tree: anyTree, touched: anyTouched, claimed: fc.boolean() })
      .map(({ tree, ...work }) => ({ does: 'works' as const, ...(tree ? { tree } : {}), ...work })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('harmlessly' as const, 'into hooks' as const)
      .map((strays) => ({ does: 'works' as const, strays })),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'changes-nothing' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'times-out' as const }) },
  {
    weight: 1,
    arbitrary: anyTree.map((tree) => ({ does: 'gives-up' as const, ...(tree ? { tree } : {}) })),
  },
  { weight: 1, arbitrary: failing },
  { weight: 2, arbitrary: fc.constant({ does: 'vanishes' as const }) },
)

const anyParserTurn: fc.Arbitrary<ParserTurn> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ does: 'approves' as const }) },
  { weight: 20, arbitrary: anyReview.map((review) => ({ does: 'judges' as const, review })) },
  { weight: 1, arbitrary: anyReview.map((review) => ({ does: 'judges' as const, review, tree: 'stale' })) },
  { weight: 2, arbitrary: fc.constant({ does: 'is-unreadable' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'tampers' as const }) },
  { weight: 1, arbitrary: failing },
  { weight: 1, arbitrary: fc.constant({ does: 'fails' as const, class: 'timeout' as const }) },
  { weight: 2, arbitrary: fc.constant({ does: 'vanishes' as const }) },
)

const anyReviewerTurn: fc.Arbitrary<ReviewerTurn> = fc.oneof(
  { weight: 7, arbitrary: anyParserTurn },
  { weight: 1, arbitrary: fc.constant({ does: 'speaks-freely' as const }) },
)

const anyLanding: fc.Arbitrary<LandTurn> = fc.oneof(
  { weight: 2, arbitrary: fc.constant('lands' as const) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('conflicts', 'is-refused', 'fails-gate', 'waits', 'carries', 'breaks'),
  },
)

export interface Behaviour {
  developer: DeveloperTurn[]
  reviewer: ReviewerTurn[]
  parser: ParserTurn[]
  commits: ('accepted' | 'refused')[]
  gates: ('pass' | 'fail')[]
  witnesses: ProofOutcome[]
  landings: LandTurn[]
  merges: MergeTurn[]
  resolutions: ResolutionTurn[]
  /** The sessions at which Ctrl-C is pressed. A person presses it, so unlike all else it happens only a few times. */
  interruptions: boolean[]
}

export const anyBehaviour: fc.Arbitrary<Behaviour> = fc.record({
  developer: fc.array(anyDeveloperTurn, { minLength: 1, maxLength: 8 }),
  reviewer: fc.array(anyReviewerTurn, { minLength: 1, maxLength: 6 }),
  parser: fc.array(anyParserTurn, { minLength: 1, maxLength: 4 }),
  commits: fc.array(rarely('refused', 'accepted'), { minLength: 1, maxLength: 5 }),
  gates: fc.array(rarely('fail', 'pass'), { minLength: 1, maxLength: 5 }),
  witnesses: fc.array(fc.constantFrom('proven', 'unproven', 'unclear', 'not run'), {
    minLength: 1,
    maxLength: 5,
  }),
  landings: fc.array(anyLanding, { minLength: 1, maxLength: 3 }),
  merges: fc.array(fc.constantFrom('conflict', 'conflict', 'clean', 'contained'), {
    minLength: 1,
    maxLength: 3,
  }),
  resolutions: fc.array(fc.constantFrom('resolved', 'resolved', 'unresolved', 'refused'), {
    minLength: 1,
    maxLength: 4,
  }),
  interruptions: fc.array(fc.boolean(), { maxLength: 5 }),
})

/** Agents that succeed at once, so that the steps after an approval are tested often enough. */
const kindBehaviour: fc.Arbitrary<Behaviour> = anyBehaviour.map(
  ({ landings, merges, resolutions, witnesses }) => ({
    developer: [{ does: 'works' }],
    reviewer: [{ does: 'approves' }],
    parser: [{ does: 'approves' }],
    commits: ['accepted'],
    gates: ['pass'],
    witnesses,
    landings,
    merges,
    resolutions,
    interruptions: [],
  }),
)

export const anyOrKindBehaviour: fc.Arbitrary<Behaviour> = fc.oneof(anyBehaviour, kindBehaviour)

/** Repeats each list when it is used up, so that no loop ends only because the script became kind. */
export function endlessly(behaviour: Behaviour): Script {
  const { developer, reviewer, parser, commits, gates, witnesses, interruptions } = behaviour
  return {
    developer: interrupted(developer, interruptions),
    reviewer: interrupted(reviewer, interruptions),
    parser: interrupted(parser, interruptions),
    commits: again(commits),
    gates: again(gates),
    witnesses: again(witnesses),
    landings: again(behaviour.landings),
    resolver: interrupted(developer, interruptions),
    merges: again(behaviour.merges),
    resolutions: again(behaviour.resolutions),
  }
}

/** What a loop begins with: usually nothing, otherwise the work of another task and maybe feedback on it. */
export interface Beginning {
  type: TaskType
  inherited: Inherited | null
}

const inheritedFeedback = fc.constantFrom<Feedback | null>(
  null,
  { from: 'review', cycle: 2, summary: 'Not yet.', issues: [] },
  { from: 'review', cycle: 0, summary: 'From a file.', issues: [] },
)

const anyInherited: fc.Arbitrary<Inherited> = inheritedFeedback.map((feedback) => ({
  task: 3,
  sha: 'c-of-3',
  tree: 'tree-of-3',
  feedback,
}))

export const anyBeginning: fc.Arbitrary<Beginning> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'implement' as const, inherited: null }) },
  { weight: 1, arbitrary: anyInherited.map((inherited) => ({ type: 'improve' as const, inherited })) },
  { weight: 1, arbitrary: anyInherited.map((inherited) => ({ type: 'review' as const, inherited })) },
)

const why = fc.constantFrom(null, 'I looked at it.')

/** What a person may try with a loop that rests. The loop may refuse it. */
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('retry' as const), why }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('review' as const), why }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('improve' as const),
      note: fc.constantFrom(null, 'Be brief.'),
      text: fc.constantFrom(null, null, 'Use a map.'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('merge' as const), why }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), why }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('waive' as const),
      issues: fc.constantFrom<number[]>([1], [2], [3], [1, 2]),
      why: fc.constant('It is gone next week.'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('verdict' as const),
      verdict: fc.constantFrom(...verdicts),
      why,
    }),
  },
)

/** A person's move, whether they edited files before it, and the limits for the work after it. */
export interface PersonTurn {
  move: Move
  edits: boolean
  policy: Policy | null
  behaviour: Behaviour
}

export const anyPersonTurns: fc.Arbitrary<PersonTurn[]> = fc.array(
  fc.record({
    move: anyMove,
    edits: rarely(true, false),
    policy: fc.option(anyPolicy, { freq: 4 }),
    behaviour: anyOrKindBehaviour,
  }),
  { minLength: 1, maxLength: 6 },
)

function* again<T>(list: T[]): Generator<T> {
  while (true) yield* list
}

function* interrupted<T>(turns: T[], interruptions: boolean[]): Generator<T | typeof isInterrupted> {
  let session = 0
  for (const turn of again(turns)) {
    if (interruptions[session]) yield isInterrupted
    session += 1
    yield turn
  }
}

/** The rare value in one of twelve cases. */
function rarely<const T>(rare: T, usual: T): fc.Arbitrary<T> {
  return fc.nat({ max: 11 }).map((number) => (number === 0 ? rare : usual))
}
