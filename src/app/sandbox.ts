/** The sandbox of this machine, and which agents are put into it. */
import { dirname } from 'node:path'
import { NoAgentError } from '../core/errors.ts'
import type { Role } from '../core/session/session.ts'
import { packageFile } from '../lib/file/package-files.ts'
import { isConfined } from '../loop/session/confine.ts'
import { openBwrap } from '../sandbox/bwrap.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { findProgram } from './agents/find-program.ts'
import type { Repository } from './repository.ts'
import { type AgentsInput, confineOf, defaultAgent, findAgent } from './settings.ts'

/** Nothing is tried yet. */
export function openSandbox({ root, common, home, env, ownEnv }: Repository): Sandbox {
  return openBwrap({
    program: findProgram('bwrap', env.PATH),
    needed: [root, common, dirname(home), dirname(packageFile('keeper.sh')), process.execPath],
    env: ownEnv,
  })
}

/**
 * Tries the sandbox while the first task is being made ready, if any role will want it. Throws a NoAgentError where a
 * role's agent runs there or not at all and it does not work, before anything is begun.
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

/** How an agent would run: in the sandbox, with the person's own rights, or, for the reason that is given, not at all. */
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
