/**
 * The review as a JSON Schema, for agents that can be held to one. Strict in the way that model providers want it: every
 * key is required and nothing else is allowed; what does not apply is null.
 */
import { issueTypes, verdicts } from '../core/review.ts'

const orNull = (type: string) => ({ type: [type, 'null'] })

const issue = strict({
  id: orNull('string'),
  file: orNull('string'),
  line: orNull('integer'),
  type: { type: 'string', enum: [...issueTypes] },
  severity: { type: 'string', enum: ['blocking', 'advisory'] },
  description: { type: 'string' },
  suggestion: orNull('string'),
  status: { type: ['string', 'null'], enum: ['resolved', 'open', null] },
})

export const reviewSchema: object = strict({
  verdict: { type: 'string', enum: [...verdicts] },
  summary: { type: 'string' },
  interpretedIntent: { type: 'string' },
  intentSatisfied: { type: 'boolean' },
  issues: { type: 'array', items: issue },
})

function strict(properties: Record<string, object>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
