/**
 * What Umpire's ACP client (`client.ts`) reads and prints. Its input is a file in the run's folder. Its output is one JSON
 * object per line.
 */
export const launchFile = 'acp-launch.json'

export interface AcpLaunch {
  /** The command that starts the ACP agent, with the role's own arguments. */
  command: [string, ...string[]]
  /** `write`: everything it asks for is allowed. `read`: it can only read and use the session's tools. */
  access: 'write' | 'read'
  /** Its working directory. */
  cwd: string
  /** What a reader may read. */
  readable: string[]
  /** Text in front of the prompt. May be empty. */
  preface: string
  /**
   * The agent's mode. Null lets Umpire choose. Used only with `write`: the configuration can't choose a reader's mode.
   */
  mode: string | null
  model: string | null
  /** The agent's own session to continue. */
  resume: string | null
  /** The session's tools, as an MCP server. */
  server: { name: string; command: string; args: string[]; tools: string[] } | null
}

/**
 * The output of Umpire's ACP client: one JSON object per line, in the same format for every agent. `agents/acp.ts`
 * reads it. A conversation is
 *
 *   session ── delta, thought, tool, plan, usage, refused, note … ── end or failure
 */
export type AcpLine =
  /** The agent's own session id, as soon as there is one. */
  | { type: 'session'; id: string }
  /** A piece of what it says. */
  | { type: 'delta'; text: string }
  /** The text before this line and the text after it do not belong together. */
  | { type: 'paragraph' }
  /** A piece of what it thinks. */
  | { type: 'thought'; text: string }
  | { type: 'tool'; name: string; kind: string; text: string }
  | { type: 'plan'; text: string }
  | ({ type: 'usage' } & AcpUsage)
  /** A permission that it asked for and did not get. */
  | { type: 'refused'; text: string }
  /** Anything else that is worth knowing in the log. */
  | { type: 'note'; text: string }
  /** It is done. `answer` is the text after its last tool call. */
  | { type: 'end'; answer: string }
  /**
   * It will give no answer. `by` says where the message comes from: from the agent by the protocol, or from the client,
   * for example about an agent that died, with the end of its standard error. `code` is the JSON-RPC error code, if
   * there was one. `login` says how to log in, in the agent's words. `retry` says that a retry would fail in the same
   * way.
   */
  | ({ type: 'failure'; login: string } & Fault)

export interface Fault {
  text: string
  by: 'agent' | 'client'
  code: number | null
  retry: 'never' | null
}

export interface AcpUsage {
  costUsd: number | null
  /** `input` includes `cached`. */
  tokens: { input: number; cached: number; output: number } | null
  model: string | null
  /** The total so far: of this run only, or including earlier runs of a resumed session. */
  counts: 'run' | 'session'
}
