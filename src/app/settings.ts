/** Turns the configuration files and a run's flags into what a loop asks for. The composition root's larger half. */
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { builtInAgents } from '../agents/built-in.ts'
import { commandAgent, readPlainText } from '../agents/command.ts'
import { scriptedAgent } from '../agents/scripted.ts'
import type { Config, RoleSettings } from '../config/config.ts'
import { type Effort, effortTable } from '../core/effort.ts'
import { NoAgentError } from '../core/errors.ts'
import type { Role } from '../core/event.ts'
import { gatesFor, resolveCycles } from '../core/limits.ts'
import type { Task } from '../core/task.ts'
import { packageFile } from '../lib/package-files.ts'
import type { Cast, Settings } from '../loop/ports.ts'
import type { Channel } from '../verdicts/channel.ts'
import { type ChannelChoice, instructionsFor, judge } from '../verdicts/channels.ts'
import { reviewSchema } from '../verdicts/review-schema.ts'
import { sessionTools } from '../verdicts/session-tools.ts'

export interface SettingsInput {
  config: Config
  /** The checkout in which Umpire was started. */
  root: string
  env: Record<string, string>
  effort: Effort | null
  /** What a program that uses the library brings along. */
  brought?: Brought
}

export interface Brought {
  agents: Agent[]
  /** Asked before the configured ones. */
  channels: Channel[]
}

export const nothingBrought: Brought = { agents: [], channels: [] }

export function createSettings(input: SettingsInput): Settings {
  const { config, env, effort, brought = nothingBrought } = input
  const { review, worktree } = config
  const channels = [...brought.channels, ...review.channels]
  const typeOf = (task: Task) => config.taskTypes[task.type]
  return {
    env,
    setup: worktree.setup,
    copy: worktree.copy,
    link: worktree.link,
    context: review.context,
    instructionsFor: (agent) => instructionsFor(channels.filter((channel) => isUsable(channel, agent))),
    toolServer: (folder) => ({
      name: 'umpire',
      command: process.execPath,
      args: [packageFile('session-tools.js'), folder],
      tools: [...sessionTools],
    }),
    reviewSchema: channels.includes('structured') ? reviewSchema : null,
    judge: (evidence, isLeftOpen) => judge(evidence, channels, { minScore: review.minScore, isLeftOpen }),
    limitsFor(task) {
      const limits = { ...config.limits, ...typeOf(task)?.limits }
      const { developMs, reviewMs, improveMs, gateMs, idleMs } = limits
      return {
        develop: developMs,
        review: reviewMs,
        improve: improveMs,
        gate: gateMs,
        idle: idleMs,
        idleAfter: review.idleAfterMs,
      }
    },
    policyFor(task) {
      const type = typeOf(task)
      const cycles = resolveCycles({
        task,
        run: { effort },
        type: { maxCycles: type?.maxCycles, effort: type?.effort },
        file: { maxCycles: config.maxCycles, effort: config.effort },
      })
      return {
        ...cycles,
        depth: effortTable[cycles.effort].depth,
        reviewed: task.autoReview ?? type?.autoReview ?? review.enabled,
        trigger: review.trigger,
        land: config.land,
        maxIterations: config.maxIterations,
        until: config.develop.until,
        gates: gatesFor(task, config.gates),
        baseline: config.gate.baseline,
        maxGateFailures: config.maxGateFailures,
        reviewRetries: review.retries,
        agentRetries: type?.limits.agentRetries ?? config.limits.agentRetries,
        minScore: review.minScore,
      }
    },
    cast: (role, task) => castRole(role, task, input),
    readerFor: (name) => (isKnown(name, input) ? findAgent(name, input) : { read: readPlainText }),
  }
}

/** Who plays the role: the task's own wish before the configured one, model by model. */
function castRole(role: Role, task: Task, input: AgentsInput): Cast {
  const { config } = input
  const configured = config.roles[role]
  const wished = role === 'developer' ? task.agent : task.reviewer
  const name = wished ?? configured?.agent
  if (!name) {
    throw new NoAgentError(
      `No agent is configured as ${role}.`,
      `Set roles.${role} in umpire.yaml, or name one for the task: umpire edit ID --${role === 'developer' ? 'agent' : 'reviewer'} NAME.`,
    )
  }
  const type = config.taskTypes[task.type]
  const ownModel = role === 'developer' ? task.model : task.reviewModel
  const typeModel = role === 'developer' ? type?.model : type?.reviewModel
  // Arguments, environment and model of a role were written for the agent named beside them.
  const same: RoleSettings | null = configured?.agent === name ? configured : null
  return {
    agent: findAgent(name, input),
    model: ownModel ?? typeModel ?? same?.model ?? null,
    args: same?.args ?? [],
    env: { ...agentEnv(name, config), ...same?.env },
    continueSession: same?.continueSession ?? false,
  }
}

type AgentsInput = Pick<SettingsInput, 'config' | 'root' | 'brought'>

function isKnown(name: string, { config, brought = nothingBrought }: AgentsInput): boolean {
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
    const known =
      [...Object.keys(config.agents), ...brought.agents.map((agent) => agent.name)].join(', ') || 'none'
    throw new NoAgentError(
      `There is no agent ${JSON.stringify(name)}.`,
      `Define it under agents in umpire.yaml; known: ${known}.`,
    )
  }
  switch (definition.kind) {
    case 'scripted':
      return scriptedAgent(name, definition.script)
    case 'command':
      return commandAgent(name, {
        command: fromCheckout(definition.command, root),
        prompt: definition.prompt,
      })
  }
}

function agentEnv(name: string, config: Config): Record<string, string> {
  const definition = config.agents[name]
  return definition?.kind === 'command' ? definition.env : {}
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

/** A reviewer is told only of what it can do. Its answer is read by every channel all the same. */
function isUsable(channel: ChannelChoice, { abilities }: Agent): boolean {
  return channel !== 'structured' || (abilities?.includes('structured') ?? false)
}
