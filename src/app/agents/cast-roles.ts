/** Which agent, with which model and arguments, plays which role, and whether it runs in the sandbox. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { acpAgent, knownBehind } from '../../agents/acp.ts'
import type { Agent } from '../../agents/agent.ts'
import { builtInAgents } from '../../agents/built-in.ts'
import { commandAgent } from '../../agents/command.ts'
import { scriptedAgent } from '../../agents/scripted.ts'
import type { Config, RoleSettings } from '../../config/config.ts'
import { nearest } from '../../config/yaml/problem.ts'
import { NoAgentError } from '../../core/errors.ts'
import type { Effort } from '../../core/policy/effort.ts'
import type { Role } from '../../core/session/session.ts'
import type { Task } from '../../core/task.ts'
import type { Cast, Confine } from '../../loop/ports.ts'
import type { Channel } from '../../verdicts/channel.ts'
import { installedAgents, toInstall } from './choose-agent.ts'

export interface SettingsInput {
  config: Config
  /** The checkout in which Umpire was started. */
  root: string
  env: Record<string, string>
  effort: Effort | null
  /** The most this run may cost in dollars. Overrides the configuration file. */
  budget?: number | null
  /** Agents and channels from a program that uses the library. */
  brought?: Brought
}

export interface Brought {
  agents: Agent[]
  /** Read before the configured channels. */
  channels: Channel[]
}

export const nothingBrought: Brought = { agents: [], channels: [] }

/** Chooses the agent for a role. The task's own agent and model come before the configured ones. */
export function castRole(role: Role, task: Task, input: SettingsInput): Cast {
  const { config } = input
  const configured = config.roles[role]
  // A reviewer can also parse reviews, and does not need its best model for that.
  if (role === 'parser' && !configured)
    return { ...castRole('reviewer', task, input), model: null, continueSession: false }
  if (role === 'resolver' && !configured)
    return { ...castRole('developer', task, input), continueSession: false }
  const wished = { developer: task.agent, reviewer: task.reviewer, parser: null, resolver: null }[role]
  const name = wished ?? configured?.agent ?? defaultAgent(input.env)
  if (!name) {
    throw new NoAgentError(
      `No agent is configured for the role ${role}.`,
      toInstall(
        `set roles.${role} in umpire.yaml, or name one for the task: umpire edit ID --${role === 'developer' ? 'agent' : 'reviewer'} NAME.`,
      ),
    )
  }
  const type = config.taskTypes[task.type]
  const ownModel = { developer: task.model, reviewer: task.reviewModel, parser: null, resolver: null }[role]
  const typeModel = { developer: type?.model, reviewer: type?.reviewModel, parser: null, resolver: null }[
    role
  ]
  // The arguments, environment and model of a role apply only to the agent that is configured with them.
  const same: RoleSettings | null = configured?.agent === name ? configured : null
  return {
    agent: findAgent(name, input),
    model: ownModel ?? typeModel ?? same?.model ?? null,
    args: same?.args ?? [],
    env: { ...agentEnv(name, config), ...same?.env },
    continueSession: same?.continueSession ?? false,
    confine: confineOf(name, role, input),
  }
}

/** Chooses one of the additional reviewers of a panel. A task's own agent and model apply only to the first. */
export function castSeat(seat: number, input: SettingsInput): Cast {
  const { config } = input
  const settings = config.review.panel[seat - 2]
  if (!settings)
    throw new NoAgentError(
      `There is no seat ${seat} in review.panel.`,
      'Add a reviewer to review.panel in umpire.yaml.',
    )
  const { agent: name, model, args, env, continueSession } = settings
  return {
    agent: findAgent(name, input),
    model,
    args,
    env: { ...agentEnv(name, config), ...env },
    continueSession,
    confine: confineOf(name, 'reviewer', input),
  }
}

/** A person's own agents, and agents from a library program, run in the sandbox only if the person asks for it. */
export function confineOf(
  name: string,
  role: Role,
  { config, brought = nothingBrought }: AgentsInput,
): Confine {
  if (brought.agents.some((agent) => agent.name === name)) return 'never'
  const definition = config.agents[name]
  if (!definition) return 'where it works'
  if (definition.kind === 'scripted') return 'never'
  if (definition.confine !== null) return definition.confine ? 'always' : 'never'
  if (knownBehind(definition.command)) return 'where it works'
  // Umpire does not know where other agents keep their logins and sessions, which a developer may have to renew. An agent
  // that only reads can do without that, and the protocol alone keeps it from writing only if it asks for permission.
  return definition.kind === 'acp' && role !== 'developer' && role !== 'resolver' ? 'where it works' : 'never'
}

/** The agent for a role that is not configured: the first installed built-in agent. */
export function defaultAgent(env: Record<string, string | undefined>): string | null {
  return installedAgents(env.PATH)[0]?.name ?? null
}

export type AgentsInput = Pick<SettingsInput, 'config' | 'root' | 'brought'>

export function isKnown(name: string, { config, brought = nothingBrought }: AgentsInput): boolean {
  const named = [...brought.agents, ...builtInAgents]
  return config.agents[name] !== undefined || named.some((agent) => agent.name === name)
}

export function findAgent(name: string, { config, root, brought = nothingBrought }: AgentsInput): Agent {
  const own = brought.agents.find((agent) => agent.name === name)
  if (own) return own
  const definition = config.agents[name]
  const builtIn = builtInAgents.find((agent) => agent.name === name)
  if (!definition && builtIn) return builtIn
  if (!definition) {
    const named = [...brought.agents, ...builtInAgents].map((agent) => agent.name)
    const known = [...Object.keys(config.agents), ...named]
    const meant = nearest(name, known)
    throw new NoAgentError(
      `There is no agent ${JSON.stringify(name)}.`,
      `${meant === null ? '' : `Did you mean ${meant}? `}Define it under agents in umpire.yaml; known: ${known.join(', ')}.`,
    )
  }
  switch (definition.kind) {
    case 'scripted':
      return scriptedAgent(name, definition.script)
    case 'acp':
      return acpAgent(name, { command: fromCheckout(definition.command, root), mode: definition.mode })
    case 'command':
      return commandAgent(name, {
        command: fromCheckout(definition.command, root),
        prompt: definition.prompt,
        tools: definition.tools,
      })
  }
}

function agentEnv(name: string, config: Config): Record<string, string> {
  const definition = config.agents[name]
  return definition && 'env' in definition ? definition.env : {}
}

export const interpreters = /^(node|nodejs|bun|deno|tsx|python[\d.]*|ruby|perl|php|bash|dash|zsh|sh)$/

/**
 * A program named by a path relative to the repository is taken from the checkout in which Umpire was started, never
 * from the worktree that an agent can write to: a developer must not be able to rewrite its reviewer.
 */
export function fromCheckout(command: [string, ...string[]], root: string): [string, ...string[]] {
  const [program, ...rest] = command
  const absolute = program.includes('/') ? resolve(root, program) : program
  const script = rest.findIndex((argument) => !argument.startsWith('-'))
  const path = rest[script]
  if (path && interpreters.test(basename(program)) && existsSync(join(root, path)))
    rest[script] = resolve(root, path)
  return [absolute, ...rest]
}
