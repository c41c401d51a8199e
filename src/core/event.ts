/**
 * Everything that can happen, as values. The journal holds these and nothing else; a loop's state is their fold
 * (`evolve`), and what screens and programs observe is what was appended. Types and field names are public:
 * `umpire events --json` prints them.
 */

import type { CommitRecord, Inherited, LandOutcome, Place, Unmerged } from './place.ts'
import type { Policy } from './policy/policy.ts'
import type { ConflictFile } from './resolution.ts'
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
  /** It and one that runs seem to be about the same files: it `waits` until that one rests, or `starts` all the same. */
  'task.overlaps': { with: number; files: string[]; does: 'waits' | 'starts' }

  /** From here on only the worker named here may write to the loop; an older holder's appends conflict. */
  'loop.claimed': { run: number; worker: string; policy: Policy }
  /** Given back without an end, because the run was interrupted. */
  'loop.released': { why: string }
  /**
   * `inherited`: the work of another task that this one begins with (`--of`). `unmerged`: work that it depends on and that
   * conflicts with the commit at which it begins, so that it has to be merged before anything else.
   */
  'loop.started': { place: Place; inherited?: Inherited; unmerged?: Unmerged[] }
  /** `told`: where the feedback is from that it gets; older records leave it out. */
  'loop.developing': {
    iteration: number
    cycle: number
    attempt: number
    maxCycles: number
    told?: Feedback['from'] | 'nothing'
  }
  'loop.committed': CommitRecord
  'loop.checking': { tree: string; gates: string[]; cycle: number }
  /** `ask`: what the reviewer is told because it was asked before in this cycle. */
  'loop.reviewing': {
    cycle: number
    attempt: number
    maxCycles: number
    tree: string
    ask: string | null
    /** Of a panel: who of it is asked. */
    seats?: number[]
  }
  /** At the end of this developer's turn all who are developing are looked at. */
  'loop.interval': { iteration: number; cycle: number }
  /** Work that is not finished was looked at. */
  'loop.checkpoint': CheckpointRecord
  'loop.feedback': { feedback: Feedback; cycle: number }
  /** All that the work was sent back for was waived before anybody worked on it: the reviewer is asked again, with these words. */
  'loop.reconsidered': { cycle: number; ask: string }
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
  /** Ended without a review because none was wanted; `lands` as in an approval. */
  'loop.completed': { tree: string; cycle: number; lands?: boolean }
  'loop.blocked': {
    reason: BlockReason
    detail: string
    recovery: string[]
    verdict: FinalVerdict | null
    cycle: number
    /** Where other tasks hold it: those that a person has to look at. */
    by?: number[]
    /** Where its budget does: what there was no money for. */
    refusal?: BudgetRefusal
  }
  /** What held it up is over: it goes on at the phase that it had. */
  'loop.freed': { why: string }
  'loop.failed': { reason: FailReason; detail: string; recovery: string[]; cycle: number }
  /**
   * Before anything else another branch has to be merged into the loop's own: the one on which the work did not land,
   * because they conflict or because a gate fails on both together.
   */
  'loop.resolving': { why: 'conflict' | 'gate'; other: Unmerged; cycle: number }
  /** What the loop's files were brought to. `contained`: there was nothing to merge. */
  'loop.merging': {
    other: string
    outcome: 'conflict' | 'clean' | 'contained'
    files: string[]
    cycle: number
    /** Where it conflicts: the files with the kind of their conflict, and the tree as git left it. */
    conflicts?: ConflictFile[]
    left?: string
  }
  /** The merge can't be committed as it is. */
  'loop.unresolved': { files: string[]; why: string; cycle: number }
  /** The merge was given up: branch and files are as before it. */
  'loop.abandoned': { cycle: number }
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
  'session.noted': {
    session: string
    about: 'progress' | 'gate' | 'tools' | 'checkpoint'
    text: string
    request?: number
  }
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
  'session.lost': { session: string; beside?: Beside; detail: string }

  'gate.completed': GateResult
  /** A task's own gate tried on the base: told to the person, never an excuse, and no result of the work. */
  'gate.baseline': Omit<GateResult, 'kind'>

  'review.started': { review: string; cycle: number; attempt: number; session: string; tree: string }
  /** The reviewer has judged, but in words in which no channel finds a verdict: a parser reads them. */
  'review.answered': ReviewAnswer
  /** One seat of a panel has given a readable review; what follows is said by the one that is made of all of them. */
  'review.given': GivenReview
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
    /** What the reviewer holds it to be, where that is not what it weighs. */
    claimed?: Severity
  }
  'issue.resolved': { issue: number; cycle: number; review: string }
  /**
   * The witness of an issue was run on this tree, or is known to have been, or could not be. `severity` is what the issue
   * weighs from now on; it is left out before a review, where the outcome is only a fact for the reviewer.
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
  /** A person wants the work as it is in this point: the issue never blocks again. */
  'issue.waived': { issue: number; by: Actor; why: string; cycle: number }

  /** Told to people; it decides nothing. */
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

/** `hook` is a refused commit. */
export type GateKind = 'gate' | 'backpressure' | 'hook'
