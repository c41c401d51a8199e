/**
 * The review as JSON Schemas, built from one table of its keys: for agents whose answer can be forced into a schema, and for
 * the tool that hands in a review. Only `parse-review.ts` decides what is read, and how strictly.
 */
import { issueTypes, verdicts } from '../../core/review/review.ts'

/** A parser's answer if it finds no verdict. It is not a verdict itself, so that it can never approve anything. */
export const unclear = 'UNCLEAR'

interface Property {
  type: string
  description: string
  enum?: string[]
  minimum?: number
  items?: object
  additionalProperties?: object
}

const issueKeys = {
  id: { type: 'string', description: 'For an issue of an earlier review: its number.' },
  file: { type: 'string', description: 'The file it is in, relative to the top of the repository.' },
  line: { type: 'integer', minimum: 1, description: 'The line it is on, in the new version of the file.' },
  section: { type: 'string', description: 'The section of a document that it is in.' },
  type: { type: 'string', enum: [...issueTypes], description: 'What kind of issue it is.' },
  severity: {
    type: 'string',
    enum: ['blocking', 'advisory'],
    description:
      '"blocking" if the work cannot be approved with this issue. An approval has no blocking issue.',
  },
  description: { type: 'string', description: 'What is wrong, and how it shows.' },
  suggestion: { type: 'string', description: 'What would fix it.' },
  witness: {
    type: 'array',
    items: { type: 'string' },
    description: 'A command, as a list of arguments, that fails as long as the issue exists.',
  },
  status: {
    type: 'string',
    enum: ['resolved', 'open'],
    description: 'For an issue of an earlier review: whether it is resolved or still open.',
  },
} satisfies Record<string, Property>

const reviewKeys = {
  verdict: { type: 'string', enum: [...verdicts], description: 'Your judgement.' },
  passed: { type: 'boolean', description: 'Only instead of a verdict: whether you approve.' },
  summary: { type: 'string', description: 'What you found, in one or two sentences.' },
  interpretedIntent: { type: 'string', description: 'What the task is for, as you understand it.' },
  intentSatisfied: { type: 'boolean', description: 'Whether the work does what the task is for.' },
  scores: {
    type: 'object',
    additionalProperties: { type: 'number', minimum: 0, maximum: 100 },
    description: 'Scores from 0 to 100 under names that you choose.',
  },
  blocking: { type: 'boolean', description: 'True if a person must decide before the work continues.' },
} satisfies Record<string, Property>

/**
 * Strict in the way that model providers want it: every key is required and no others are allowed, so `scores` with names
 * of the reviewer's own choice is left out. A key that does not apply is null.
 */
export const reviewSchema: object = answerSchema(
  pick(reviewKeys, ['verdict', 'summary', 'interpretedIntent', 'intentSatisfied']),
)

/** For the parser, which only reads a reviewer's text: the text may contain no verdict and nothing about the intent. */
export const parserSchema: object = answerSchema({
  verdict: { ...reviewKeys.verdict, enum: [...verdicts, unclear] },
  summary: reviewKeys.summary,
  ...orNull(pick(reviewKeys, ['interpretedIntent', 'intentSatisfied'])),
})

function answerSchema(properties: Record<string, object>): object {
  return strict({
    ...properties,
    issues: {
      type: 'array',
      items: strict({
        ...orNull(pick(issueKeys, ['id', 'file', 'line', 'suggestion', 'witness', 'status'])),
        ...pick(issueKeys, ['type', 'severity', 'description']),
      }),
    },
  })
}

/** The arguments of the tool: every key that is read, with one type each, because some agents fail on a choice of types. */
export const reviewArguments = {
  type: 'object' as const,
  properties: {
    ...reviewKeys,
    issues: {
      type: 'array',
      description: 'All that you found. May be empty in an approval.',
      items: {
        type: 'object',
        properties: issueKeys,
      },
    },
    loopId: { type: 'string', description: 'The loop of this session; it may be left out.' },
    taskId: { type: 'integer', description: 'The task of this session; it may be left out.' },
  },
}

function strict(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function pick<T extends object, K extends keyof T>(from: T, keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
}

function orNull(properties: Record<string, Property>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, { type, enum: words, ...rest }]) => [
      key,
      { ...rest, type: [type, 'null'], ...(words ? { enum: [...words, null] } : {}) },
    ]),
  )
}

/**
 * Removes the keys whose value is null, at every depth. An agent that must fill in every key uses null for a key that does
 * not apply. A null verdict is kept, so that it is read as an error.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => each !== null || key === 'verdict')
      .map(([key, each]) => [key, withoutNulls(each)]),
  )
}
