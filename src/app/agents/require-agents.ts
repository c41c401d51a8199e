/** Finds out before anything is begun whether whoever is needed can be started at all. */
import { NoAgentError } from '../../core/errors.ts'
import type { Loop } from '../../core/loop.ts'
import type { Policy } from '../../core/policy/policy.ts'
import { mayNeedResolver, rolesOf } from '../../core/policy/roles.ts'
import type { Role } from '../../core/session/session.ts'
import type { Cast, Ports } from '../../loop/ports.ts'
import { prepareSandbox } from '../sandbox.ts'
import type { SettingsInput } from '../settings.ts'
import { agentProgram } from './agent-program.ts'

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

/** Where nobody is named to resolve conflicts, that is the developer's part. */
function needed(loop: Loop, policy: Policy, { config }: Input): Role[] {
  const roles = rolesOf(loop, policy)
  const isNamed = config.roles.resolver !== null && !roles.includes('resolver')
  return isNamed && roles.includes('developer') && mayNeedResolver(loop, policy)
    ? [...roles, 'resolver']
    : roles
}

/** A panel is asked as a whole. */
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
