/**
 * PORT: the data that screens show. All of it is a projection of the journal, written in the journal's own transaction,
 * except the agents' messages. These are stored as they come, and no decision depends on them.
 */
import type { GateResult } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import type { ReportedIssue, Verdict } from '../core/review/review.ts'
import type { SeatRecord } from '../core/review/review-record.ts'
import type { TaskStanding } from '../core/schedule/task-standing.ts'
import type { Role, SessionOutcome } from '../core/session/session.ts'
import type { TaskSummary } from '../core/summary.ts'

export interface Archive {
  /**
   * In order of id, without deleted tasks. `recent` returns all tasks that are not done, all that wait for a person,
   * and this many of the latest others.
   */
  tasks(filter?: { recent?: number }): Promise<TaskSummary[]>
  /** The standing of every task that is not done, and of the undeleted tasks they depend on, in order of id. */
  standings(): Promise<TaskStanding[]>
  /** The folded state after the journal's last append. Null if there is no such task. */
  loop(task: number): Promise<Loop | null>
  sessions(task: number): Promise<SessionRow[]>
  session(id: string): Promise<SessionRow | null>
  prompt(session: string): Promise<string | null>
  /** What all sessions used, including those of deleted tasks. The most expensive first. */
  usage(): Promise<UsageRow[]>
  reviews(task: number): Promise<ReviewRow[]>
  gates(task: number): Promise<GateRow[]>
  /** Appends to a session's transcript. Existing rows (same sequence) are left unchanged. */
  addMessages(session: string, messages: Message[]): Promise<void>
  messages(session: string, after?: number, limit?: number): Promise<Message[]>
  /** The session's latest message. */
  lastMessage(session: string): Promise<Message | null>
  /** How far each output file of the session has been stored, and the next sequence number. */
  messageEnd(session: string): Promise<{ stdout: number; stderr: number; next: number }>
}

export interface SessionRow {
  id: string
  task: number
  role: Role
  iteration: number
  cycle: number
  attempt: number
  agent: string
  model: string | null
  agentSession: string | null
  status: 'running' | 'done' | 'failed' | 'interrupted' | 'lost'
  outcome: SessionOutcome | null
  tokenHash: string
  exitCode: number | null
  startedAt: string
  endedAt: string | null
  costUsd: number | null
  tokens: number | null
  messages: number
  refused: string[]
}

/** All sessions of one role, agent and model. Null if no session reported the value. */
export interface UsageRow {
  role: Role
  agent: string
  model: string | null
  sessions: number
  failed: number
  durationMs: number
  /** The known cost. Sessions that ended without reporting one are not included. */
  costUsd: number | null
  tokens: number | null
  withoutCost: number
}

export interface ReviewRow {
  id: string
  /** `checkpoint`: a review of unfinished work. `cycle` is that of the next review. */
  kind: 'task' | 'checkpoint'
  cycle: number
  attempt: number
  verdict: Verdict
  passed: boolean
  blocking: boolean
  summary: string
  tree: string
  sessionId: string
  /** The parser's session that read the reviewer's answer. Null if it was readable as it is. */
  parsedBy: string | null
  /** What each seat of a panel said. Null if there was only one reviewer. */
  seats: SeatRecord[] | null
  command: string
  channel: string
  issues: (ReportedIssue & { number: number | null })[]
  scores: Record<string, number>
  interpretedIntent: string | null
  intentSatisfied: boolean | null
  rawOutput: string
  costUsd: number | null
  reviewedAt: string
}

export type GateRow = GateResult & { at: string }

export interface Message {
  sequence: number
  source: 'stdout' | 'stderr'
  type: string
  content: string
  /** The byte offset after this line in its output file. */
  end: number
  at: string
}
