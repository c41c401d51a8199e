import type { Effort } from '../core/policy/effort.ts'
import type { ApproveBy, Proof, ReviewContext, ReviewTrigger } from '../core/policy/policy.ts'
import type { QuietHours } from '../core/policy/quiet-hours.ts'
import type { Budget } from '../core/schedule/budget.ts'
import type { Role } from '../core/session/session.ts'
import type { TaskType } from '../core/task.ts'
import type { ChannelName } from '../verdicts/channel.ts'

/** All configuration files merged, with defaults filled in. The rest of Umpire reads this. */
export interface Config {
  /** Null if no file names an agent for the role. */
  roles: Record<Role, RoleSettings | null>
  /** By name. The object has no prototype, so it contains only names that a file defines. */
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
  /** Undefined when no file sets it: `resolveCycles` in core/policy/policy.ts decides which setting wins. */
  maxCycles: number | undefined
  effort: Effort | undefined
  parallel: number
  schedule: { avoidConflicts: boolean }
  limits: LimitsConfig
  budget: Budget
  /** Whether approved work stays on its branch or is merged into its base branch. */
  land: 'branch' | 'base'
  vcs: 'auto' | 'git'
  /** The notification channels, without duplicates. */
  notify: NotifyEntry[]
  /** The project's own prompts. */
  templates: Templates
  taskTypes: Partial<Record<TaskType, TypeSettings>>
}

export interface RoleSettings {
  /** The name of one of `agents`. */
  agent: string
  model: string | null
  /** Appended to the agent's own arguments. */
  args: string[]
  /** Overrides the agent's own variables of the same names. */
  env: Record<string, string>
  /** The agent continues its last session of the task instead of starting a fresh one. */
  continueSession: boolean
}

export type AgentDefinition =
  | {
      kind: 'command'
      command: [string, ...string[]]
      prompt: PromptWay
      /** `http`: the program gets the address of the session's MCP server and a token for it. */
      tools: 'none' | 'http'
      env: Record<string, string>
      /** Whether it must run in the sandbox. Without a working sandbox it then does not run. */
      confine: boolean
    }
  /** An agent that speaks the Agent Client Protocol. */
  | {
      kind: 'acp'
      command: [string, ...string[]]
      /** The mode that a developer works in. Null lets Umpire choose a suitable one. */
      mode: string | null
      env: Record<string, string>
      /** Null: use the sandbox if it works and Umpire knows where the agent keeps its own files. */
      confine: boolean | null
    }
  /** `script` is an absolute path. */
  | { kind: 'scripted'; script: string }

/** How Umpire passes the prompt to a program. */
export type PromptWay = 'stdin' | 'argument' | 'file'

export type NotifyEntry = { quiet: QuietHours | null } & (
  | { kind: 'bell' }
  /** A shell runs it. */
  | { kind: 'command'; command: string }
  /** The address may itself be a secret, so only its host is ever shown. */
  | { kind: 'webhook'; url: string }
  | { kind: 'desktop'; sound: boolean }
)

/** Each is null if the project has no such file. */
export interface Templates {
  review: Template | null
  develop: Template | null
}

export interface Template {
  /** Relative to the top of the checkout. */
  file: string
  text: string
}

export interface ReviewSettings {
  enabled: boolean
  trigger: ReviewTrigger
  /** With the trigger `session_idle`: how long a developer must be quiet to count as done. */
  idleAfterMs: number
  /** How the reviewer is asked: `/review-task`, another of the project's prompts, or a command of its agent. */
  command: string
  channels: ChannelName[]
  retries: number
  blind: boolean
  minScore: number
  proof: Proof
  /** Reviewers in addition to the role's own. */
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

/** Settings of one type of task. Undefined ones fall back to the rest of the file. */
export interface TypeSettings {
  autoReview: boolean | undefined
  maxCycles: number | undefined
  effort: Effort | undefined
  model: string | undefined
  reviewModel: string | undefined
  limits: Partial<LimitsConfig>
}
