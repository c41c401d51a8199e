/**
 * Everything that can happen, as values. The journal contains only these events, and a loop's state is their fold
 * (`evolve`). Screens and programs observe the appended events. Types and field names are public:
 * `umpire events --json` prints them.
 */
import type { ConflictFile } from './phases/landing-state.ts'
import type { CommitRecord, Inherited, LandOutcome, Place, Unmerged } from './place.ts'
import type { Policy } from './policy/policy.ts'
import type { FinalVerdict, ReportedIssue, Severity } from './review/review.ts'
import type {
  CheckpointRecord,
  GivenReview,
  ProofOutcome,
  ReviewAnswer,
  ReviewFailure,
  ReviewRecord,
} from './review/review-record.ts'
import type { BudgetRefusal, BudgetWarning } from './schedule/budget.ts'
import type { Feedback } from './session/feedback.ts'
import type { Beside, SessionEnd, SessionStart } from './session/session.ts'
import type { OutsideChange } from './session/surroundings.ts'
import type { BlockReason, FailReason, HandMove, Task } from './task.ts'

/** An event as a caller appends it. */
export type NewEvent = { [T in EventType]: { type: T; data: EventData[T] } }[EventType]

/** An event as the journal returns it, with its place in the order of all events and in its stream. */
export type StoredEvent = NewEvent & { seq: number; stream: Stream; version: number; at: string }

/** A stream is the history of one thing. */
export type Stream = `task/${number}` | `run/${number}`

export type EventType = keyof EventData

export interface EventData {
  'run.started': { effort: string | null; parallel: number; pid: number }
  /** `stopped`: an agent is not logged in, so the run started nothing more. */
  'run.ended': { outcome: 'finished' | 'interrupted' | 'stopped'; worked: number[] }

  'task.added': { task: Task; by: Actor }
  'task.changed': { changes: Partial<Task>; by: Actor }
  'task.deleted': { by: Actor }
  /** The task and a running task seem to change the same files. It `waits` until that task rests, or `starts` anyway. */
  'task.overlaps': { with: number; files: string[]; does: 'waits' | 'starts' }

  /** From here on only the worker named here may write to the loop; an older holder's appends conflict. */
  'loop.claimed': { run: number; worker: string; policy: Policy }
  /** The worker gave the loop back unfinished, because the run was interrupted. */
  'loop.released': { why: string }
  /**
   * `inherited`: the work of another task that this one begins with (`--of`). `unmerged`: work of its dependencies that
   * conflicts with the commit at which it begins, and therefore has to be merged first.
   */
  'loop.started': { place: Place; inherited?: Inherited; unmerged?: Unmerged[] }
  /** `told`: the source of the feedback that the developer gets. Older records leave it out. */
  'loop.developing': {
    iteration: number
    cycle: number
    attempt: number
    maxCycles: number
    told?: Feedback['from'] | 'nothing'
  }
  'loop.committed': CommitRecord
  'loop.checking': { tree: string; gates: string[]; cycle: number }
  /** `ask`: what a reviewer that is asked again in the same cycle is told. */
  'loop.reviewing': {
    cycle: number
    attempt: number
    maxCycles: number
    tree: string
    ask: string | null
    /** The seats of the panel that are asked. */
    seats?: number[]
  }
  /** At the end of this developer's turn, every loop that is developing gets a checkpoint review. */
  'loop.interval': { iteration: number; cycle: number }
  /** A reviewer looked at unfinished work. */
  'loop.checkpoint': CheckpointRecord
  'loop.feedback': { feedback: Feedback; cycle: number }
  /**
   * A person waived every issue that the work was sent back for before a developer worked on it. The reviewer is asked
   * again, with the words in `ask`.
   */
  'loop.reconsidered': { cycle: number; ask: string }
  /** `lands`: the approved work is merged into its base next, and the task is completed after that. */
  'loop.approved': {
    by: 'review' | 'person'
    review: string | null
    tree: string | null
    cycle: number
    lands?: boolean
  }
  /** The work is done. Its review starts when a person asks for it. */
  'loop.awaiting_review': { tree: string; recovery: string[]; cycle: number }
  /** The loop ended without a review because none was wanted. `lands` means the same as in `loop.approved`. */
  'loop.completed': { tree: string; cycle: number; lands?: boolean }
  'loop.blocked': {
    reason: BlockReason
    detail: string
    recovery: string[]
    verdict: FinalVerdict | null
    cycle: number
    /** If other tasks hold this one back: the tasks that a person has to look at. */
    by?: number[]
    /** If the budget stopped it: the session that it could not pay for. */
    refusal?: BudgetRefusal
  }
  /** The loop is no longer held back. It continues at the phase where it stopped. */
  'loop.freed': { why: string }
  'loop.failed': { reason: FailReason; detail: string; recovery: string[]; cycle: number }
  /**
   * Another branch has to be merged into the loop's own branch before anything else. It is the branch that the work could
   * not land on, because the two conflict or because a gate fails on both together.
   */
  'loop.resolving': { why: 'conflict' | 'gate'; other: Unmerged; cycle: number }
  /** The other branch was merged into the loop's worktree. `contained`: there was nothing to merge. */
  'loop.merging': {
    other: string
    outcome: 'conflict' | 'clean' | 'contained'
    files: string[]
    cycle: number
    /** If the merge conflicts: the files with the kind of their conflict, and the tree as git left it. */
    conflicts?: ConflictFile[]
    left?: string
  }
  /** The merge can't be committed in its present state. */
  'loop.unresolved': { files: string[]; why: string; cycle: number }
  /** The merge was abandoned: branch and files are as they were before it. */
  'loop.abandoned': { cycle: number }
  /** The loop begins to merge its work into its base. */
  'loop.landing': { base: string; cycle: number }
  /** The outcome of that merge. The rules draw their conclusion from it in a later event. */
  'loop.integrated': { outcome: LandOutcome; cycle: number }
  'loop.landed': { base: string; commit: string; tree: string | null; checkout: string | null; cycle: number }

  'session.started': SessionStart
  /** The agent reported its own session id, which is needed to continue the session. */
  'session.identified': { session: string; agentSession: string }
  /** The agent retries by itself because of its provider or the network. Recorded now and then, not for each retry. */
  'session.waiting': { session: string; agent: string; text: string }
  /**
   * A note for people that changes nothing in the loop: the agent's reported progress, a gate that it asked for, or that
   * its tools do not work. `request` is the number of the tool request that led to the note.
   */
  'session.noted': {
    session: string
    about: 'progress' | 'gate' | 'tools' | 'checkpoint'
    text: string
    request?: number
  }
  'session.ended': SessionEnd
  /**
   * Something outside the developer's worktree changed while it ran; another program may have changed it. `stops`: git,
   * an agent or Umpire would act on it, so the loop stops until a person has looked. `more` is how many changes are left
   * out of the list.
   */
  'session.strayed': {
    session: string
    cycle: number
    changes: OutsideChange[]
    more: number
    stops: boolean
  }
  /** The process that runs the agent disappeared without a result: the machine went down, or the process was killed. */
  'session.lost': { session: string; beside?: Beside; detail: string }

  'gate.completed': GateResult
  /** The result of a task's own gate on the base. It informs the person, and never excuses a failure of the work. */
  'gate.baseline': Omit<GateResult, 'kind'>

  'review.started': { review: string; cycle: number; attempt: number; session: string; tree: string }
  /** The reviewer answered, but no channel found a verdict in its words. A parser agent reads them next. */
  'review.answered': ReviewAnswer
  /** One seat of a panel gave a readable review. Only the review combined from all seats decides what follows. */
  'review.given': GivenReview
  'review.completed': ReviewRecord
  'review.failed': ReviewFailure

  /** The issue is new, was found again after it was resolved (`reopened`), or is still open and now worded differently. */
  'issue.opened': {
    issue: number
    reported: ReportedIssue
    cycle: number
    review: string
    late: boolean
    reopened: boolean
    /** The severity that the reviewer gave, if a rule changed it. */
    claimed?: Severity
  }
  'issue.resolved': { issue: number; cycle: number; review: string }
  /**
   * The witness of an issue was run on this tree, was run on it before, or could not be run. `severity` is the issue's
   * severity from now on. It is left out before a review, where the outcome only informs the reviewer.
   */
  'issue.proven': {
    issue: number
    outcome: ProofOutcome
    exitCode: number | null
    output: string
    witness: string[] | null
    tree: string
    review: string | null
    cycle: number
    severity?: Severity
  }
  /** A person accepts the work despite this issue. The issue never blocks again. */
  'issue.waived': { issue: number; by: Actor; why: string; cycle: number }

  /** For people only: no rule reads it. */
  'budget.warned': BudgetWarning

  'person.decided': { move: PersonMove; by: Actor; why: string | null; verdict: FinalVerdict | null }
}

/** A person by their login name, or an agent session, or Umpire itself. */
export type Actor = string

export type PersonMove = 'verdict' | 'retry' | 'cancel' | 'waive' | HandMove

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

/** `hook`: a git hook refused the commit. */
export type GateKind = 'gate' | 'backpressure' | 'hook'
