import { packageFile } from '../lib/file/package-files.ts'
import type { Agent } from './agent.ts'
import { readPlainText } from './command.ts'

/**
 * ADAPTER: an agent that follows a script instead of a model, for demos, tests and dry runs. It is a real program
 * (`scripted-program.ts`) run by the real keeper. Only its judgement is canned.
 */
export function scriptedAgent(name: string, script: string): Agent {
  return {
    name,
    launch: ({ model, args, env }) => ({
      argv: [process.execPath, packageFile('scripted-agent.js'), script, ...args],
      env: model === null ? env : { UMPIRE_MODEL: model, ...env },
    }),
    read: readPlainText,
  }
}
