/**
 * PORT: an agent is two pure functions over the one process runner: a request becomes a command line, and a line of
 * its output becomes events. Starting, watching, limiting and ending the process is the same for all (`attempts/`).
 */
import type { Role } from '../core/session/session.ts'
import type { FailureClass, Retry } from '../core/task.ts'

export interface Agent {
  readonly name: string
  /** What people call it, where that is another word. */
  readonly title?: string
  /** How to start it. Pure; nothing is written or looked up. */
  launch(request: AgentRequest): Launch
  /** What one line of standard output says. Pure; called with every line in order. */
  read(line: string): AgentEvent[]
  /** The same for standard error, for agents that say something there that matters. */
  readStderr?(line: string): AgentEvent[]
  /** What an ending means that its lines did not tell; null when it is an ending like any other. Pure. */
  explain?(end: AgentEnd): Failure | null
  /** How many characters of a diff its model takes beside everything else; `usualRoom` when left out. */
  readonly room?: number
  /** What it can be asked for; nothing when left out. */
  readonly abilities?: readonly Ability[]
  /** Roles in which it can't be given the tools, though it can use them in others. */
  readonly withoutTools?: readonly Role[]
  /**
   * Where it keeps logins and sessions, below the home folder or by its own variables; it must be able to write there
   * also when it is confined.
   */
  stateFolders?(env: Record<string, string>): string[]
  /**
   * Files and folders by which a session can steer later ones: settings, instructions, hooks, plugins, commands. They are
   * compared before and after each developer. Pure.
   */
  steering?(env: Record<string, string>): Steering
  /** It writes none of these files by itself, so that in the sandbox those that are there can be closed to it. */
  readonly leavesSteering?: boolean
  /** It makes a sandbox of its own, so it can be put into another only where one works inside the other. */
  readonly ownSandbox?: boolean
  /** How it is logged in, as far as can be seen without calling anybody. Pure, but for what it is given to look at. */
  login?(look: Look): Login
  /** What keeps it from writing when it reviews. */
  readonly confinement?: Confinement
}

/** `except`: what lies in these paths and is written by the program itself. */
export interface Steering {
  paths: string[]
  except: string[]
}

/** About 130,000 tokens of code, which leaves a model of 200,000 some to think with. */
export const usualRoom = 400_000

/**
 * `stderr`: its last lines there; none once it used a tool, whose own words may stand among them. `answered`: it gave a
 * final answer (`answer`), or said that its turn is over (`finished`).
 */
export interface AgentEnd {
  code: number
  stderr: string
  answered: boolean
}

export interface Confinement {
  /** Ends the sentence "As a reviewer it …". */
  how: string
  /** A command that succeeds only where that works; nothing where it works everywhere. */
  probe?: [string, ...string[]]
}

/** What can be seen of a person's set-up. */
export interface Look {
  env: Record<string, string | undefined>
  /** The text of a file; null when there is none that can be read. */
  read(path: string): string | null
}

export type Login =
  | { state: 'in'; how: string }
  | { state: 'out'; fix: string }
  /** There may be a login in a place that can't be looked at. */
  | { state: 'unknown'; why: string }

/**
 * `tools`: it can use the session's MCP server. `structured`: it can be held to a JSON schema. `resume`: it can go on
 * with a session of its own.
 */
export type Ability = 'tools' | 'structured' | 'resume'

/** Whether the agent is given the tools of its session in this role. */
export function hasTools({ abilities, withoutTools }: Agent, role: Role): boolean {
  return (abilities?.includes('tools') ?? false) && !withoutTools?.includes(role)
}

export interface AgentRequest {
  role: Role
  model: string | null
  /** The whole prompt. Every agent also finds it on its standard input, which then ends, and in `promptFile`. */
  prompt: string
  /** The first line of the prompt, where that is a command of the agent's own. */
  command?: string | null
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
  /** On its standard input instead of the bare prompt, for agents that would read more into that than it says. */
  stdin?: string
}

/** `retryAt`: when a used-up limit is over. `retry`: what is known of another try; nothing when left out. */
export type Failure = { class: FailureClass; text: string; retryAt: string | null; retry?: Retry }

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
  /** Its turn is over and went well, from agents whose last line says so without an answer in it. */
  | { type: 'finished' }
  /** It got over a failure that it reported before. */
  | { type: 'recovered' }
  /** It waits and is silent about it: for a retry, for the network. */
  | { type: 'waiting'; text: string }
  /** The MCP server of the session does not work for it; said in words that end no sentence. */
  | { type: 'broken-tools'; text: string }
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
