/**
 * The keys of `umpire.yaml` and their allowed values. Everything is optional here, because a layer may set any part of
 * it. `cross-check.ts` checks what must be there after the merge, and `resolve-config.ts` fills in defaults. Keys that
 * are not available yet are in `check-layer.ts`.
 */
import * as z from 'zod'
import { efforts } from '../core/policy/effort.ts'
import { type ApproveBy, proofs, reviewTriggers } from '../core/policy/policy.ts'
import { parseCommand } from '../core/policy/review-command.ts'
import type { ChannelName } from '../verdicts/channel.ts'
import { checkoutPathFault } from './checkout-path.ts'
import { durationRule, parseDuration } from './duration.ts'
import { notifyEntries } from './notify-entry.ts'

const channels = [
  'tool',
  'structured',
  'json',
  'verdict-line',
  'marker',
  'parser',
] as const satisfies ChannelName[]

const flag = z.boolean('must be true or false')

function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const bound = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  const rule = `must be a whole number ${bound}`
  return z.int(rule).min(least, rule).max(most, rule)
}

function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`)
}

const textRule = 'must be text that is not empty (put numbers and true or false in quotes)'

/** Becomes a word of a command line or an environment variable, which a NUL would cut off. */
const text = z.string(textRule).refine((value) => value.trim() !== '' && !value.includes('\0'), textRule)

/** Appears in messages, files and on screens as one word of a line. */
const name = z
  .string()
  .refine(
    (value) =>
      value.trim() === value && value !== '' && value.length <= 100 && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(value),
    'is not a valid name: it must not be empty, begin or end with a space, contain control characters or be longer than 100',
  )

/**
 * Gates run in the order of the file, but JavaScript puts numeric keys first, so numbers are refused. `backpressure` is
 * the name of a task's own gates.
 */
const gateName = name
  .refine((value) => !/^\d+$/.test(value), 'the name of a gate cannot be a number')
  .refine(
    (value) => !/^backpressure(-\d+)?$/.test(value),
    "is reserved for a task's own gates; choose another name",
  )

const envRule = 'must be text (put numbers and true or false in quotes)'
const envName = z
  .string()
  .refine((value) => /^[^=\s\p{Cc}]+$/u.test(value), 'is not a valid name for an environment variable')
  .refine(
    (value) => !/^UMPIRE_/.test(value),
    'is reserved: Umpire sets the variables that begin with UMPIRE_',
  )

/** Unlike an argument, a variable may be empty. */
const env = z.record(
  envName,
  z.string(envRule).refine((value) => !value.includes('\0'), envRule),
  'must be a mapping of variables to text',
)

const texts = z.array(text, 'must be a list of text')

const argvRule = 'must be a list that begins with a program: [program, argument, …]'
const argv = z.array(text, argvRule).min(1, argvRule)

const duration = z.string(durationRule).transform((value, context) => {
  const ms = parseDuration(value)
  if (ms !== null) return ms
  context.addIssue({ code: 'custom', message: durationRule })
  return z.NEVER
})

const commandRule =
  'must be a command such as /review-task: a slash, a name, and optional arguments on the same line'
const command = z.string(commandRule).refine((value) => parseCommand(value) !== null, commandRule)

const checkoutPath = z.string('must be a path').superRefine((value, context) => {
  const fault = checkoutPathFault(value)
  if (fault) context.addIssue({ code: 'custom', message: fault })
})

function section<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, 'must be a mapping').optional()
}

const playing = {
  agent: text.optional(),
  model: text.optional(),
  args: texts.optional(),
  env: env.optional(),
}

/** An agent's name alone is short for `{ agent: NAME }`. */
function role<T extends z.core.$ZodLooseShape>(shape: T) {
  const keys = Object.keys(shape).join(', ')
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? { agent: value } : value),
      z.strictObject(shape, `must be an agent's name or a mapping: { ${keys} }`),
    )
    .optional()
}

const goingOn = role({
  ...playing,
  /** The agent continues its last session of a task instead of starting a fresh one. */
  continue_session: flag.optional(),
})

/** Either the user's own program (`command`), or a built-in kind of agent with settings (`agent`). */
const agent = z.strictObject(
  {
    command: argv.optional(),
    prompt: choice(['stdin', 'argument', 'file']).optional(),
    /** Whether and how the program gets the session's MCP server. */
    tools: choice(['none', 'http']).optional(),
    env: env.optional(),
    /** Runs the program in the sandbox. Without a working sandbox it then does not run. */
    confine: flag.optional(),
    agent: choice(['acp', 'scripted']).optional(),
    /** The mode that a developer works in, by the name that the ACP agent uses. */
    mode: text.optional(),
    script: text.optional(),
  },
  'must be a mapping: { command: [program, argument, …], prompt: stdin }',
)

const approveRule = 'must be all, any or { quorum: NUMBER }, a number from 1 to 9'
/** One rule for all forms, because a wrong value does not show which form was meant. */
const approveBy = z.custom<ApproveBy>((value) => {
  if (value === 'all' || value === 'any') return true
  if (typeof value !== 'object' || value === null || !('quorum' in value)) return false
  const { quorum } = value
  return (
    Object.keys(value).length === 1 && Number.isInteger(quorum) && Number(quorum) >= 1 && Number(quorum) <= 9
  )
}, approveRule)

/** Dollars. With a budget of 0 nothing could run. */
const moneyRule = 'must be a number of dollars above 0'
const money = z.number(moneyRule).positive(moneyRule)

const limits = section({
  develop: duration.optional(),
  review: duration.optional(),
  /** A developer session that answers a review or a failed gate. */
  improve: duration.optional(),
  gate: duration.optional(),
  idle: duration.optional(),
  agent_retries: whole(0, 10).optional(),
})

const maxCycles = whole(1).optional()
const effort = choice(efforts).optional()

/** Settings of a task type that has a developer. */
const workType = {
  auto_review: flag.optional(),
  max_cycles: maxCycles,
  effort,
  model: text.optional(),
  review_model: text.optional(),
  limits,
}

export const fileSchema = z.strictObject({
  roles: section({ developer: goingOn, reviewer: goingOn, parser: role(playing), resolver: role(playing) }),
  agents: z.record(name, agent, 'must be a mapping of names to agents').optional(),
  develop: section({ until: choice(['session_end', 'claim']).optional() }),
  max_iterations: whole(1).optional(),
  review: section({
    enabled: flag.optional(),
    trigger: choice(reviewTriggers).optional(),
    /** With the trigger `session_idle`: how long a developer must be quiet, with unchanged files, to count as done. */
    idle_after: duration.optional(),
    /** The command that asks the reviewer. */
    command: command.optional(),
    channels: z
      .array(choice(channels), 'must be a list of channels')
      .min(1, 'must name at least one channel')
      .refine((list) => new Set(list).size === list.length, 'names a channel twice')
      .optional(),
    retries: whole(0, 10).optional(),
    blind: flag.optional(),
    min_score: whole(0, 100).optional(),
    /** Whether a finding has to be proven by its witness. */
    proof: choice(proofs).optional(),
    /** More reviewers in addition to the role's own. */
    panel: z
      .array(role(playing).unwrap(), 'must be a list of reviewers: [{ agent: NAME }]')
      .max(8, 'names more than 8 reviewers')
      .optional(),
    /** How many of them must approve. */
    approve_by: approveBy.optional(),
    context: section({
      task_definition: flag.optional(),
      git_diff: flag.optional(),
      /** The output of the gate named `test`. */
      test_results: flag.optional(),
      /** The output of the gate named `lint`. */
      lint_results: flag.optional(),
      session_log: flag.optional(),
      plan: flag.optional(),
    }),
  }),
  gates: z.record(gateName, text, 'must be a mapping of names to commands').optional(),
  gate: section({ baseline: flag.optional() }),
  max_gate_failures: whole(1).optional(),
  worktree: section({
    setup: texts.optional(),
    copy: z.array(checkoutPath, 'must be a list of paths').optional(),
    link: z.array(checkoutPath, 'must be a list of paths').optional(),
    /** How many network ports each loop gets for itself. */
    ports: whole(1, 1000).optional(),
  }),
  max_cycles: maxCycles,
  effort,
  parallel: whole(1, 100).optional(),
  /** A task that is likely to conflict with a running task waits for it. */
  schedule: section({ avoid_conflicts: flag.optional() }),
  limits,
  budget: section({ task: money.optional(), run: money.optional(), day: money.optional() }),
  land: choice(['branch', 'base']).optional(),
  vcs: choice(['auto', 'git']).optional(),
  notify: notifyEntries.optional(),
  task_types: section({
    implement: section(workType),
    improve: section(workType),
    // A review task has no developer and no further cycles.
    review: section({
      effort,
      review_model: text.optional(),
      limits: section({
        review: duration.optional(),
        gate: duration.optional(),
        idle: duration.optional(),
        agent_retries: whole(0, 10).optional(),
      }),
    }),
  }),
})

/** All files merged and checked, without defaults. */
export type FileConfig = z.output<typeof fileSchema>
