/** Finds out before anything is begun whether whoever is needed can be started at all. */
import { NoAgentError } from '../core/errors.ts'
import type { Role } from '../core/event.ts'
import type { Loop } from '../core/loop.ts'
import { rolesOf } from '../core/roles.ts'
import type { Cast, Ports } from '../loop/ports.ts'
import { agentProgram } from './agent-program.ts'
import { prepareSandbox } from './sandbox.ts'
import type { SettingsInput } from './settings.ts'

type Input = Omit<SettingsInput, 'effort'>

/**
 * NoAgentError for the first role of which a built-in agent has the part and is not installed: without it one task after
 * the other would fail for the same reason. An agent that only a task names is that task's matter, and so is a program
 * of the person's own, which may well be made by what comes before.
 */
export async function requireAgents(
  loops: Loop[],
  input: Input,
  { settings, sandbox }: Pick<Ports, 'settings' | 'sandbox'>,
): Promise<void> {
  for (const loop of loops) {
    for (const role of rolesOf(loop, settings.policyFor(loop.task))) {
      const cast = settings.cast(role, loop.task)
      if (isWished(cast, role, loop)) continue
      const why = missing(cast, input)
      if (why === null) continue
      const fix = `Install it, or change roles.${role} in umpire.yaml.`
      throw new NoAgentError(`The ${role} can't be started: ${why}.`, fix)
    }
  }
  await prepareSandbox(input, sandbox)
}

function isWished({ agent }: Cast, role: Role, { task }: Loop): boolean {
  const wished = { developer: task.agent, reviewer: task.reviewer, parser: null }[role]
  return wished === agent.name
}

function missing({ agent, env }: Cast, { config, root, brought, env: own }: Input): string | null {
  if (brought?.agents.includes(agent) || config.agents[agent.name]) return null
  const program = agentProgram(agent.name, undefined, root, { ...own, ...env })
  return program.state === 'missing' ? program.why : null
}
