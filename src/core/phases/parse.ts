/**
 * A review in plain words goes to a parser agent. A parser that fails is retried like any agent, so that the reviewer
 * need not be paid twice. If no parser can read the review, it counts as unreadable: the reviewer is asked again and told
 * to keep to the form.
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
    // Asking the reviewer again would not help. Only a person can fix this.
    if (next.reason === 'auth' || last?.retry === 'never')
      return fail(loop, next.reason, `The parser failed: ${next.detail}`)
    return unreadable(answer, next.detail)
  }
  // The prompt is the reviewer's own text, which can't be shortened.
  if (next.prompt === 'short') return unreadable(answer, 'the review is too long for it')
  return { do: 'parse', answer, attempt: loop.turn.attempts.parser + 1, notBefore: next.notBefore }
}

function unreadable({ review, cycle, attempt, session, rawOutput }: ReviewAnswer, detail: string): Step {
  const why = `no verdict found, and the parser failed: ${detail.replace(/\.$/, '')}`
  return recorded({
    type: 'review.failed',
    data: { review, cycle, attempt, session, cause: 'malformed', why, rawOutput },
  })
}
