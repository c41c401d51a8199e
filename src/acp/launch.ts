/** What the program that speaks ACP for Umpire (`client.ts`) is told: a file in the folder of the run. */

export const launchFile = 'acp-launch.json'

export interface AcpLaunch {
  /** Starts the ACP agent, the role's own arguments included. */
  command: [string, ...string[]]
  /** `write`: whatever it asks for is allowed. `read`: it is held to reading and to the session's tools. */
  access: 'write' | 'read'
  /** Where it stands. */
  cwd: string
  /** What a reader may read. */
  readable: string[]
  /** Said before the prompt; empty when there is nothing to say. */
  preface: string
  /** The agent's mode to work in; null for the one that fits. Only with `write`: a reader's mode is not for choosing. */
  mode: string | null
  model: string | null
  /** The agent's own session to go on with. */
  resume: string | null
  /** The session's tools, as an MCP server. */
  server: { name: string; command: string; args: string[]; tools: string[] } | null
}
