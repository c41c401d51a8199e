/**
 * A step that a person asks for is taken, and nothing beyond it: a review starts no developer and judges once, an
 * improvement is one developer's turn and starts no reviewer, and a merge starts no session. A review task never has a
 * developer.
 */
import { violation } from './violation.mjs'

const steps = new Set(['review', 'improve', 'merge'])
/** A reviewer may need a parser that reads its review. */
const allowed = { review: ['reviewer', 'parser'], improve: ['developer'], merge: [] }

export function* checkByHand(events) {
  let kind = null
  let step = null
  let turns = new Set()
  for (const event of events) {
    const { type, data } = event
    if (type === 'task.added') kind = data.task.type
    if (type === 'task.changed') kind = data.changes.type ?? kind
    // Waiving an issue does not change the step that the person asked for.
    if (type === 'person.decided' && data.move !== 'waive') {
      // A person who retries, cancels or gives a verdict may have given up that step.
      step = steps.has(data.move) ? data.move : null
      turns = new Set()
    }
    if (type !== 'session.started') continue
    const { role, session, cycle, iteration } = data
    if (kind === 'review' && role === 'developer')
      yield violation(event, `session ${session} is a developer's, and the task is a review`)
    if (step === null) continue
    if (!allowed[step].includes(role)) {
      yield violation(
        event,
        `session ${session} is a ${role}'s, and a person asked for nothing but to ${step}`,
      )
      continue
    }
    turns.add(role === 'developer' ? iteration : cycle)
    if (turns.size > 1)
      yield violation(event, `session ${session} is a second turn, and a person asked to ${step} once`)
  }
}
