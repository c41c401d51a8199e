/**
 * The review as JSON Schemas, from one table of its keys: for agents whose answer can be held to one, and for the tool by
 * which a review is handed in. What is read, and how strictly, is said in `review-shape.ts` alone.
 */
import { issueTypes, verdicts } from '../../core/review/review.ts'

/** Said by a parser instead of a verdict. It is none, so that nothing can come of it. */
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
 * Strict in the way that model providers want it: every key is required and nothing else is allowed, so that keys with
 * names of the reviewer's own have no place; what does not apply is null.
 */
export const reviewSchema: object = answerSchema(
  pick(reviewKeys, ['verdict', 'summary', 'interpretedIntent', 'intentSatisfied']),
)

/** For an agent that only reads what somebody else said: it may find no verdict in it, and nothing of the intent. */
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

/** The arguments of the tool: every key that is read. One type each, because some agents stumble over a choice of types. */
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
