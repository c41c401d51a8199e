/**
 * Everything a loop needs from the world. `app/engine.ts` fills it in, and tests fill it in differently. Nothing in this
 * folder knows which agent, store or version control is behind it.
 */
import type { Agent, Steering, Tokens, ToolServer } from '../agents/agent.ts'
import type { Attempts } from '../attempts/attempt.ts'
import type { GateResult, NewEvent, StoredEvent } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import type { LandOutcome } from '../core/place.ts'
import type { Gate, Policy, ReviewContext } from '../core/policy/policy.ts'
import type { ReviewCommand } from '../core/policy/review-command.ts'
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
  /** The person's home folder: names, each with a value that changes when the file or folder changes. */
  outlineHome: () => Record<string, string>
  /** The same for files and folders that control what agents or Umpire do. */
  outlineFiles: (files: Steering) => Record<string, string>
  settings: Settings
  clock: Clock
  /** Removes secrets from text before it is stored. */
  redact: (text: string) => string
  /** The cost of these tokens of a model in dollars; null if the price is unknown. */
  priceOf: (model: string, tokens: Tokens) => Promise<number | null>
  /** A fresh one-time token. */
  newToken: () => string
  reviewFiles: ReviewFiles
  longLines: LongLines
  /** Connects the loops of this process, so that one that reaches its interval can start checkpoints of the others. */
  checkpoints: Checkpoints
  /** The merge queue: landings of this process wait for each other here, and land together if possible. */
  landings: MergeQueue<LandRequest, LandAnswer>
  /** Throws if this worker no longer has the claim on the loop. Without a loop it does nothing. */
  confirm: () => Promise<void>
  /** Waits until the agent's rate limit ends. Meanwhile a task that needs another agent may use this one's place. */
  rest: (agent: string, wait: () => Promise<void>) => Promise<void>
  /** Called with everything that this process appended, after it was appended. */
  observe: (events: StoredEvent[]) => void
}

export interface Checkpoints {
  /** Registers the loop of this task for checkpoints when another loop reaches its interval. Call the result to leave. */
  join(task: number, look: (by: { task: number; iteration: number }) => void): () => void
  /** Starts a checkpoint of all other loops that have joined. */
  reach(by: { task: number; iteration: number }): void
}

export interface Settings {
  /** The environment of every process that Umpire starts. */
  env: Record<string, string>
  /** The files and folders that these settings are read from. */
  files: string[]
  policyFor(task: Task): Policy
  /**
   * The agent for this role and task. Throws a NoAgentError if none is configured. The seats of a panel are counted from 1,
   * which is the role's own agent.
   */
  cast(role: Role, task: Task, seat?: number): Cast
  /** The reader for the lines of an agent. The lines of an agent that is no longer configured are read as plain text. */
  readerFor(agent: string): Pick<Agent, 'read' | 'readStderr' | 'explain'>
  limitsFor(task: Task): Limits
  /** Whether a task waits if it seems to change the same files as a running task. */
  avoidConflicts: boolean
  setup: string[]
  copy: string[]
  link: string[]
  /** How many network ports each loop gets; null for none. */
  networkPorts: number | null
  /** The most that may be spent per task, in this run, and per day. */
  budget: Budget
  context: ReviewContext
  /** The command that asks a reviewer. */
  reviewCommand: ReviewCommand
  /** The project's own prompt for developers; null if it has none. */
  developTemplate: string | null
  /** Instructions for a reviewer or parser on how to give a verdict, depending on what its agent can do. */
  instructionsFor(agent: Agent, role: 'reviewer' | 'parser', witnesses?: 'run' | 'not run'): string[]
  /** The MCP server of a session, with the tools of its role. Its settings are in the folder. */
  toolServer(folder: string, role: Role): ToolServer
  /** The JSON Schema of a review, for agents that support one; null if that channel is not used. */
  schemaFor(role: Role): object | null
  judge(evidence: Evidence, known: Known): Judgement
  /** Whether a review that no channel can read goes to a parser. */
  hasParser: boolean
  /** Whether no channel finds a verdict, so that a parser should read the text. */
  isForParser(evidence: Evidence): boolean
  /** Like `judge`, for a parser's reading of a reviewer's text. A parser can't approve what the text does not approve. */
  judgeParsed(evidence: Evidence, text: string, known: Known): Judgement
  /** The word with which a parser says that there is no verdict. */
  unclear: string
}

/** What the ledger knows about the issues that a review mentions. */
export type Known = Pick<Against, 'isLeftOpen' | 'isWaived'>

export interface Cast {
  agent: Agent
  model: string | null
  args: string[]
  env: Record<string, string>
  /** Whether the agent continues its own last session of this task instead of starting a new one. */
  continueSession: boolean
  confine: Confine
}

/** Whether its process runs in the sandbox. `always` means that it never runs without one. */
export type Confine = 'never' | 'where it works' | 'always'

/** All in milliseconds. */
export interface Limits {
  develop: number
  review: number
  improve: number
  gate: number
  idle: number
  /** How long a developer must be quiet to count as done, if the policy's trigger says so. */
  idleAfter: number
}

export interface Clock {
  now(): Date
  /** Resolves at that time, or immediately if it has passed. Rejects when the signal aborts. */
  until(time: string, signal: AbortSignal): Promise<void>
}

/** Writes the human-readable file of each review. */
export interface ReviewFiles {
  write(review: CompletedReview, task: { id: number; title: string }): Promise<void>
  /** Writes the file if it is missing, because a worker may have died between the append and the file. */
  ensure(review: CompletedReview, task: { id: number; title: string }): Promise<void>
}

/** Stores lines that are too long for a table. Each is redacted and gets its own file, which outlives the attempt's folder. */
export interface LongLines {
  /** `rest` is the file with the text that follows. Returns the text for the table: the beginning, and where the rest is. */
  keep(session: string, sequence: number, line: { text: string; rest: string }): Promise<string>
}

export type CompletedReview = StoredEvent & { type: 'review.completed' }

/** A request to merge the approved work of one task into a branch. */
export interface LandRequest {
  task: number
  into: string
  loop: Loop
  sha: string
  gates: Gate[]
  /** The ports of its worker. They throw once the worker has lost its claim on the loop. */
  ports: Ports
  signal: AbortSignal
}

export interface LandAnswer {
  outcome: LandOutcome
  checked: GateResult[]
}

/** The outcome of a step: the events that record it, and what is left to do once they are in the journal. */
export interface Performed {
  /** Empty if the step was not taken because the task changed first. Then the next step is decided again. */
  events: NewEvent[]
  /** Runs once the events are in the journal: starts what they announce, or deletes what they have recorded. */
  afterwards?: () => Promise<void>
}
