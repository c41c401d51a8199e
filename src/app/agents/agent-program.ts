/** The program that an agent runs as, and whether it is there. */
import type { AgentDefinition } from '../../config/config.ts'
import { fromCheckout } from '../settings.ts'
import { findProgram } from './find-program.ts'

export type AgentProgram =
  | { state: 'found'; path: string; command: [string, ...string[]] }
  | { state: 'missing'; why: string }

/** `env`: what the agent finds in its environment. */
export function agentProgram(
  name: string,
  definition: Exclude<AgentDefinition, { kind: 'scripted' }> | undefined,
  root: string,
  env: Record<string, string | undefined>,
): AgentProgram {
  // The configuration was read, so a name that nobody defined is that of a built-in agent, and of its program.
  const command: [string, ...string[]] = definition ? fromCheckout([...definition.command], root) : [name]
  const [program] = command
  const path = findProgram(program, env.PATH)
  if (path !== null) return { state: 'found', path, command }
  const where = program.includes('/') ? 'is no program' : 'is not on the PATH'
  return { state: 'missing', why: `${program}, which ${name} runs, ${where}` }
}
