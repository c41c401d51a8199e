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
  /** The same for standard error, for agents that say something there that matters. */
  readStderr?(line: string): AgentEvent[]
  /** What an ending means that its lines did not tell; null when it is an ending like any other. Pure. */
  explain?(end: { code: number; stderr: string }): Failure | null
  /** What it can be asked for; nothing when left out. */
  readonly abilities?: readonly Ability[]
  /**
   * Where it keeps logins and sessions, below the home folder or by its own variables; it must be able to write there
   * also when it is confined.
   */
  stateFolders?(env: Record<string, string>): string[]
}

/**
 * `tools`: it can use the session's MCP server. `structured`: it can be held to a JSON schema. `resume`: it can go on
 * with a session of its own.
 */
export type Ability = 'tools' | 'structured' | 'resume'

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
  /** The folder of this run in which the launch's `files` will be. */
  folder: string
  /** The agent's own session to go on with. Null for a fresh one. */
  resume: string | null
  /** Starts the MCP server of this session. Null where it is not wanted. */
  tools: ToolServer | null
  /** What the answer is to conform to, as a JSON Schema. Null where it is not wanted. */
  schema: object | null
}

export interface ToolServer {
  /** The name under which agents know the server, and with it its tools. */
  name: string
  command: string
  args: string[]
  /** The names of its tools. */
  tools: string[]
}

export interface Launch {
  argv: [string, ...string[]]
  /** Added to the environment that every agent gets. */
  env: Record<string, string>
  /** Written into the request's folder before the start, by name. */
  files?: Record<string, string>
}

export type Failure = { class: FailureClass; text: string; retryAt: string | null }

export type AgentEvent =
  /** A piece of the answer, or of the talk around it. */
  | { type: 'text'; text: string }
  /** A piece of a text that comes in pieces; they are put together without a line's end between them. */
  | { type: 'delta'; text: string }
  /** The whole final answer, from agents that say so; it replaces what `text` gathered. */
  | { type: 'answer'; text: string }
  /** The answer by the schema that was asked for, as JSON text. */
  | { type: 'structured'; text: string }
  | { type: 'tool'; name: string; text: string }
  /** The agent's own session id, with which it can be continued. */
  | { type: 'session'; id: string }
  | ({ type: 'usage' } & Usage)
  | ({ type: 'failure' } & Failure)
  /** It got over a failure that it reported before. */
  | { type: 'recovered' }
  /** It waits and is silent about it: for a retry, for the network. */
  | { type: 'waiting'; text: string }
  | { type: 'other'; text: string }

export interface Usage {
  costUsd: number | null
  tokens: Tokens | null
  model: string | null
  /** `step`: to be added up. `run`: all of this run. `session`: also what earlier runs of the resumed session used. */
  counts: 'step' | 'run' | 'session'
}

/** `input` includes `cached`. */
export interface Tokens {
  input: number
  cached: number
  output: number
}
