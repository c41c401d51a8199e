import { dirname, resolve as resolvePath } from 'node:path'
import { usualCommand } from '../core/policy/review-command.ts'
import { plainCheckoutPath } from './checkout-path.ts'
import type {
  AgentDefinition,
  Config,
  LimitsConfig,
  ReviewSettings,
  RoleSettings,
  Templates,
  TypeSettings,
} from './config.ts'
import { resolveEntry } from './notify-entry.ts'
import type { FileConfig } from './schema.ts'
import { nodeAt, type SourceNode } from './yaml/source-tree.ts'

const minute = 60_000

/** Fills in the defaults. All values are already checked. `root` says in which file a path was written. */
export function resolveConfig(file: FileConfig, root: SourceNode, templates: Templates): Config {
  return {
    roles: {
      developer: resolveRole(file.roles?.developer),
      reviewer: resolveRole(file.roles?.reviewer),
      parser: resolveRole(file.roles?.parser),
      resolver: resolveRole(file.roles?.resolver),
    },
    agents: resolveAgents(file, root),
    develop: { until: file.develop?.until ?? 'session_end' },
    maxIterations: file.max_iterations ?? 20,
    review: resolveReview(file.review),
    gates: file.gates ?? {},
    gate: { baseline: file.gate?.baseline ?? true },
    maxGateFailures: file.max_gate_failures ?? 3,
    worktree: {
      setup: file.worktree?.setup ?? [],
      copy: (file.worktree?.copy ?? []).map(plainCheckoutPath),
      link: (file.worktree?.link ?? []).map(plainCheckoutPath),
      ports: file.worktree?.ports ?? null,
    },
    maxCycles: file.max_cycles,
    effort: file.effort,
    parallel: file.parallel ?? 2,
    schedule: { avoidConflicts: file.schedule?.avoid_conflicts ?? true },
    limits: { ...defaultLimits, ...resolveLimits(file.limits) },
    budget: { task: file.budget?.task ?? null, run: file.budget?.run ?? null, day: file.budget?.day ?? null },
    land: file.land ?? 'branch',
    vcs: file.vcs ?? 'auto',
    notify: (file.notify ?? []).flatMap((entry) => resolveEntry(entry) ?? []),
    templates,
    taskTypes: resolveTypes(file.task_types),
  }
}

export const defaultIdleAfterMs = 2 * minute
export const defaultMinScore = 70

export const defaultLimits: LimitsConfig = {
  developMs: 60 * minute,
  reviewMs: 10 * minute,
  improveMs: 30 * minute,
  gateMs: 10 * minute,
  idleMs: 10 * minute,
  agentRetries: 2,
}

function resolveLimits(limits: FileConfig['limits']): Partial<LimitsConfig> {
  return {
    ...(limits?.develop !== undefined && { developMs: limits.develop }),
    ...(limits?.review !== undefined && { reviewMs: limits.review }),
    ...(limits?.improve !== undefined && { improveMs: limits.improve }),
    ...(limits?.gate !== undefined && { gateMs: limits.gate }),
    ...(limits?.idle !== undefined && { idleMs: limits.idle }),
    ...(limits?.agent_retries !== undefined && { agentRetries: limits.agent_retries }),
  }
}

function resolveReview(review: FileConfig['review']): ReviewSettings {
  const context = review?.context
  return {
    enabled: review?.enabled ?? true,
    trigger: review?.trigger ?? 'script_completion',
    idleAfterMs: review?.idle_after ?? defaultIdleAfterMs,
    command: review?.command ?? usualCommand,
    channels: review?.channels ?? ['tool', 'structured', 'json', 'verdict-line', 'marker'],
    retries: review?.retries ?? 1,
    blind: review?.blind ?? true,
    minScore: review?.min_score ?? defaultMinScore,
    proof: review?.proof ?? 'prefer',
    panel: (review?.panel ?? []).flatMap((seat) => resolveRole(seat) ?? []),
    approveBy: review?.approve_by ?? 'all',
    context: {
      taskDefinition: context?.task_definition ?? true,
      gitDiff: context?.git_diff ?? true,
      testResults: context?.test_results ?? true,
      lintResults: context?.lint_results ?? false,
      sessionLog: context?.session_log ?? false,
      plan: context?.plan ?? true,
    },
  }
}

function resolveRole(role: NonNullable<FileConfig['roles']>['developer']): RoleSettings | null {
  if (role?.agent === undefined) return null
  return {
    agent: role.agent,
    model: role.model ?? null,
    args: role.args ?? [],
    env: role.env ?? {},
    continueSession: role.continue_session ?? false,
  }
}

function resolveAgents({ agents = {} }: FileConfig, root: SourceNode): Record<string, AgentDefinition> {
  const resolved: Record<string, AgentDefinition> = Object.create(null)
  for (const [name, definition] of Object.entries(agents)) {
    const { agent, mode, command, prompt, tools, env = {}, confine, script } = definition
    const [program, ...rest] = command ?? []
    if (program !== undefined && agent === 'acp') {
      const argv: [string, ...string[]] = [program, ...rest]
      resolved[name] = { kind: 'acp', command: argv, mode: mode ?? null, env, confine: confine ?? null }
    } else if (program !== undefined) {
      resolved[name] = {
        kind: 'command',
        command: [program, ...rest],
        prompt: prompt ?? 'stdin',
        tools: tools ?? 'none',
        env,
        confine: confine ?? false,
      }
    } else if (script !== undefined) {
      const writtenIn = nodeAt(root, ['agents', name, 'script'])?.file ?? root.file
      resolved[name] = { kind: 'scripted', script: resolvePath(dirname(writtenIn), script) }
    }
  }
  return resolved
}

function resolveTypes({ implement, improve, review }: FileConfig['task_types'] = {}): Config['taskTypes'] {
  return {
    ...(implement && { implement: resolveType(implement) }),
    ...(improve && { improve: resolveType(improve) }),
    ...(review && { review: resolveType(review) }),
  }
}

type FileType = NonNullable<NonNullable<FileConfig['task_types']>['implement']>

function resolveType(type: FileType): TypeSettings {
  return {
    autoReview: type.auto_review,
    maxCycles: type.max_cycles,
    effort: type.effort,
    model: type.model,
    reviewModel: type.review_model,
    limits: resolveLimits(type.limits),
  }
}
