/** The sandbox of this machine, and which agents run in it. */
import { dirname } from 'node:path'
import { NoAgentError } from '../core/errors.ts'
import type { Role } from '../core/session/session.ts'
import { packageFile } from '../lib/file/package-files.ts'
import { findProgram } from '../lib/process/exec.ts'
import { isConfined } from '../loop/session/confine.ts'
import { openBwrap } from '../sandbox/bwrap.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type AgentsInput, confineOf, defaultAgent, findAgent } from './agents/cast-roles.ts'
import type { Repository } from './repository.ts'

/** Opening the sandbox does not test yet whether it works. */
export function openSandbox({ root, common, home, env, ownEnv }: Repository): Sandbox {
  return openBwrap({
    program: findProgram('bwrap', env.PATH),
    needed: [root, common, dirname(home), dirname(packageFile('keeper.sh')), process.execPath],
    env: ownEnv,
  })
}

/**
 * Tests the sandbox while the first task is prepared, if any role uses it. Throws a NoAgentError before anything starts
 * if the sandbox does not work and an agent must not run without it.
 */
export async function prepareSandbox(
  agents: AgentsInput & { env: Record<string, string> },
  sandbox: Sandbox,
): Promise<void> {
  const { roles } = agents.config
  for (const role of ['developer', 'reviewer', 'parser'] as const) {
    const name = roles[role]?.agent ?? defaultAgent(agents.env)
    const confine = name === null ? 'never' : confineOf(name, role, agents)
    if (name === null || confine === 'never') continue
    const trying = isConfined({ agent: findAgent(name, agents), confine }, sandbox)
    if (confine === 'always') await trying
  }
}

/** How an agent would run: in the sandbox, with the person's own rights, or not at all, for the reason in the error. */
export async function confinementOf(
  name: string,
  role: Role,
  agents: AgentsInput,
  sandbox: Sandbox,
): Promise<'confined' | 'free' | NoAgentError> {
  const cast = { agent: findAgent(name, agents), confine: confineOf(name, role, agents) }
  try {
    return (await isConfined(cast, sandbox)) ? 'confined' : 'free'
  } catch (error) {
    if (error instanceof NoAgentError) return error
    throw error
  }
}
