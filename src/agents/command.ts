/** ADAPTER: any program. Its plain-text output is the answer. The configuration says how it gets the prompt. */
import type { Agent } from './agent.ts'

export interface CommandDefinition {
  command: [string, ...string[]]
  prompt: 'stdin' | 'argument' | 'file'
  /**
   * `http`: the session's MCP server starts the program and passes its address in UMPIRE_MCP_URL and UMPIRE_MCP_TOKEN.
   */
  tools?: 'none' | 'http'
}

/** Operating systems reject a single argument over 128 KiB. A longer prompt is replaced by a reference to its file. */
const longestArgument = 120_000

export const readPlainText: Agent['read'] = (line) => [{ type: 'text', text: line }]

export function commandAgent(name: string, definition: CommandDefinition): Agent {
  const [program, ...own] = definition.command
  return {
    name,
    abilities: definition.tools === 'http' ? ['tools'] : [],
    launch({ prompt, promptFile, model, args, env, tools }) {
      const promptArgument = {
        stdin: [],
        argument: [
          Buffer.byteLength(prompt) <= longestArgument
            ? prompt
            : `Your instructions are in the file ${promptFile}. Read it and follow it.`,
        ],
        file: [promptFile],
      }[definition.prompt]
      return {
        argv:
          tools && definition.tools === 'http'
            ? [tools.command, ...tools.args, '--http', '--', program, ...own, ...args, ...promptArgument]
            : [program, ...own, ...args, ...promptArgument],
        env: model === null ? env : { UMPIRE_MODEL: model, ...env },
      }
    },
    read: readPlainText,
  }
}
