/** One agent process from prompt to exit: what is known when it starts, and what came of it. */

import type { FailureClass, Retry } from '../task.ts'
import type { Area } from './surroundings.ts'

/** `parser`: turns a review in plain words into the form that can be judged. `resolver`: settles the conflicts of a merge. */
export type Role = 'developer' | 'reviewer' | 'parser' | 'resolver'

export interface SessionStart {
  session: string
  role: Role
  /** One of several that run at the same time; left out for the one session that the loop's next step waits for. */
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
  /** What it is expected to cost, counted as spent until it tells; older versions reserved nothing. */
  reservedUsd?: number
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

/**
 * `panel`: the reviewer of this seat, the first being 1. `checkpoint`: looks at unfinished work, because the loop of task
 * `by` reached its interval with this iteration.
 */
export type Beside = { kind: 'panel'; seat: number } | { kind: 'checkpoint'; by: number; iteration: number }

export interface ReviewedState {
  tree: string
  /** Hash over all that a reviewer must not touch: the loop's branch and worktree, hooks, config. */
  fingerprint: string
  /** The name of the reviewer's clone. Each holding of a loop makes its own, so that two never write into one. */
  clone: string
}

export interface SessionEnd {
  session: string
  /** As when it was started. */
  beside?: Beside
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

/** Who continues a session of its own: a role, or one of the further seats of a panel. */
export type Voice = Role | `reviewer ${number}`

export type RunningSession = Omit<SessionStart, 'prompt'> & {
  startedAt: string
  /** How far it says that it is, and the number under which its tools said so. */
  progress?: { text: string; request: number }
}

/** Whether the role works in the loop's worktree and may change what is there. */
export function isWriter(role: Role): boolean {
  return role === 'developer' || role === 'resolver'
}
