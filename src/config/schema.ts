/**
 * The keys of `umpire.yaml` and what may stand behind each. Everything is optional here, because a layer may say any
 * part of it; what must be there after the merge is checked in `cross-check.ts`, defaults are filled in by
 * `resolve.ts`. What is not available yet is in `not-yet.ts` and appears here when it works.
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

/** Goes to the system as a word of a command line or an environment, which a NUL would cut off. */
const text = z.string(textRule).refine((value) => value.trim() !== '' && !value.includes('\0'), textRule)

/** Ends in messages, files and on screens as one word of a line. */
const name = z
  .string()
  .refine(
    (value) =>
      value.trim() === value && value !== '' && value.length <= 100 && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(value),
    'is no name: it must not be empty, begin or end with a space, hold control characters or be longer than 100',
  )

/** JavaScript puts keys that are numbers first; gates run in the order of the file. A task's own are `backpressure`. */
const gateName = name
  .refine((value) => !/^\d+$/.test(value), 'the name of a gate cannot be a number')
  .refine(
    (value) => !/^backpressure(-\d+)?$/.test(value),
    "is the name of a task's own gates; choose another",
  )

const envRule = 'must be text (put numbers and true or false in quotes)'
const envName = z
  .string()
  .refine((value) => /^[^=\s\p{Cc}]+$/u.test(value), 'is no name for an environment variable')
  .refine((value) => !/^UMPIRE_/.test(value), 'variables that begin with UMPIRE_ are set by Umpire itself')

/** Unlike an argument, a variable may well be empty. */
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
  'must be a command, as /review-task: a slash, a name, and what follows it on the same line'
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
  /** It goes on with its own last session of a task instead of a fresh one. */
  continue_session: flag.optional(),
})

/** Either a program of the person's own (`command`), or a built-in agent with settings (`agent`). */
const agent = z.strictObject(
  {
    command: argv.optional(),
    prompt: choice(['stdin', 'argument', 'file']).optional(),
    /** Whether the program is given the session's MCP server, and how. */
    tools: choice(['none', 'http']).optional(),
    env: env.optional(),
    /** Put into the sandbox, without which it then does not run. */
    confine: flag.optional(),
    agent: choice(['acp', 'scripted']).optional(),
    /** The mode that a developer works in; modes are what an ACP agent calls so. */
    mode: text.optional(),
    script: text.optional(),
  },
  'must be a mapping: { command: [program, argument, …], prompt: stdin }',
)

const approveRule = 'must be all, any or { quorum: NUMBER }, a number from 1 to 9'
/** One rule for all its forms, because which of them was meant is not to be told from a wrong one. */
const approveBy = z.custom<ApproveBy>((value) => {
  if (value === 'all' || value === 'any') return true
  if (typeof value !== 'object' || value === null || !('quorum' in value)) return false
  const { quorum } = value
  return (
    Object.keys(value).length === 1 && Number.isInteger(quorum) && Number(quorum) >= 1 && Number(quorum) <= 9
  )
}, approveRule)

/** Dollars. Nothing could be done for none. */
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

/** What a type of task on which a developer works may set for itself. */
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
    /** Under the trigger `session_idle`: how long a developer must be quiet, its files unchanged, to count as done. */
    idle_after: duration.optional(),
    /** How the reviewer is asked. */
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
    /** More reviewers beside the role's own. */
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
    /** How many network ports each loop has for itself. */
    ports: whole(1, 1000).optional(),
  }),
  max_cycles: maxCycles,
  effort,
  parallel: whole(1, 100).optional(),
  /** What is likely to conflict with what runs waits for it. */
  schedule: section({ avoid_conflicts: flag.optional() }),
  limits,
  budget: section({ task: money.optional(), run: money.optional(), day: money.optional() }),
  land: choice(['branch', 'base']).optional(),
  vcs: choice(['auto', 'git']).optional(),
  notify: notifyEntries.optional(),
  task_types: section({
    implement: section(workType),
    improve: section(workType),
    // It only looks: nobody develops, and there is nothing to go round for.
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

/** What the files say together, checked but without defaults. */
export type FileConfig = z.output<typeof fileSchema>
