/** Checks before a run starts that the agents it needs can be started. */
import type { AgentDefinition } from '../../config/config.ts'
import { NoAgentError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { mayNeedResolver, rolesOf } from '../../core/policy/roles-in-turn.ts'
import type { Role } from '../../core/session/session.ts'
import { findProgram } from '../../lib/process/exec.ts'
import type { Cast, Ports } from '../../loop/ports.ts'
import { prepareSandbox } from '../sandbox.ts'
import { fromCheckout, type SettingsInput } from './cast-roles.ts'

type Input = Omit<SettingsInput, 'effort'>

/**
 * Throws a NoAgentError for the first role whose built-in agent is not installed, because one task after another would
 * fail for the same reason. Agents that only a task names are not checked: only that task fails. A person's own programs
 * are not checked either, because an earlier task may create them.
 */
export async function requireAgents(
  loops: Loop[],
  input: Input,
  { settings, sandbox }: Pick<Ports, 'settings' | 'sandbox'>,
): Promise<void> {
  for (const loop of loops) {
    const policy = settings.policyFor(loop.task)
    for (const { role, seat } of needed(loop, policy, input).flatMap((each) => seatsOf(each, policy))) {
      const cast = settings.cast(role, loop.task, seat)
      if (seat === 1 && isWished(cast, role, loop)) continue
      const why = missing(cast, input)
      if (why === null) continue
      const key = seat === 1 ? `roles.${role}` : 'review.panel'
      throw new NoAgentError(
        `The ${role} can't be started: ${why}.`,
        `Install it, or change ${key} in umpire.yaml.`,
      )
    }
  }
  await prepareSandbox(input, sandbox)
}

/** Without a configured resolver, the developer's agent resolves conflicts, so the resolver needs no check of its own. */
function needed(loop: Loop, policy: Policy, { config }: Input): Role[] {
  const roles = rolesOf(loop, policy)
  const isNamed = config.roles.resolver !== null && !roles.includes('resolver')
  return isNamed && roles.includes('developer') && mayNeedResolver(loop, policy)
    ? [...roles, 'resolver']
    : roles
}

/** A panel needs all of its seats. */
function seatsOf(role: Role, { seats }: Policy): { role: Role; seat: number }[] {
  return Array.from({ length: role === 'reviewer' ? seats : 1 }, (_, index) => ({ role, seat: index + 1 }))
}

function isWished({ agent }: Cast, role: Role, { task }: Loop): boolean {
  const wished = { developer: task.agent, reviewer: task.reviewer, parser: null, resolver: null }[role]
  return wished === agent.name
}

function missing({ agent, env }: Cast, { config, root, brought, env: own }: Input): string | null {
  if (brought?.agents.includes(agent) || config.agents[agent.name]) return null
  const program = agentProgram(agent.name, undefined, root, { ...own, ...env })
  return program.state === 'missing' ? program.why : null
}

type AgentProgram =
  | { state: 'found'; path: string; command: [string, ...string[]] }
  | { state: 'missing'; why: string }

/** Finds the program of an agent, and whether it is installed. `env` is the environment of the agent. */
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
