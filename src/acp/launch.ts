/** The input of Umpire's ACP client (`client.ts`): a file in the run's folder. */

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
