/** Checks that the configuration can be read, that the program of each role exists, and which agents are installed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { knownBehind } from '../agents/acp.ts'
import type { Agent, Login } from '../agents/agent.ts'
import { builtInAgents } from '../agents/built-in.ts'
import { defaultAgent, interpreters } from '../app/agents/cast-roles.ts'
import { installedAgents, toInstall } from '../app/agents/choose-agent.ts'
import { agentProgram } from '../app/agents/require-agents.ts'
import { readConfig } from '../app/read-config.ts'
import type { Repository } from '../app/repository.ts'
import { confinementOf, openSandbox } from '../app/sandbox.ts'
import type { Config, RoleSettings } from '../config/config.ts'
import { nearest } from '../config/yaml/problem.ts'
import { NoAgentError } from '../core/errors.ts'
import { parseCommand, usualCommand } from '../core/policy/review-command.ts'
import type { Role } from '../core/session/session.ts'
import { findProgram, reasonOf, tryProgram } from '../lib/process/exec.ts'
import { oneLine } from '../lib/text/printable.ts'
import { doubtful, type Finding, fine, orWrong, wrong } from './finding.ts'

export function examineAgents(repository: Repository): Promise<Finding[]> {
  const { root } = repository
  return orWrong('configuration', async () => {
    const { config } = await readConfig(repository)
    const read = existsSync(`${root}/umpire.yaml`) ? 'umpire.yaml is valid' : 'valid; there is no umpire.yaml'
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

/** The additional seats of a panel, numbered. */
async function examinePanel(config: Config, repository: Repository): Promise<Finding[]> {
  const found = config.review.panel.map((settings) => examineRole('reviewer', settings, config, repository))
  return (await Promise.all(found)).map((finding, index) => ({ ...finding, name: `reviewer ${index + 2}` }))
}

/** Without its own setting, the parser uses the reviewer's agent, which is already checked. */
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
      'Write it, or name another script.',
    )
  }
  const program = agentProgram(agent, definition, root, { ...env, ...definition?.env, ...settings?.env })
  if (program.state === 'missing') {
    const change = definition ? `agents.${agent}` : `roles.${role}`
    return wrong(role, program.why, `Install it, or change ${change}.`)
  }
  const { path: found, command } = program
  const [name, script] = command
  // Only if the argument is certainly a file: after an option it may be anything.
  const isScript = script !== undefined && interpreters.test(basename(name)) && !script.startsWith('-')
  if (isScript && !existsSync(resolve(root, script))) {
    return wrong(role, `the file ${script}, which ${agent} runs, is missing`, `Change agents.${agent}.`)
  }
  const confinement = await confinementOf(agent, role, { config, root }, openSandbox(repository))
  if (confinement instanceof NoAgentError) return wrong(role, confinement.message, confinement.fix)
  const where = confinement === 'confined' ? ' in the sandbox' : ''
  const chosen = settings ? '' : ' (the first installed agent)'
  const runs = `${agent} runs ${isScript ? `${found} ${script}` : found}${where}${chosen}`
  const own = definition ? null : await tryOwnSandbox(agent, role, settings, env)
  if (own) return doubtful(role, `${runs}, but ${own.why}`, own.fix)
  const isAsked = role !== 'developer' && definition?.kind === 'acp' && !knownBehind(definition.command)
  const held =
    isAsked && confinement === 'free' ? '; only refused permission requests keep it from writing' : ''
  return fine(role, `${runs}${held}`)
}

/** An agent that runs every command in its own sandbox can do little if that sandbox does not work. */
async function tryOwnSandbox(
  name: string,
  role: Role,
  settings: RoleSettings | null,
  env: Repository['env'],
): Promise<{ why: string; fix: string } | null> {
  const probe = builtInAgents.find((agent) => agent.name === name)?.confinement?.probe
  // The arguments may have switched the developer's sandbox off.
  if (!probe || (role === 'developer' && settings && settings.args.length > 0)) return null
  const tried = await tryProgram(probe, { ...env, ...settings?.env })
  if (tried?.code === 0) return null
  return {
    why: `its own sandbox does not work here (${reasonOf(tried)})`,
    fix: `Set roles.${role} to another agent. To see the error: ${probe.join(' ')}`,
  }
}

/** Which of the project's prompts replace ours, and whether the reviewer's own command probably exists. */
function examinePrompts(config: Config, repository: Repository): Finding[] {
  const { review, templates } = config
  const own = [
    ...(templates.review ? [`${templates.review.file} for reviewers`] : []),
    ...(templates.develop ? [`${templates.develop.file} for developers`] : []),
  ]
  const name = parseCommand(review.command)?.name ?? ''
  const byAgent = !templates.review && `/${name}` !== usualCommand
  if (byAgent) own.unshift(`the reviewer's own command ${review.command}`)
  if (own.length === 0) return []
  const doubt = byAgent ? doubtAbout(name, config, repository) : null
  const text = own.join(', ')
  return [doubt ? doubtful('prompts', `${text}${doubt.text}`, doubt.fix) : fine('prompts', text)]
}

/** Without this check, only the agent would notice an unknown command, after the work is done. */
function doubtAbout(
  name: string,
  { roles }: Config,
  { root, env }: Repository,
): { text: string; fix: string } | null {
  const known = isKnownToClaude(name, { ...env, ...roles.reviewer?.env })
  const isClaude = (roles.reviewer?.agent ?? defaultAgent(env)) === 'claude'
  if (isClaude && known) return null
  const meant = nearest(name, [usualCommand.slice(1), ...namesIn(join(root, 'umpire/prompts'))])
  const question = meant === null ? '' : `Did you mean /${meant}? `
  if (isClaude) {
    const text = ', which Claude Code does not seem to know'
    return { text, fix: `${question}Write umpire/prompts/${name}.md, or change review.command.` }
  }
  return meant === null ? null : { text: '', fix: `${question}If so, change review.command.` }
}

/** Built-in and plugin commands can't be looked up. The user's own are files in known folders. */
function isKnownToClaude(name: string, env: Record<string, string | undefined>): boolean {
  if (name.includes(':') || name === 'review' || name === 'security-review') return true
  const folder = env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? '', '.claude')
  return namesIn(join(folder, 'commands')).includes(name) || existsSync(join(folder, 'skills', name))
}

/** The names of the prompt files in a folder, at any depth. */
function namesIn(folder: string): string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return files.filter((file) => file.endsWith('.md')).map((file) => basename(file, '.md'))
  } catch {
    return []
  }
}

/** A role, its agent, and the variables it adds to the agent's environment. */
export interface Employment {
  role: string
  agent: string
  env: Record<string, string>
}

/** The installed built-in agents: their version, their login, and what keeps them from writing as reviewers. */
export async function examineInstalled(
  env: NodeJS.ProcessEnv,
  employments: Employment[],
): Promise<Finding[]> {
  const installed = installedAgents(env.PATH)
  if (installed.length > 0) {
    const rolesOf = ({ name }: Agent) => employments.filter(({ agent }) => agent === name)
    return Promise.all(installed.map((agent) => examineAgent(agent, env, rolesOf(agent))))
  }
  const names = builtInAgents.map(({ name }) => name).join(', ')
  return [fine('agents', `none of ${names} is on the PATH; you can configure any other program`)]
}

async function examineAgent(
  agent: Agent,
  env: NodeJS.ProcessEnv,
  employments: Employment[],
): Promise<Finding> {
  const { name, confinement } = agent
  const path = findProgram(name, env.PATH) ?? name
  const [ran, probed] = await Promise.all([
    tryProgram([path, '--version'], env),
    confinement?.probe ? tryProgram(confinement.probe, env) : null,
  ])
  const version = oneLine(ran?.stdout.toString('utf8').trim().split('\n')[0] ?? '', 60)
  if (ran?.code !== 0 || version === '') {
    return doubtful(name, `${path} --version failed (${reasonOf(ran)})`, `Try it: ${name} --version`)
  }
  const login = examineLogin(agent, env, employments)
  const words = [`${version} at ${path}`, login.text].filter(Boolean)
  if (confinement?.probe && probed?.code !== 0) {
    const text = [...words, `as a reviewer it can't be confined here (${reasonOf(probed)})`].join('; ')
    const fix = `Use another agent as reviewer. To see the error: ${confinement.probe.join(' ')}`
    return doubtful(name, text, login.fix === null ? fix : `${login.fix} ${fix}`)
  }
  const text = [...words, confinement && `as a reviewer it ${confinement.how}`].filter(Boolean).join('; ')
  return login.fix === null ? fine(name, text) : doubtful(name, text, login.fix)
}

/** A role can have its own key in its environment. */
function examineLogin(
  agent: Agent,
  env: NodeJS.ProcessEnv,
  employments: Employment[],
): { text: string; fix: string | null } {
  const look = (own: Record<string, string>) => agent.login?.({ env: { ...env, ...own }, read: readOrNull })
  const everywhere = look({})
  const fix = everywhere?.state === 'out' ? everywhere.fix : null
  const byRole = employments.map(({ role, env: own }) => ({ role, login: look(own) }))
  const without = byRole.filter(({ login }) => login?.state === 'out').map(({ role }) => role)
  if (fix === null || without.length === byRole.length) return { text: loginWords(everywhere), fix }
  const own = byRole.filter(({ role }) => !without.includes(role))
  const text = own.map(({ role, login }) => `as ${role} ${loginWords(login)}`)
  const rest = without.length === 0 ? [] : [`as ${without.join(' and ')} not logged in`]
  return { text: [...text, ...rest].join(', '), fix: without.length === 0 ? null : fix }
}

function loginWords(login: Login | undefined): string {
  switch (login?.state) {
    case 'in':
      return `logged in by ${login.how}`
    case 'out':
      return 'not logged in'
    case 'unknown':
      return `login unknown: ${login.why}`
    case undefined:
      return ''
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
