/** Whether the configuration can be read, and whether the program of each role is there. */
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Config, RoleSettings } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import type { Role } from '../core/event.ts'
import { findProgram } from './find-program.ts'
import { type Finding, fine, orWrong, wrong } from './finding.ts'
import type { Repository } from './repository.ts'
import { fromCheckout, interpreters } from './settings.ts'

const roles: Role[] = ['developer', 'reviewer']

export function examineAgents({ root, env }: Repository): Promise<Finding[]> {
  return orWrong('configuration', async () => {
    const { config } = await loadConfig({ root, env })
    const read = existsSync(`${root}/umpire.yaml`) ? 'umpire.yaml is valid' : 'valid, without an umpire.yaml'
    return [
      fine('configuration', read),
      ...roles.map((role) => examineRole(role, config.roles[role], config, { root, env })),
    ]
  })
}

function examineRole(
  role: Role,
  settings: RoleSettings | null,
  config: Config,
  { root, env }: Pick<Repository, 'root' | 'env'>,
): Finding {
  if (!settings) return wrong(role, 'no agent is configured', `Set roles.${role} in umpire.yaml.`)
  const { agent } = settings
  const definition = config.agents[agent]
  if (definition?.kind === 'scripted') {
    if (existsSync(definition.script)) return fine(role, `${agent} plays ${definition.script}`)
    return wrong(
      role,
      `the script of ${agent} is missing: ${definition.script}`,
      'Write it, or name another.',
    )
  }
  if (!definition) return wrong(role, `there is no agent ${agent}`, 'Define it under agents in umpire.yaml.')

  const [program, script] = fromCheckout([...definition.command], root)
  const path = { ...env, ...definition.env, ...settings.env }.PATH
  const found = findProgram(program, path)
  if (found === null) {
    const where = program.includes('/') ? 'is no program' : 'is not on the PATH'
    return wrong(role, `${program}, which ${agent} runs, ${where}`, `Install it, or change agents.${agent}.`)
  }
  // Only where a file certainly is meant: behind an option it may be anything.
  const isScript = script !== undefined && interpreters.test(basename(program)) && !script.startsWith('-')
  if (isScript && !existsSync(resolve(root, script))) {
    return wrong(role, `the file ${script}, which ${agent} runs, is missing`, `Change agents.${agent}.`)
  }
  return fine(role, `${agent} runs ${isScript ? `${found} ${script}` : found}`)
}
