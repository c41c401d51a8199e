/**
 * Everything that can happen, as values. The journal holds these and nothing else; a loop's state is their fold
 * (`evolve`), and what screens and programs observe is what was appended. Types and field names are public:
 * `umpire events --json` prints them.
 */
import type { FailedGate, Feedback } from './feedback.ts'
import type { Policy } from './limits.ts'
import type { FinalVerdict, ReportedIssue, Review } from './review.ts'
import type { Area, OutsideChange } from './surroundings.ts'
import type { BlockReason, FailReason, FailureClass, Retry, Task } from './task.ts'

/** What a caller appends. */
export type NewEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType]

/** What the journal gives back: the event with its place in the order of all events and in its stream. */
export type StoredEvent = NewEvent & { seq: number; stream: Stream; version: number; at: string }

/** A stream is the history of one thing. */
export type Stream = `task/${number}` | `run/${number}`

export type EventType = keyof EventData

export interface EventData {
  'run.started': { effort: string | null; parallel: number; pid: number }
  /** `stopped`: an agent is not logged in, so nothing more was begun. */
  'run.ended': { outcome: 'finished' | 'interrupted' | 'stopped'; worked: number[] }

  'task.added': { task: Task; by: Actor }
  'task.changed': { changes: Partial<Task>; by: Actor }
  'task.deleted': { by: Actor }

  /** From here on only the worker named here may write to the loop; an older holder's appends conflict. */
  'loop.claimed': { run: number; worker: string; policy: Policy }
  /** Given back without an end, because the run was interrupted. */
  'loop.released': { why: string }
  /** `inherited`: the work of another task that this one begins with (`--of`). */
  'loop.started': { place: Place; inherited?: Inherited }
  'loop.developing': { iteration: number; cycle: number; attempt: number; maxCycles: number }
  'loop.committed': CommitRecord
  'loop.checking': { tree: string; gates: string[]; cycle: number }
  /** `ask`: what the reviewer is told because it was asked before in this cycle. */
  'loop.reviewing': { cycle: number; attempt: number; maxCycles: number; tree: string; ask: string | null }
  'loop.feedback': { feedback: Feedback; cycle: number }
  /** `lands`: the approved work is now merged into its base, and the task completed when that is done. */
  'loop.approved': {
    by: 'review' | 'person'
    review: string | null
    tree: string | null
    cycle: number
    lands?: boolean
  }
  /** The work is done, and its review waits for a person to ask for it. */
  'loop.awaiting_review': { tree: string; recovery: string[]; cycle: number }
  /** Ended without a review because none was wanted. */
  'loop.completed': { tree: string; cycle: number }
  'loop.blocked': {
    reason: BlockReason
    detail: string
    recovery: string[]
    verdict: FinalVerdict | null
    cycle: number
  }
  'loop.failed': { reason: FailReason; detail: string; recovery: string[]; cycle: number }
  /** Begins to merge the work into its base. */
  'loop.landing': { base: string; cycle: number }
  /** What came of it, before anything was concluded. */
  'loop.integrated': { outcome: LandOutcome; cycle: number }
  'loop.landed': { base: string; commit: string; tree: string | null; checkout: string | null; cycle: number }

  'session.started': SessionStart
  /** The agent told the name of its own session, by which it can be continued. */
  'session.identified': { session: string; agentSession: string }
  /** The agent is at the mercy of its provider or the network and tries again by itself. Told now and then, not each time. */
  'session.waiting': { session: string; agent: string; text: string }
  /**
   * Said beside the work, for people: how far the agent says it is, a gate that it had run, or that its tools are of no
   * use to it. `request` is the number under which its tools asked for it.
   */
  'session.noted': { session: string; about: 'progress' | 'gate' | 'tools'; text: string; request?: number }
  'session.ended': SessionEnd
  /**
   * Something outside the developer's worktree was changed while it ran, perhaps by somebody else. `stops`: it is
   * something that git, an agent or Umpire would act on, so a person looks before anything more is done. `more` changes are not named.
   */
  'session.strayed': {
    session: string
    cycle: number
    changes: OutsideChange[]
    more: number
    stops: boolean
  }
  /** The agent's keeper vanished without a result: the machine went down, or somebody killed it. */
  'session.lost': { session: string; detail: string }

  'gate.completed': GateResult
  /** A task's own gate tried on the base: told to the person, never an excuse, and no result of the work. */
  'gate.baseline': Omit<GateResult, 'kind'>

  'review.started': { review: string; cycle: number; attempt: number; session: string; tree: string }
  /** The reviewer has judged, but in words in which no channel finds a verdict: a parser reads them. */
  'review.answered': ReviewAnswer
  'review.completed': ReviewRecord
  'review.failed': ReviewFailure

  /** Found, found again after it was resolved (`reopened`), or still open and now described in other words. */
  'issue.opened': {
    issue: number
    reported: ReportedIssue
    cycle: number
    review: string
    late: boolean
    reopened: boolean
  }
  'issue.resolved': { issue: number; cycle: number; review: string }

  'person.decided': { move: PersonMove; by: Actor; why: string | null; verdict: FinalVerdict | null }
}

/** A person by their login name, or an agent session, or Umpire itself. */
export type Actor = string

export type PersonMove = 'verdict' | 'retry' | 'cancel' | HandMove

/** A step of the loop that a person asks for by hand. It is taken once, and then the person is asked again. */
export type HandMove = 'review' | 'improve' | 'merge'

/** Where a loop lives. */
export interface Place {
  branch: string
  /** The branch the work is for, and its commit when the loop began. */
  base: string
  baseCommit: string
  /** Relative to the repository's `.umpire` folder, so that a moved repository still works. */
  worktree: string
  /** The commit that the branch begins at, where it is not the base: the work of another task. */
  start?: string
}

export interface Inherited {
  task: number
  sha: string
  tree: string
  /** What an improvement begins with: the other task's last review. */
  feedback: Feedback | null
}

/** How the attempt to merge approved work into its base ended. */
export type LandOutcome =
  | { kind: 'landed'; commit: string; tree: string | null; checkout: string | null }
  /** Between the base and the loop's branch, or another on which results wait. */
  | { kind: 'conflict'; between: [string, string]; files: string[] }
  /** A hook refused the merge commit. */
  | { kind: 'refused'; output: string }
  | { kind: 'gate'; gates: FailedGate[]; tree: string }
  /** The base is checked out and dirty: the result is on the branch named here. */
  /** `ref` is the same where no agent in a sandbox can write; it is missing in older records. */
  | { kind: 'waits'; checkout: string; branch: string; ref?: string; why: string }

export interface CommitRecord {
  sha: string
  tree: string
  /** The commit before this developer session; the commits in between are the developer's own. */
  from: string
  session: string
  iteration: number
  /** The branch as a whole changes nothing against its base. */
  empty: boolean
  message: string
}

/** `parser`: turns a review in plain words into the form that can be judged. */
export type Role = 'developer' | 'reviewer' | 'parser'

export interface SessionStart {
  session: string
  role: Role
  iteration: number
  cycle: number
  /** The how manieth try at this turn; a repeated try keeps the iteration and the cycle. */
  attempt: number
  agent: string
  model: string | null
  prompt: string
  tokenHash: string
  limitMs: number
  /** The agent's own session that this one goes on with. */
  resumes?: string | null
  /** The tools that it has, by their names; none in the records of older versions. */
  tools?: string[]
  /** How a reviewer was asked, `review.command`. */
  command?: string
  /** Whether it runs in the sandbox. */
  confined?: boolean
  /**
   * For a developer: short hashes of what lies around its worktree and must not change by it, as far as it could; older
   * versions looked at fewer areas.
   */
  surroundings?: Partial<Record<Area, string>> | null
  /** What a reviewer judges, and what must still be so when it is done; for a parser an empty tree; null for a developer. */
  reviewed: ReviewedState | null
}

export interface ReviewedState {
  tree: string
  /** Hash over all that a reviewer must not touch: the loop's branch and worktree, hooks, config. */
  fingerprint: string
  /** The name of the reviewer's clone. Each holding of a loop makes its own, so that two never write into one. */
  clone: string
}

export interface SessionEnd {
  session: string
  outcome: SessionOutcome
  exitCode: number | null
  agentSession: string | null
  /** The developer said that the task is done. */
  claimed: boolean
  /** Why the developer says that it can't do the task. */
  gaveUp?: string
  messages: number
  /** The model that the agent says it used; left out where it says nothing. */
  model?: string
  costUsd: number | null
  tokens: number | null
  /** Moves that the agent tried and that are not an agent's to make. */
  refused: string[]
}

export type SessionOutcome =
  | { kind: 'done' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; class: FailureClass; detail: string; retryAt: string | null; retry?: Retry }

export interface GateResult {
  name: string
  command: string
  kind: GateKind
  passed: boolean
  exitCode: number | null
  timedOut: boolean
  tree: string
  output: string
  durationMs: number
}

/** `hook` is a refused commit. */
export type GateKind = 'gate' | 'backpressure' | 'hook'

export interface ReviewFailure {
  review: string
  cycle: number
  attempt: number
  session: string
  /** `agent`: the session itself failed. `tampered`: the reviewer changed what it must not; nothing it said counts. */
  cause: 'malformed' | 'agent' | 'tampered'
  why: string
  rawOutput: string
  /** The session of the parser that could not make a review of it. */
  parsedBy?: string
}

/** What a parser is given, and what its reading will be the review of. */
export interface ReviewAnswer {
  review: string
  cycle: number
  attempt: number
  session: string
  tree: string
  command: string
  rawOutput: string
  costUsd: number | null
}

export interface ReviewRecord {
  review: string
  kind: 'task'
  cycle: number
  attempt: number
  session: string
  tree: string
  channel: string
  command: string
  body: Review
  rawOutput: string
  costUsd: number | null
  /** What changed since the review before, by file: changed line ranges of the new side. Null at the first review. */
  changes: Record<string, [number, number][]> | null
  /** The session of the parser that read what the reviewer, whose session is above, had said. */
  parsedBy?: string
}
