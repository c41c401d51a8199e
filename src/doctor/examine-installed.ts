/** The installed built-in agents: their version, their login, and what keeps them from writing as reviewers. */
import { readFileSync } from 'node:fs'
import type { Agent, Login } from '../agents/agent.ts'
import { builtInAgents } from '../agents/built-in.ts'
import { installedAgents } from '../app/agents/choose-agent.ts'
import { findProgram } from '../app/agents/find-program.ts'
import { reasonOf, tryProgram } from '../lib/process/try-program.ts'
import { oneLine } from '../lib/text/printable.ts'
import { doubtful, type Finding, fine } from './finding.ts'

/** A role, its agent, and the variables it adds to the agent's environment. */
export interface Employment {
  role: string
  agent: string
  env: Record<string, string>
}

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
      return `perhaps logged in: ${login.why}`
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
