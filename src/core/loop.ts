/**
 * The state of one task's way through develop → check → review, as the fold of its events. Plain data: it is stored
 * as JSON next to the journal, and folding the journal again must give the same.
 *
 *   develop ──session ends──► commit ──► check ──gates pass──► review ──verdict──► judge ──► land ──► completed
 *      ▲                        │refused   │fails                                   │
 *      └────────────────────────┴──────────┴───────────── feedback ◄────────────────┘
 *
 * `land` comes only where the work is to be merged into its base or its group's branch: because the configuration says
 * so, or because a person does. When landing meets a conflict, or when two tasks that this one builds on conflict,
 * `resolve` comes first: the other branch is merged into the loop's own, and the result is checked and reviewed.
 *
 * The state is cut into slices. Each belongs to one part of the story, and `phase.ts` gives a phase what it needs of
 * them, so that no rule has to ask whether there is a commit to check or an approval to land.
 */
import type { StoredEvent } from './event.ts'
import { type CheckState, noCheck } from './phases/check-state.ts'
import { type LandingState, noLanding } from './phases/landing-state.ts'
import { noReview, type ReviewState } from './phases/review-state.ts'
import type { Place } from './place.ts'
import type { Policy } from './policy/policy.ts'
import type { MergedIn } from './resolution.ts'
import type { FinalVerdict } from './review/review.ts'
import type { Feedback } from './session/feedback.ts'
import type { RunningSession, Voice } from './session/session.ts'
import { noTries, type Tries } from './session/tries.ts'
import type { BlockReason, FailReason, HandStep, Task, TaskStatus } from './task.ts'

export type Phase = 'develop' | 'commit' | 'check' | 'review' | 'judge' | 'land' | 'resolve'

export interface Loop {
  id: number
  version: number
  task: Task
  standing: Standing
  /** The worker that has the loop; nobody else may write to it. */
  claim: { run: number; worker: string } | null
  /** The limits and gates that apply since the loop was last claimed. */
  policy: Policy | null
  /** The step that a person asked for, until it has ended; the loop takes it and stops. See `policy/terms.ts`. */
  asked: HandStep | null
  work: Work
  turn: Turn
  check: CheckState
  review: ReviewState
  landing: LandingState
}

/** What a screen shows first: where the task stands, and why. */
export interface Standing {
  deleted: boolean
  status: TaskStatus
  reason: BlockReason | FailReason | null
  detail: string | null
  recovery: string[]
  verdict: FinalVerdict | null
  /** The tasks because of which the schedule holds it; null where it does not. */
  heldBy: number[] | null
  /** The running task that it waits for, because both seem to change these files. */
  deferred: { behind: number; files: string[] } | null
  /** All tasks that it waited for like that before it began. It begins with what is approved of them. */
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
  /** The one of them that a person has to look at first. */
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
  /** Developer turns that have ended. One that failed or was interrupted has not; it is continued. */
  done: number
  /** How many of them a person's retry has forgiven; `max_iterations` counts from there. */
  granted: number
  /** Sessions so far at the present turn of each: this iteration's developer, within it this cycle's reviewer and parser. */
  attempts: { developer: number; reviewer: number; parser: number; cycle: number }
  revisions: number
  /**
   * What the developer must be told, the tree it was said of, and whether a session was started with it. It stays
   * until newer feedback replaces it.
   */
  feedback: { said: Feedback; tree: string | null; begun: boolean } | null
  /** The developer said that the task is done (`develop.until: claim`). */
  saidDone: boolean
  session: RunningSession | null
  /** Sessions that run at the same time: the seats of a panel, and checkpoints. */
  beside: RunningSession[]
  /** The latest developer session. A person's changes to its work are committed in its name. */
  developer: string | null
  /** The latest session of each role, by the agent's own id, to be continued. */
  conversations: Partial<Record<Voice, { agent: string; id: string }>>
  sessions: number
  /** The developer ran out of time: what is there is committed, then a person is asked. */
  overdue: string | null
  /** The developer says that it can't do the task: what is there is committed, then a person is asked. These are its words. */
  gaveUp: string | null
  tries: Tries
}

type Slices = Pick<Loop, 'standing' | 'work' | 'turn' | 'check' | 'review' | 'landing'>

/** What an event changes: any field of any slice, and the few fields that are in none. */
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

/** A loop as it is when its task was just added. */
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

/** All sessions that run, the loop's own first. */
export function runningSessions({ turn: { session, beside } }: Pick<Loop, 'turn'>): RunningSession[] {
  return session ? [session, ...beside] : beside
}

/** The name by which agents and screens know the loop of a task. */
export function loopName(task: number): string {
  return `loop-${task}`
}
