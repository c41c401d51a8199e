/** ADAPTER: any program. Plain text is its answer; how it gets the prompt is configured. */
import type { Agent } from './agent.ts'

export interface CommandDefinition {
  command: [string, ...string[]]
  prompt: 'stdin' | 'argument' | 'file'
  /** `http`: started below the session's MCP server, which tells it by UMPIRE_MCP_URL and UMPIRE_MCP_TOKEN where it is. */
  tools?: 'none' | 'http'
}

/** Systems refuse a single argument over 128 KiB; a longer prompt is pointed to instead. */
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
            : `Your instructions are in the file ${promptFile}: read it and follow it.`,
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
