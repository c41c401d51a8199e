/**
 * The state of one task's way through develop → check → review, as the fold of its events. Plain data: it is stored
 * as JSON beside the journal, and folding the journal again must give the same.
 *
 *   develop ──session ends──► commit ──► check ──gates pass──► review ──verdict──► judge ──► land ──► completed
 *      ▲                        │refused   │fails                                   │
 *      └────────────────────────┴──────────┴───────────── feedback ◄────────────────┘
 *
 * `land` is gone through where the work is to be merged into its base or its group's branch: by the configuration, or
 * because a person says so. Where that meets a conflict, or where two things that a task builds on conflict, `resolve`
 * comes before anything else: the other branch is merged into the loop's own, and the result is checked and reviewed.
 */

import type { GateResult, HandMove, StoredEvent } from './event.ts'
import {
  type LastResolver,
  type MergedIn,
  noSetbacks,
  type Resolving,
  type Setbacks,
} from './phases/resolving.ts'
import type { LandOutcome, Place } from './place.ts'
import type { Policy } from './policy/policy.ts'
import type { CheckpointFindings } from './review/checkpoint.ts'
import type { CycleTally } from './review/churn.ts'
import type { LedgerIssue } from './review/ledger.ts'
import type { Seat } from './review/panel.ts'
import type { FinalVerdict, Verdict } from './review/review.ts'
import type { ReviewAnswer } from './review/review-record.ts'
import type { Feedback } from './session/feedback.ts'
import type { Role, SessionStart } from './session/session.ts'
import type { BlockReason, FailReason, FailureClass, Retry, Task, TaskStatus } from './task.ts'

export type Phase = 'develop' | 'commit' | 'check' | 'review' | 'judge' | 'land' | 'resolve'

export interface Loop {
  id: number
  version: number
  task: Task
  deleted: boolean
  status: TaskStatus
  reason: BlockReason | FailReason | null
  detail: string | null
  recovery: string[]
  verdict: FinalVerdict | null
  /** The tasks because of which the schedule holds it; null where it does not. */
  heldBy: number[] | null
  /** The running task behind which it waits, because both seem to be about these files. */
  deferred: { behind: number; files: string[] } | null
  /** All behind which it waited like that before it began; of these it begins with what is approved. */
  waitedBehind: number[]

  claim: { run: number; worker: string } | null
  policy: Policy | null
  place: Place | null

  phase: Phase
  /** The step that a person asked for, until it came to its end; the loop takes it and nothing beyond. */
  hand: HandMove | 'gather' | null
  /** Developer turns, the present one included; a repeated attempt keeps its number. */
  iteration: number
  /** Developer turns that came to an end. One that failed or was interrupted did not, and is taken up again. */
  turns: number
  /** How many of them a person's retry has made good; `max_iterations` counts from there. */
  granted: number
  /** Sessions so far at the present turn of each: this iteration's developer, within it this cycle's reviewer and parser. */
  attempts: { developer: number; reviewer: number; parser: number; cycle: number }
  /** Reviews with a readable verdict so far. */
  cycle: number
  /** A person granted reviews up to this cycle, whatever the policy's limit. */
  cyclesGranted: number
  revisions: number

  /** The last recorded commit of the branch. */
  head: { sha: string; tree: string; empty: boolean } | null
  /**
   * What the developer must be told, the tree it was said of, and whether a session was started with it. It stays
   * until newer feedback takes its place.
   */
  feedback: { said: Feedback; tree: string | null; begun: boolean } | null
  /** The developer said that the task is done (`develop.until: claim`). */
  claimed: boolean

  session: RunningSession | null
  /** Sessions that run at the same time: the seats of a panel, and checkpoints. */
  beside: RunningSession[]
  /** The latest developer session; what a person did to its work is committed in its name. */
  developer: string | null
  /** The latest session of each role in the words of its agent, to go on with. */
  conversations: Partial<Record<Voice, { agent: string; id: string }>>
  sessions: number
  /** The developer session whose work waits for its commit. */
  uncommitted: string | null
  /** The developer ran out of time: what is there is committed, then a person is asked. */
  overdue: string | null
  /** The developer says that it can't: what is there is committed, then a person is asked. These are its words. */
  gaveUp: string | null
  tries: Tries

  baselined: string[]
  check: { tree: string; results: GateSummary[] } | null
  refusal: GateSummary | null
  gateFailures: number

  /** The cycle of the review that is being asked for, until its verdict was acted upon. */
  reviewing: number | null
  asks: Asks
  /** Where each seat of a panel stands in that review; empty in between, and where one reviewer is enough. */
  panel: Seat[]
  /** What the reviewer said in plain words, until a parser has made a review of it. */
  unparsed: ReviewAnswer | null
  /** What the last reviewer changed that it must not. */
  tampered: string | null
  /** What was changed outside the worktree while developers ran, the latest last. */
  strays: { session: string; text: string }[]
  /** The one of them that a person has to look at first. */
  strayed: string | null
  review: LastReview | null
  ledger: LedgerIssue[]
  /** What each cycle did to the ledger; one that did nothing to it is left out. */
  tally: CycleTally[]
  /** By task: the iteration with which its loop reached an interval, and this one was looked at for it. */
  checkpointed: Record<string, number>
  /** What the latest checkpoint found, until a developer that was told of it has come to an end. */
  checkpoint: CheckpointFindings | null
  lastCheckpointAt: string | null

  /** Who approved which tree; void as soon as there is another one. */
  approval: { by: 'review' | 'person'; tree: string | null } | null
  landing: 'begun' | LandOutcome | null
  setbacks: Setbacks
  /** A merge to be made first; the phase is then `resolve`. */
  resolving: Resolving | null
  resolver: LastResolver | null
  merged: MergedIn | null
  landed: { base: string; commit: string } | null

  costUsd: number | null
  tokens: number | null
  filedAt: string
  startedAt: string | null
  endedAt: string | null
}

/** Who goes on with a session of its own: a role, or one of the further seats of a panel. */
export type Voice = Role | `reviewer ${number}`

export type RunningSession = Omit<SessionStart, 'prompt'> & {
  startedAt: string
  /** How far it says that it is, and the number under which its tools said so. */
  progress?: { text: string; request: number }
}

/** What went wrong at the present turn so far; a turn that ends well starts anew. */
export interface Tries {
  failures: number
  /** Runs whose keeper vanished. They cost no retry, but ten in a row are a crash. */
  losses: number
  /** Runs that met a limit which named the time of its own end. They cost no retry, but are not waited for without end. */
  waits: number
  /** When the first of them was recorded. */
  waitingSince: string | null
  /** Runs to which the prompt was too long. After the first there is a shorter one. */
  tooLong: number
  last: LastFailure | null
}

export interface LastFailure {
  class: FailureClass
  detail: string
  at: string
  retryAt: string | null
  retry: Retry | null
  agent: string
}

/** How often the reviewer was asked again within this cycle, and what it is told about it. */
export interface Asks {
  malformed: number
  /** Readable verdicts of this cycle that could not be acted upon, before the last one. */
  baseless: number
  why: string | null
  at: string | null
}

export interface LastReview {
  id: string
  cycle: number
  attempt: number
  verdict: Verdict
  blocking: boolean
  summary: string
  tree: string
  /** The tree that the cycle before judged, and what changed since, by file. */
  since: string | null
  changes: Record<string, [number, number][]> | null
  /** The work went back to the developer with it; the same tree again is then no revision. */
  sentBack: boolean
  /** Blocking issues that were open before this review spoke. */
  openBefore: number[]
  /** How many of a panel were against what it approved. */
  dissent?: number
}

export type GateSummary = Pick<GateResult, 'name' | 'command' | 'passed' | 'exitCode' | 'timedOut' | 'output'>

export const noTries: Tries = {
  failures: 0,
  losses: 0,
  waits: 0,
  waitingSince: null,
  tooLong: 0,
  last: null,
}
export const noAsks: Asks = { malformed: 0, baseless: 0, why: null, at: null }

/** A loop as it is when its task was just filed. */
export function newLoop(added: StoredEvent & { type: 'task.added' }): Loop {
  return {
    id: Number(added.stream.slice('task/'.length)),
    version: added.version,
    task: added.data.task,
    deleted: false,
    status: 'pending',
    reason: null,
    detail: null,
    recovery: [],
    verdict: null,
    heldBy: null,
    deferred: null,
    waitedBehind: [],
    claim: null,
    policy: null,
    place: null,
    phase: 'develop',
    hand: null,
    iteration: 0,
    turns: 0,
    granted: 0,
    attempts: { developer: 0, reviewer: 0, parser: 0, cycle: 0 },
    cycle: 0,
    cyclesGranted: 0,
    revisions: 0,
    head: null,
    feedback: null,
    claimed: false,
    session: null,
    beside: [],
    developer: null,
    conversations: {},
    sessions: 0,
    uncommitted: null,
    overdue: null,
    gaveUp: null,
    tries: noTries,
    baselined: [],
    check: null,
    refusal: null,
    gateFailures: 0,
    reviewing: null,
    asks: noAsks,
    panel: [],
    unparsed: null,
    tampered: null,
    strays: [],
    strayed: null,
    review: null,
    ledger: [],
    tally: [],
    checkpointed: {},
    checkpoint: null,
    lastCheckpointAt: null,
    approval: null,
    landing: null,
    setbacks: noSetbacks,
    resolving: null,
    resolver: null,
    merged: null,
    landed: null,
    costUsd: null,
    tokens: null,
    filedAt: added.at,
    startedAt: null,
    endedAt: null,
  }
}

/** All that run, its own first. */
export function runningSessions({ session, beside }: Pick<Loop, 'session' | 'beside'>): RunningSession[] {
  return session ? [session, ...beside] : beside
}

/** The name by which agents and screens know the loop of a task. */
export function loopName(task: number): string {
  return `loop-${task}`
}
