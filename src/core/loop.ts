/**
 * The state of one task on its way through develop → check → review, as the fold of its events. It is plain data, stored
 * as JSON next to the journal. Folding the journal again must give the same state.
 *
 *   develop ──session ends──► commit ──► check ──gates pass──► review ──verdict──► judge ──► land ──► completed
 *      ▲                        │refused   │fails                                   │
 *      └────────────────────────┴──────────┴───────────── feedback ◄────────────────┘
 *
 * `land` only happens if the configuration or a person wants the work merged into its base or its group's branch.
 * `resolve` comes first when landing meets a conflict, or when two tasks that this one builds on conflict: the other
 * branch is merged into the loop's own branch, and the result is checked and reviewed.
 *
 * The state is divided into slices, one for each part of the story. `phases/ruling.ts` gives a phase what it needs of
 * them, so that no rule has to ask whether there is a commit to check or an approval to land.
 */
import type { GateResult, StoredEvent } from './event.ts'
import { type LandingState, type MergedIn, noLanding } from './phases/landing-state.ts'
import { noReview, type ReviewState } from './phases/review-state.ts'
import type { Place } from './place.ts'
import type { Policy } from './policy/policy.ts'
import type { FinalVerdict } from './review/review.ts'
import type { Feedback } from './session/feedback.ts'
import { noTries, type RunningSession, type Tries, type Voice } from './session/session.ts'
import type { BlockReason, FailReason, HandStep, Task, TaskStatus } from './task.ts'

export type Phase = 'develop' | 'commit' | 'check' | 'review' | 'judge' | 'land' | 'resolve'

export interface Loop {
  id: number
  version: number
  task: Task
  standing: Standing
  /** The worker that has claimed the loop. No other worker may write to it. */
  claim: { run: number; worker: string } | null
  /** The limits and gates that were in force when the loop was last claimed. */
  policy: Policy | null
  /** The step that a person asked for, until it has ended. The loop takes this step and then stops. See `policy/terms.ts`. */
  asked: HandStep | null
  work: Work
  turn: Turn
  check: CheckState
  review: ReviewState
  landing: LandingState
}

/** What a screen shows first: the task's status and the reason for it. */
export interface Standing {
  deleted: boolean
  status: TaskStatus
  reason: BlockReason | FailReason | null
  detail: string | null
  recovery: string[]
  verdict: FinalVerdict | null
  /** The tasks because of which the schedule holds this one back, or null if it doesn't. */
  heldBy: number[] | null
  /** The running task that this one waits for, because both seem to change these files. */
  deferred: { behind: number; files: string[] } | null
  /** All tasks that this one waited for in that way. It begins with those of them that are approved. */
  waitedBehind: number[]
  costUsd: number | null
  tokens: number | null
  filedAt: string
  startedAt: string | null
  endedAt: string | null
}

/** The branch and the worktree, as far as they are recorded. */
export interface Work {
  place: Place | null
  head: Head | null
  /** The developer session whose work is not committed yet. */
  uncommitted: string | null
  merged: MergedIn | null
  /** What changed outside the worktree while developers ran, the latest last. */
  strays: { session: string; text: string }[]
  /** The change among these that a person has to look at before the loop may continue. */
  strayed: string | null
}

/** The last recorded commit of the branch. */
export interface Head {
  sha: string
  tree: string
  empty: boolean
}

/** Whose turn it is, and what happened in the turns so far. */
export interface Turn {
  phase: Phase
  /** Developer turns, the present one included; a repeated attempt keeps its number. */
  iteration: number
  /** Developer turns that have ended. A failed or interrupted turn has not ended; it is continued. */
  done: number
  /** The value of `done` at a person's last retry. `max_iterations` counts from there. */
  granted: number
  /** Sessions so far: the developer's in this iteration, and the reviewer's and parser's in this cycle. */
  attempts: { developer: number; reviewer: number; parser: number; cycle: number }
  revisions: number
  /**
   * What the developer must be told, the tree that the feedback is about, and whether a session was started with it.
   * It stays until newer feedback replaces it.
   */
  feedback: { said: Feedback; tree: string | null; begun: boolean } | null
  /** The developer said that the task is done (`develop.until: claim`). */
  saidDone: boolean
  session: RunningSession | null
  /** Sessions that run at the same time: the seats of a panel, and checkpoints. */
  beside: RunningSession[]
  /** The latest developer session. A person's changes to its work are committed in its name. */
  developer: string | null
  /** The agent's own id of the latest session of each role, needed to continue that session. */
  conversations: Partial<Record<Voice, { agent: string; id: string }>>
  sessions: number
  /** Set when the developer ran out of time: Umpire commits its work so far and then asks a person. */
  overdue: string | null
  /** The developer's words if it said that it can't do the task: Umpire commits its work so far and then asks a person. */
  gaveUp: string | null
  tries: Tries
}

type Slices = Pick<Loop, 'standing' | 'work' | 'turn' | 'check' | 'review' | 'landing'>

/** What an event changes: any field of any slice, and the few fields outside the slices. */
export type Change = Partial<Omit<Loop, keyof Slices>> & { [S in keyof Slices]?: Partial<Slices[S]> }

const sliceNames = ['standing', 'work', 'turn', 'check', 'review', 'landing'] as const

/** Several changes as one. Where two of them change the same field, the later one wins. */
export function changes(...all: Change[]): Change {
  let sum: Change = {}
  for (const change of all) sum = { ...sum, ...change, ...bothSlices(sum, change) }
  return sum
}

export function applyChange(loop: Loop, change: Change): Loop {
  const { standing, work, turn, check, review, landing, ...plain } = change
  return {
    ...loop,
    ...plain,
    standing: standing ? { ...loop.standing, ...standing } : loop.standing,
    work: work ? { ...loop.work, ...work } : loop.work,
    turn: turn ? { ...loop.turn, ...turn } : loop.turn,
    check: check ? { ...loop.check, ...check } : loop.check,
    review: review ? { ...loop.review, ...review } : loop.review,
    landing: landing ? { ...loop.landing, ...landing } : loop.landing,
  }
}

function bothSlices(before: Change, change: Change): Change {
  const both = sliceNames.filter((name) => before[name] && change[name])
  return Object.fromEntries(both.map((name) => [name, { ...before[name], ...change[name] }]))
}

/** The loop of a task that was just added. */
export function newLoop(added: StoredEvent & { type: 'task.added' }): Loop {
  return {
    id: Number(added.stream.slice('task/'.length)),
    version: added.version,
    task: added.data.task,
    standing: {
      deleted: false,
      status: 'pending',
      reason: null,
      detail: null,
      recovery: [],
      verdict: null,
      heldBy: null,
      deferred: null,
      waitedBehind: [],
      costUsd: null,
      tokens: null,
      filedAt: added.at,
      startedAt: null,
      endedAt: null,
    },
    claim: null,
    policy: null,
    asked: null,
    work: { place: null, head: null, uncommitted: null, merged: null, strays: [], strayed: null },
    turn: {
      phase: 'develop',
      iteration: 0,
      done: 0,
      granted: 0,
      attempts: { developer: 0, reviewer: 0, parser: 0, cycle: 0 },
      revisions: 0,
      feedback: null,
      saidDone: false,
      session: null,
      beside: [],
      developer: null,
      conversations: {},
      sessions: 0,
      overdue: null,
      gaveUp: null,
      tries: noTries,
    },
    check: noCheck,
    review: noReview,
    landing: noLanding,
  }
}

/** All running sessions, the loop's own first. */
export function runningSessions({ turn: { session, beside } }: Pick<Loop, 'turn'>): RunningSession[] {
  return session ? [session, ...beside] : beside
}

/** The name by which agents and screens know the loop of a task. */
export function loopName(task: number): string {
  return `loop-${task}`
}

/** The results of the gates on the work. */
interface CheckState {
  /** The commands of the task's own gates that were run on the base. */
  baselined: string[]
  gates: { tree: string; results: GateSummary[] } | null
  /** The hook that refused the last commit. */
  refusal: GateSummary | null
  /** How many rounds in a row ended with a failed gate. */
  failures: number
}

export type GateSummary = Pick<GateResult, 'name' | 'command' | 'passed' | 'exitCode' | 'timedOut' | 'output'>

const noCheck: CheckState = { baselined: [], gates: null, refusal: null, failures: 0 }
