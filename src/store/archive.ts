/**
 * PORT: what screens read. Everything here is a projection of the journal, written in the journal's own transaction,
 * except the messages of agents, which are stored as they come and belong to no decision.
 */

import type { GateResult } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import type { ReportedIssue, Verdict } from '../core/review/review.ts'
import type { SeatRecord } from '../core/review/review-record.ts'
import type { Standing } from '../core/schedule/schedule.ts'
import type { Role, SessionOutcome } from '../core/session/session.ts'
import type { TaskSummary } from '../core/summary.ts'

export interface Archive {
  /** In order of id; deleted tasks are left out. `recent` keeps all that are not done, those that wait for a person too, and the latest so many others. */
  tasks(filter?: { recent?: number }): Promise<TaskSummary[]>
  /** How all tasks stand that are not done, and those they depend on as far as these were not deleted; in order of id. */
  standings(): Promise<Standing[]>
  /** The folded state, as the journal's last append left it; null when there is no such task. */
  loop(task: number): Promise<Loop | null>
  sessions(task: number): Promise<SessionRow[]>
  session(id: string): Promise<SessionRow | null>
  prompt(session: string): Promise<string | null>
  /** What all sessions used, also those of deleted tasks; the dearest first. */
  usage(): Promise<UsageRow[]>
  reviews(task: number): Promise<ReviewRow[]>
  gates(task: number): Promise<GateRow[]>
  /** Appends to a session's transcript. Rows that are there already (same sequence) are left as they are. */
  addMessages(session: string, messages: Message[]): Promise<void>
  messages(session: string, after?: number, limit?: number): Promise<Message[]>
  /** The latest of them. */
  lastMessage(session: string): Promise<Message | null>
  /** How far each output file of the session was stored, and the next sequence number. */
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

/** All sessions of one role, agent and model. Null where no session told it. */
export interface UsageRow {
  role: Role
  agent: string
  model: string | null
  sessions: number
  failed: number
  durationMs: number
  /** What is known of it; nothing is known of the sessions that ended without a word about it. */
  costUsd: number | null
  tokens: number | null
  withoutCost: number
}

export interface ReviewRow {
  id: string
  /** `checkpoint`: of unfinished work; `cycle` is that of the review to come. */
  kind: 'task' | 'checkpoint'
  cycle: number
  attempt: number
  verdict: Verdict
  passed: boolean
  blocking: boolean
  summary: string
  tree: string
  sessionId: string
  /** The session of the parser that made it of what the reviewer said; null when it was read as it is. */
  parsedBy: string | null
  /** What each seat of a panel said; null where one reviewer was enough. */
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
  /** Byte offset after this line in its output file. */
  end: number
  at: string
}
