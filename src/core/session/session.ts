/** One agent process from prompt to exit: what is known when it starts, and how it ended. */
import type { FailureClass, Retry } from '../task.ts'
import type { Area } from './surroundings.ts'

/** `parser`: turns a review in plain words into a structured review. `resolver`: resolves the conflicts of a merge. */
export type Role = 'developer' | 'reviewer' | 'parser' | 'resolver'

export interface SessionStart {
  session: string
  role: Role
  /** Set for a session that runs in parallel. Left out for the one session that the loop's next step waits for. */
  beside?: Beside
  iteration: number
  cycle: number
  /** The attempt number at this turn; a repeated attempt keeps the iteration and the cycle. */
  attempt: number
  agent: string
  model: string | null
  prompt: string
  tokenHash: string
  limitMs: number
  /** Its expected cost, counted as spent until it reports its real cost. Older versions reserved nothing. */
  reservedUsd?: number
  /** The agent's own session that this one continues. */
  resumes?: string | null
  /** The names of the tools that it has. Older records leave them out. */
  tools?: string[]
  /** The `review.command` that a reviewer was asked with. */
  command?: string
  /** Whether it runs in the sandbox. */
  confined?: boolean
  /**
   * For a developer: short hashes of the things outside its worktree that it could reach but must not change. Older
   * versions covered fewer areas.
   */
  surroundings?: Partial<Record<Area, string>> | null
  /** What a reviewer judges, and what must be unchanged when it is done. For a parser an empty tree, for a developer null. */
  reviewed: ReviewedState | null
}

/**
 * `panel`: the reviewer in this seat, counted from 1. `checkpoint`: a review of unfinished work, because the loop of task
 * `by` reached its interval with this iteration.
 */
export type Beside = { kind: 'panel'; seat: number } | { kind: 'checkpoint'; by: number; iteration: number }

export interface ReviewedState {
  tree: string
  /** A hash of everything that a reviewer must not touch: the loop's branch and worktree, hooks, config. */
  fingerprint: string
  /** The name of the reviewer's clone. Each claim of a loop makes its own clone, so that no two workers write into one. */
  clone: string
}

export interface SessionEnd {
  session: string
  /** The same value as in the session's start. */
  beside?: Beside
  outcome: SessionOutcome
  exitCode: number | null
  agentSession: string | null
  /** The developer said that the task is done. */
  claimed: boolean
  /** Why the developer says that it can't do the task. */
  gaveUp?: string
  messages: number
  /** The model that the agent reports. Left out if it reports none. */
  model?: string
  costUsd: number | null
  tokens: number | null
  /** Commands that the agent tried although only a person may use them. */
  refused: string[]
}

export type SessionOutcome =
  | { kind: 'done' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; class: FailureClass; detail: string; retryAt: string | null; retry?: Retry }

/** Whose session can be continued: that of a role, or of one of the further seats of a panel. */
export type Voice = Role | `reviewer ${number}`

export type RunningSession = Omit<SessionStart, 'prompt'> & {
  startedAt: string
  /** Its reported progress, and the number of the tool request that reported it. */
  progress?: { text: string; request: number }
}

/** Whether the role works in the loop's worktree and may change its files. */
export function isWriter(role: Role): boolean {
  return role === 'developer' || role === 'resolver'
}

/** The failures of the present turn so far. When a turn ends well, the counts start again at zero. */
export interface Tries {
  failures: number
  /** Runs that disappeared without a result. They cost no retry, but too many in a row count as a crash. */
  losses: number
  /** Runs that met a limit whose end is known. They cost no retry, but Umpire does not wait for ever. */
  waits: number
  /** When the first of these limits was recorded. */
  waitingSince: string | null
  /** Runs whose prompt was too long. After the first of them the prompt is shorter. */
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

export const noTries: Tries = {
  failures: 0,
  losses: 0,
  waits: 0,
  waitingSince: null,
  tooLong: 0,
  last: null,
}
