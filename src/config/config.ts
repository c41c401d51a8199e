import type { Effort } from '../core/policy/effort.ts'
import type { ApproveBy, Proof, ReviewTrigger } from '../core/policy/policy.ts'
import type { QuietHours } from '../core/policy/quiet-hours.ts'
import type { ReviewContext } from '../core/policy/review-context.ts'
import type { Budget } from '../core/schedule/budget.ts'
import type { Role } from '../core/session/session.ts'
import type { TaskType } from '../core/task.ts'
import type { ChannelName } from '../verdicts/channel.ts'

/** What all configuration files say together, with defaults filled in: what the rest of Umpire reads. */
export interface Config {
  /** Null where no file names an agent. */
  roles: Record<Role, RoleSettings | null>
  /** By name; has no prototype, so a name is in it only when a file defines it. */
  agents: Record<string, AgentDefinition>
  develop: { until: 'session_end' | 'claim' }
  maxIterations: number
  review: ReviewSettings
  /** Name to command line, in the order of the files. */
  gates: Record<string, string>
  gate: { baseline: boolean }
  maxGateFailures: number
  /** Paths are relative to the repository, without `.` steps and trailing slashes. */
  worktree: { setup: string[]; copy: string[]; link: string[]; ports: number | null }
  /** Undefined when no file says so: `resolveCycles` in core/limits.ts decides which setting wins. */
  maxCycles: number | undefined
  effort: Effort | undefined
  parallel: number
  schedule: { avoidConflicts: boolean }
  limits: LimitsConfig
  budget: Budget
  /** Approved work stays on its branch, or it is merged into the branch that it is for. */
  land: 'branch' | 'base'
  vcs: 'auto' | 'git'
  /** Ways to reach the person, each named once. */
  notify: NotifyEntry[]
  /** The project's own prompts. */
  templates: Templates
  taskTypes: Partial<Record<TaskType, TypeSettings>>
}

export interface RoleSettings {
  /** The name of one of `agents`. */
  agent: string
  model: string | null
  /** Put after the agent's own arguments. */
  args: string[]
  /** Goes before the agent's own variables of the same names. */
  env: Record<string, string>
  /** A developer goes on with its own session instead of a fresh one. */
  continueSession: boolean
}

export type AgentDefinition =
  | {
      kind: 'command'
      command: [string, ...string[]]
      prompt: PromptWay
      /** `http`: it is told the address of the session's MCP server, and a token for it. */
      tools: 'none' | 'http'
      env: Record<string, string>
      /** It runs in the sandbox or not at all. */
      confine: boolean
    }
  /** An agent that speaks the Agent Client Protocol. */
  | {
      kind: 'acp'
      command: [string, ...string[]]
      /** The mode that a developer works in; null for the one that fits. */
      mode: string | null
      env: Record<string, string>
      /** Null: wherever that works, if it is known where the agent keeps its own. */
      confine: boolean | null
    }
  /** `script` is an absolute path. */
  | { kind: 'scripted'; script: string }

/** How a program gets its prompt. */
export type PromptWay = 'stdin' | 'argument' | 'file'

export type NotifyEntry = { quiet: QuietHours | null } & (
  | { kind: 'bell' }
  /** Run by a shell. */
  | { kind: 'command'; command: string }
  /** The address may itself be a secret: it is shown by its host alone. */
  | { kind: 'webhook'; url: string }
  | { kind: 'desktop'; sound: boolean }
)

/** Null where the project has no such file. */
export interface Templates {
  review: Template | null
  develop: Template | null
}

export interface Template {
  /** From the top of the checkout. */
  file: string
  text: string
}

export interface ReviewSettings {
  enabled: boolean
  trigger: ReviewTrigger
  /** How long a developer is quiet before it counts as done, under the trigger `session_idle`. */
  idleAfterMs: number
  /** How the reviewer is asked: `/review-task`, another of the project's prompts, or a command of its agent. */
  command: string
  channels: ChannelName[]
  retries: number
  blind: boolean
  minScore: number
  proof: Proof
  /** Reviewers beside the role's own. */
  panel: RoleSettings[]
  approveBy: ApproveBy
  context: ReviewContext
}

export interface LimitsConfig {
  developMs: number
  reviewMs: number
  /** For a developer session that answers a review or a failed gate. */
  improveMs: number
  gateMs: number
  idleMs: number
  agentRetries: number
}

/** What one type of task sets for itself; what is undefined is left to the rest of the file. */
export interface TypeSettings {
  autoReview: boolean | undefined
  maxCycles: number | undefined
  effort: Effort | undefined
  model: string | undefined
  reviewModel: string | undefined
  limits: Partial<LimitsConfig>
}
