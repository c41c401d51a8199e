/**
 * PORT: an agent is two pure functions on top of the one process runner. The first turns a request into a command line,
 * the second turns a line of output into events. Starting, watching, limiting and stopping the process is the same for
 * all agents (`attempts/`).
 */
import type { Role } from '../core/session/session.ts'
import type { FailureClass, Retry } from '../core/task.ts'

export interface Agent {
  readonly name: string
  /** The name shown to people, if it differs from `name`. */
  readonly title?: string
  /** How to start it. Pure: writes nothing and looks nothing up. */
  launch(request: AgentRequest): Launch
  /** What one line of standard output says. Pure; called with every line in order. */
  read(line: string): AgentEvent[]
  /** The same for standard error, for agents that say something there that matters. */
  readStderr?(line: string): AgentEvent[]
  /** Explains how the process ended, if its output did not. Null for an ordinary end. Pure. */
  explain?(end: AgentEnd): Failure | null
  /** How many characters of a diff fit into its model's context along with everything else. Default: `usualRoom`. */
  readonly room?: number
  /** Optional features that it supports. Default: none. */
  readonly abilities?: readonly Ability[]
  /** Roles in which it can't use the session's tools, though it can in others. */
  readonly withoutTools?: readonly Role[]
  /**
   * Folders in which it keeps logins and sessions, found from the home folder or the agent's own variables. A sandboxed
   * agent must still be able to write there.
   */
  stateFolders?(env: Record<string, string>): string[]
  /**
   * Files and folders by which a session can influence later ones: settings, instructions, hooks, plugins, commands.
   * Umpire compares them before and after each developer session. Pure.
   */
  steering?(env: Record<string, string>): Steering
  /** The agent never writes its steering files by itself, so the sandbox can make the existing ones read-only. */
  readonly leavesSteering?: boolean
  /** It creates its own sandbox, so Umpire can sandbox it only on systems where sandboxes can be nested. */
  readonly ownSandbox?: boolean
  /** How it is logged in, as far as that shows without a network call. Pure, except for reading through `look`. */
  login?(look: SetupReader): Login
  /** What prevents it from writing during a review. */
  readonly confinement?: Confinement
}

/** `except`: parts of these paths that the program itself writes. */
export interface Steering {
  paths: string[]
  except: string[]
}

/** About 130,000 tokens of code. That leaves a model with 200,000 tokens some room to think. */
export const usualRoom = 400_000

/**
 * `stderr`: its last lines on standard error. Empty once it used a tool, because a tool's output may be among them.
 * `answered`: it gave a final answer (`answer`) or reported that its turn is over (`finished`).
 */
export interface AgentEnd {
  code: number
  stderr: string
  answered: boolean
}

export interface Confinement {
  /** Completes the sentence "As a reviewer it …". */
  how: string
  /** A command that succeeds only if this protection works here. Left out if it works everywhere. */
  probe?: [string, ...string[]]
}

/** Read access to the user's setup. */
export interface SetupReader {
  env: Record<string, string | undefined>
  /** The text of a file. Null if it can't be read. */
  read(path: string): string | null
}

export type Login =
  | { state: 'in'; how: string }
  | { state: 'out'; fix: string }
  /** There may be a login where Umpire can't look. */
  | { state: 'unknown'; why: string }

/**
 * `tools`: it can use the session's MCP server. `structured`: its answer can be forced into a JSON schema. `resume`: it
 * can continue one of its own sessions.
 */
export type Ability = 'tools' | 'structured' | 'resume'

/** Whether the agent gets the session's tools in this role. */
export function hasTools({ abilities, withoutTools }: Agent, role: Role): boolean {
  return (abilities?.includes('tools') ?? false) && !withoutTools?.includes(role)
}

export interface AgentRequest {
  role: Role
  model: string | null
  /** The whole prompt. Every agent also gets it on its standard input and in `promptFile`. */
  prompt: string
  /** The first line of the prompt, if that is one of the agent's own commands. */
  command?: string | null
  promptFile: string
  cwd: string
  /** The role's own extra arguments and environment, from the configuration. */
  args: string[]
  env: Record<string, string>
  /** The folder of this run. The launch's `files` are written there. */
  folder: string
  /** The agent's own session to continue. Null starts a new one. */
  resume: string | null
  /** How to start this session's MCP server. Null if the session has none. */
  tools: ToolServer | null
  /** The JSON Schema for the answer. Null if any text will do. */
  schema: object | null
}

export interface ToolServer {
  /** The server's name, which agents also put in front of its tools' names. */
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
  /** Files to write into the request's folder before the start, by name. */
  files?: Record<string, string>
  /** Standard input in place of the plain prompt, for agents that would interpret parts of a plain prompt. */
  stdin?: string
}

/** `retryAt`: when an exhausted limit resets. `retry`: whether a retry can help. Left out if unknown. */
export type Failure = { class: FailureClass; text: string; retryAt: string | null; retry?: Retry }

export type AgentEvent =
  /** Part of the answer, or of the conversation around it. */
  | { type: 'text'; text: string }
  /** A fragment of streamed text. Fragments are joined without line breaks. */
  | { type: 'delta'; text: string }
  /** The complete final answer, from agents that report one. It replaces the text collected so far. */
  | { type: 'answer'; text: string }
  /** The answer in the requested schema, as JSON text. */
  | { type: 'structured'; text: string }
  | { type: 'tool'; name: string; text: string }
  /** The agent's own session id, which can be resumed. */
  | { type: 'session'; id: string }
  | ({ type: 'usage' } & Usage)
  | ({ type: 'failure' } & Failure)
  /** The turn succeeded, from agents whose last line reports that without the answer. */
  | { type: 'finished' }
  /** It recovered from a failure that it reported before. */
  | { type: 'recovered' }
  /** It is waiting, for a retry or for the network, and prints nothing meanwhile. */
  | { type: 'waiting'; text: string }
  /**
   * The session's MCP server does not work for this agent. `text` has no full stop, so that it fits into a sentence.
   */
  | { type: 'broken-tools'; text: string }
  | { type: 'other'; text: string }

export interface Usage {
  costUsd: number | null
  tokens: Tokens | null
  model: string | null
  /**
   * `step`: add it up. `run`: the total of this run. `session`: the total including earlier runs of a resumed session.
   */
  counts: 'step' | 'run' | 'session'
}

/** `input` includes `cached`. */
export interface Tokens {
  input: number
  cached: number
  output: number
}
