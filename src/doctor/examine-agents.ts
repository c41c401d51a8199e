/** Whether the configuration can be read, and whether the program of each role is there. */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { knownBehind } from '../agents/acp.ts'
import { builtInAgents } from '../agents/built-in.ts'
import { agentProgram } from '../app/agent-program.ts'
import { toInstall } from '../app/choose-agent.ts'
import { readConfig } from '../app/read-config.ts'
import type { Repository } from '../app/repository.ts'
import { confinementOf, openSandbox } from '../app/sandbox.ts'
import { defaultAgent, interpreters } from '../app/settings.ts'
import type { Config, RoleSettings } from '../config/config.ts'
import { NoAgentError } from '../core/errors.ts'
import type { Role } from '../core/session/session.ts'
import { reasonOf, tryProgram } from '../lib/process/try-program.ts'
import { examinePrompts } from './examine-prompts.ts'
import { doubtful, type Finding, fine, orWrong, wrong } from './finding.ts'

export function examineAgents(repository: Repository): Promise<Finding[]> {
  const { root } = repository
  return orWrong('configuration', async () => {
    const { config } = await readConfig(repository)
    const read = existsSync(`${root}/umpire.yaml`) ? 'umpire.yaml is valid' : 'valid, without an umpire.yaml'
    return [
      fine('configuration', read),
      ...(await Promise.all(
        rolesOf(config).map((role) => examineRole(role, config.roles[role], config, repository)),
      )),
      ...(await examinePanel(config, repository)),
      ...examinePrompts(config, repository),
    ]
  })
}

/** The further seats of a panel, each by its number. */
async function examinePanel(config: Config, repository: Repository): Promise<Finding[]> {
  const found = config.review.panel.map((settings) => examineRole('reviewer', settings, config, repository))
  return (await Promise.all(found)).map((finding, index) => ({ ...finding, name: `reviewer ${index + 2}` }))
}

/** A parser without a setting of its own is the reviewer once more. */
function rolesOf({ roles, review }: Config): Role[] {
  return [
    'developer',
    'reviewer',
    ...(review.channels.includes('parser') && roles.parser ? ['parser' as const] : []),
  ]
}

async function examineRole(
  role: Role,
  settings: RoleSettings | null,
  config: Config,
  repository: Repository,
): Promise<Finding> {
  const { root, env } = repository
  const agent = settings?.agent ?? defaultAgent(env)
  if (agent === null)
    return wrong(role, 'no agent is configured', toInstall(`set roles.${role} in umpire.yaml.`))
  const definition = config.agents[agent]
  if (definition?.kind === 'scripted') {
    if (existsSync(definition.script)) return fine(role, `${agent} plays ${definition.script}`)
    return wrong(
      role,
      `the script of ${agent} is missing: ${definition.script}`,
      'Write it, or name another.',
    )
  }
  const program = agentProgram(agent, definition, root, { ...env, ...definition?.env, ...settings?.env })
  if (program.state === 'missing') {
    const change = definition ? `agents.${agent}` : `roles.${role}`
    return wrong(role, program.why, `Install it, or change ${change}.`)
  }
  const { path: found, command } = program
  const [name, script] = command
  // Only where a file certainly is meant: behind an option it may be anything.
  const isScript = script !== undefined && interpreters.test(basename(name)) && !script.startsWith('-')
  if (isScript && !existsSync(resolve(root, script))) {
    return wrong(role, `the file ${script}, which ${agent} runs, is missing`, `Change agents.${agent}.`)
  }
  const confinement = await confinementOf(agent, role, { config, root }, openSandbox(repository))
  if (confinement instanceof NoAgentError) return wrong(role, confinement.message, confinement.fix)
  const where = confinement === 'confined' ? ' in the sandbox' : ''
  const chosen = settings ? '' : ', the first agent that is installed'
  const runs = `${agent} runs ${isScript ? `${found} ${script}` : found}${where}${chosen}`
  const own = definition ? null : await tryOwnSandbox(agent, role, settings, env)
  if (own) return doubtful(role, `${runs}, but ${own.why}`, own.fix)
  const isAsked = role !== 'developer' && definition?.kind === 'acp' && !knownBehind(definition.command)
  const held = isAsked && confinement === 'free' ? '; what keeps it from writing are the answers alone' : ''
  return fine(role, `${runs}${held}`)
}

/** An agent that runs every command in a sandbox of its own can do little where that does not work. */
async function tryOwnSandbox(
  name: string,
  role: Role,
  settings: RoleSettings | null,
  env: Repository['env'],
): Promise<{ why: string; fix: string } | null> {
  const probe = builtInAgents.find((agent) => agent.name === name)?.confinement?.probe
  // A developer's may have been switched off there.
  if (!probe || (role === 'developer' && settings && settings.args.length > 0)) return null
  const tried = await tryProgram(probe, { ...env, ...settings?.env })
  if (tried?.code === 0) return null
  return {
    why: `its own sandbox does not work here (${reasonOf(tried)})`,
    fix: `Set roles.${role} to another agent. Try it: ${probe.join(' ')}`,
  }
}
