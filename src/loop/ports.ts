/**
 * Everything a loop needs of the world. `app/engine.ts` fills it in; a test can fill it in otherwise. Nothing in this folder
 * knows which agent, store or version control is behind it.
 */

import type { Agent, Steering, Tokens, ToolServer } from '../agents/agent.ts'
import type { Attempts } from '../attempts/attempt.ts'
import type { GateResult, StoredEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import type { LandOutcome } from '../core/place.ts'
import type { Gate, Policy } from '../core/policy/policy.ts'
import type { ReviewCommand } from '../core/policy/review-command.ts'
import type { ReviewContext } from '../core/policy/review-context.ts'
import type { Against, Judgement } from '../core/review/verdict.ts'
import type { Budget } from '../core/schedule/budget.ts'
import type { Role } from '../core/session/session.ts'
import type { Task } from '../core/task.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Archive } from '../store/archive.ts'
import type { Journal } from '../store/journal.ts'
import type { PortRanges } from '../store/port-ranges.ts'
import type { Spending } from '../store/spending.ts'
import type { Vcs } from '../vcs/vcs.ts'
import type { Evidence } from '../verdicts/channel.ts'
import type { MergeQueue } from './land/merge-queue.ts'

export interface Ports {
  journal: Journal
  archive: Archive
  spending: Spending
  portRanges: PortRanges
  attempts: Attempts
  vcs: Vcs
  sandbox: Sandbox
  /** The person's home folder, as names and a value for each that differs when the thing does. */
  outlineHome: () => Record<string, string>
  /** The same for files and folders that steer what agents or Umpire do. */
  outlineFiles: (files: Steering) => Record<string, string>
  settings: Settings
  clock: Clock
  /** Takes secrets out of text before it is stored. */
  redact: (text: string) => string
  /** What so many tokens of a model cost in dollars; null when nobody knows. */
  priceOf: (model: string, tokens: Tokens) => Promise<number | null>
  /** A fresh one-time token. */
  newToken: () => string
  reviewFiles: ReviewFiles
  longLines: LongLines
  /** Where the loops of this process find each other when one of them reaches its interval. */
  checkpoints: Checkpoints
  /** Landings of this process wait for one another here, and go together where they can. */
  landings: MergeQueue<LandRequest, LandAnswer>
  /** Throws when the loop is no longer this worker's; where there is no loop, nothing is asked. */
  confirm: () => Promise<void>
  /** Waits for the end of the agent's limit. Meanwhile a task for which another agent is needed may have this one's place. */
  rest: (agent: string, wait: () => Promise<void>) => Promise<void>
  /** Told of everything that this process appended, after it was appended. */
  observe: (events: StoredEvent[]) => void
}

export interface Checkpoints {
  /** Has the loop of this task looked at when another one reaches its interval, until what is given back is called. */
  join(task: number, look: (by: { task: number; iteration: number }) => void): () => void
  /** Has all others looked at that have joined. */
  reach(by: { task: number; iteration: number }): void
}

export interface Settings {
  /** What every process that Umpire starts finds in its environment. */
  env: Record<string, string>
  /** The files and folders that these settings are read from. */
  files: string[]
  policyFor(task: Task): Policy
  /**
   * Who plays the role for this task; NoAgentError when nobody is configured. The seats of a panel are counted from 1,
   * which is the role's own.
   */
  cast(role: Role, task: Task, seat?: number): Cast
  /** How the lines of an agent are read; one that is no longer configured is read as plain text. */
  readerFor(agent: string): Pick<Agent, 'read' | 'readStderr' | 'explain'>
  limitsFor(task: Task): Limits
  /** Whether a task waits that seems to be about the same files as one that runs. */
  avoidConflicts: boolean
  setup: string[]
  copy: string[]
  link: string[]
  /** How many network ports each loop has for itself; null for none. */
  networkPorts: number | null
  /** What may be spent on each task, in this run, and on a day. */
  budget: Budget
  context: ReviewContext
  /** How a reviewer is asked. */
  reviewCommand: ReviewCommand
  /** The project's own prompt for developers; null where it has none. */
  developTemplate: string | null
  /** What a reviewer or a parser is told of the ways to give a verdict, by what its agent can do. */
  instructionsFor(agent: Agent, role: 'reviewer' | 'parser', witnesses?: 'run' | 'not run'): string[]
  /** The MCP server of a session, whose particulars are in the folder, with the tools that its role has. */
  toolServer(folder: string, role: Role): ToolServer
  /** The JSON Schema of a review, for agents that can be held to one; null when that channel is not used. */
  schemaFor(role: Role): object | null
  judge(evidence: Evidence, known: Known): Judgement
  /** Whether a review that no channel can read goes to a parser. */
  hasParser: boolean
  /** Whether no channel finds anything in it, and a parser is to read it. */
  isForParser(evidence: Evidence): boolean
  /** The same as `judge` for what a parser made of a reviewer's text, which can't approve what the text does not. */
  judgeParsed(evidence: Evidence, text: string, known: Known): Judgement
  /** The word by which a parser says that there is no verdict. */
  unclear: string
}

/** What the ledger knows of an issue that a review speaks of. */
export type Known = Pick<Against, 'isLeftOpen' | 'isWaived'>

export interface Cast {
  agent: Agent
  model: string | null
  args: string[]
  env: Record<string, string>
  /** It goes on with its own last session of this task instead of a fresh one. */
  continueSession: boolean
  confine: Confine
}

/** Whether its process is put into the sandbox; `always` means that it does not run without. */
export type Confine = 'never' | 'where it works' | 'always'

/** All in milliseconds. */
export interface Limits {
  develop: number
  review: number
  improve: number
  gate: number
  idle: number
  /** How long a developer is quiet before it counts as done, where the policy's trigger says so. */
  idleAfter: number
}

export interface Clock {
  now(): Date
  /** Resolves at that time, or at once when it has passed; rejects when the signal aborts. */
  until(time: string, signal: AbortSignal): Promise<void>
}

/** The human-readable file that each review leaves. */
export interface ReviewFiles {
  write(review: CompletedReview, task: { id: number; title: string }): Promise<void>
  /** Writes it if it is not there: the worker may have died between the append and the file. */
  ensure(review: CompletedReview, task: { id: number; title: string }): Promise<void>
}

/** Lines that are too long for a table: each is kept, redacted, in a file of its own that outlives the attempt's folder. */
export interface LongLines {
  /** `rest` is the file with what follows the text. Gives back what the table says instead: the beginning, and where all of it is. */
  keep(session: string, sequence: number, line: { text: string; rest: string }): Promise<string>
}

export type CompletedReview = StoredEvent & { type: 'review.completed' }

/** Approved work of one task that is to be merged into a branch. */
export interface LandRequest {
  task: number
  into: string
  loop: Loop
  sha: string
  gates: Gate[]
  /** Those of its worker: they refuse once the loop is no longer its own. */
  ports: Ports
  signal: AbortSignal
}

export interface LandAnswer {
  outcome: LandOutcome
  checked: GateResult[]
}
