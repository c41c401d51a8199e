/**
 * What follows from a review in plain words: a parser reads it. One that breaks down is started again like any agent, and
 * the reviewer is not paid twice for that. Where no parser gets it read, it was an unreadable review like any other: the
 * reviewer is asked again, told to keep to the form.
 */

import type { Loop } from '../loop.ts'
import { nextTry } from '../policy/failure.ts'
import type { Policy } from '../policy/policy.ts'
import type { ReviewAnswer } from '../review/review-record.ts'
import { fail, recorded, type Step } from '../step.ts'

export function decideParse(loop: Loop, policy: Policy, answer: ReviewAnswer): Step {
  const next = nextTry(loop.turn.tries, policy.agentRetries)
  if (next.kind === 'give-up') {
    const { last } = loop.turn.tries
    // No answer of the reviewer mends that; a person does.
    if (next.reason === 'auth' || last?.retry === 'never')
      return fail(loop, next.reason, `The parser failed: ${next.detail}`)
    return unreadable(answer, next.detail)
  }
  // There is no shorter form of what somebody else said.
  if (next.prompt === 'short') return unreadable(answer, 'the review is too long for it')
  return { do: 'parse', answer, attempt: loop.turn.attempts.parser + 1, notBefore: next.notBefore }
}

function unreadable({ review, cycle, attempt, session, rawOutput }: ReviewAnswer, detail: string): Step {
  const why = `no verdict found, and the parser that was to find one failed: ${detail.replace(/\.$/, '')}`
  return recorded({
    type: 'review.failed',
    data: { review, cycle, attempt, session, cause: 'malformed', why, rawOutput },
  })
}
