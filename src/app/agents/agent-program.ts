/** Finds the program of an agent, and whether it is installed. */
import type { AgentDefinition } from '../../config/config.ts'
import { fromCheckout } from '../settings.ts'
import { findProgram } from './find-program.ts'

export type AgentProgram =
  | { state: 'found'; path: string; command: [string, ...string[]] }
  | { state: 'missing'; why: string }

/** `env` is the environment of the agent. */
export function agentProgram(
  name: string,
  definition: Exclude<AgentDefinition, { kind: 'scripted' }> | undefined,
  root: string,
  env: Record<string, string | undefined>,
): AgentProgram {
  // The configuration is valid, so a name without a definition is a built-in agent. Its program has the same name.
  const command: [string, ...string[]] = definition ? fromCheckout([...definition.command], root) : [name]
  const [program] = command
  const path = findProgram(program, env.PATH)
  if (path !== null) return { state: 'found', path, command }
  const where = program.includes('/') ? 'is not an executable program' : 'is not on the PATH'
  return { state: 'missing', why: `${program}, which ${name} runs, ${where}` }
}
