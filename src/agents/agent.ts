/**
 * PORT: an agent is two pure functions over the one process runner: a request becomes a command line, and a line of
 * its output becomes events. Starting, watching, limiting and ending the process is the same for all (`attempts/`).
 */
import type { Role } from '../core/event.ts'
import type { FailureClass } from '../core/task.ts'

export interface Agent {
  readonly name: string
  /** How to start it. Pure; nothing is written or looked up. */
  launch(request: AgentRequest): Launch
  /** What one line of standard output says. Pure; called with every line in order. */
  read(line: string): AgentEvent[]
}

export interface AgentRequest {
  role: Role
  model: string | null
  /** The whole prompt. Every agent also finds it on its standard input, which then ends, and in `promptFile`. */
  prompt: string
  promptFile: string
  cwd: string
  /** The role's own extra arguments and environment, from the configuration. */
  args: string[]
  env: Record<string, string>
}

export interface Launch {
  argv: [string, ...string[]]
  /** Added to the environment that every agent gets. */
  env: Record<string, string>
}

export type AgentEvent =
  /** A piece of the answer, or of the talk around it. */
  | { type: 'text'; text: string }
  /** The whole final answer, from agents that say so; it replaces what `text` gathered. */
  | { type: 'answer'; text: string }
  | { type: 'tool'; name: string; text: string }
  /** The agent's own session id, with which it can be continued. */
  | { type: 'session'; id: string }
  | { type: 'usage'; costUsd: number | null; tokens: number | null }
  | { type: 'failure'; class: FailureClass; text: string; retryAt: string | null }
  | { type: 'other'; text: string }
