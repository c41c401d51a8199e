/** Turns the configuration files and the flags of a run into the settings of a loop. The larger half of the composition root. */
import { readPlainText } from '../agents/command.ts'
import { configFiles } from '../config/config-files.ts'
import { effortTable } from '../core/policy/effort.ts'
import { gatesFor, resolveCycles } from '../core/policy/policy.ts'
import { toolServerName } from '../core/session/tool-request.ts'
import type { Task } from '../core/task.ts'
import { packageFile } from '../lib/file/package-files.ts'
import type { Settings } from '../loop/ports.ts'
import { toolsFor } from '../verdicts/tool-names.ts'
import {
  castRole,
  castSeat,
  findAgent,
  isKnown,
  nothingBrought,
  type SettingsInput,
} from './agents/cast-roles.ts'
import { reviewSettings } from './review-settings.ts'

export function createSettings(input: SettingsInput): Settings {
  const { config, env, effort, brought = nothingBrought } = input
  const { review, worktree } = config
  const channels = [...brought.channels, ...review.channels]
  const typeOf = (task: Task) => config.taskTypes[task.type]
  return {
    env,
    files: configFiles({ root: input.root, env }),
    avoidConflicts: config.schedule.avoidConflicts,
    setup: worktree.setup,
    copy: worktree.copy,
    link: worktree.link,
    networkPorts: worktree.ports,
    budget: { ...config.budget, run: input.budget ?? config.budget.run },
    context: review.context,
    developTemplate: config.templates.develop?.text ?? null,
    ...reviewSettings(config, channels),
    toolServer: (folder, role) => ({
      name: toolServerName,
      command: process.execPath,
      args: [packageFile('session-tools.js'), folder],
      tools: toolsFor(role, channels.includes('tool') ? 'taken' : 'not taken'),
    }),
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
        checkpointEvery: effortTable[cycles.effort].checkpointEvery,
        seats: 1 + review.panel.length,
        approveBy: review.approveBy,
        proof: review.proof,
      }
    },
    cast: (role, task, seat = 1) => (seat > 1 ? castSeat(seat, input) : castRole(role, task, input)),
    readerFor: (name) => (isKnown(name, input) ? findAgent(name, input) : { read: readPlainText }),
  }
}
