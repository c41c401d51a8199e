/**
 * Every loop ends: reviews, iterations, failed runs, lost runs, unreadable reviews and failed gates are each counted,
 * and none exceeds the policy of the claim in force unless a person's move is in between.
 */
import { grantsReview } from './holds.mjs'
import { violation } from './violation.mjs'

/** After this many lost runs in a row (the keeper vanished), the agent counts as crashed. */
const mostLosses = 10

/** A rate limit with a known end costs no retry. Umpire waits for it at most this many times in a row. */
const mostWaits = 50

/** The fields of a task that name its agents and models. */
const whom = ['agent', 'model', 'reviewer', 'reviewModel']

export function* checkLimits(events) {
  let policy = null
  // A run may have a lower limit than the one before it. What the earlier run began may still finish.
  let maxCycles = 0
  let granted = 0
  let retries = 0
  let cycle = 0
  let iteration = 0
  // The iterations before a person's move no longer count.
  let iterationsBefore = 0
  let count = none()
  let gateFailures = 0
  let role = null
  let agent = null
  // After the developer gives up, a person has to decide.
  let gaveUp = false
  const beside = new Set()

  for (const [index, event] of events.entries()) {
    const { type, data } = event
    // Parallel sessions have retries of their own, and don't count for the loop.
    if (type === 'session.started' && data.beside) beside.add(data.session)
    if (beside.has(data.session) && type !== 'review.completed') continue
    switch (type) {
      case 'loop.claimed':
        policy = data.policy
        maxCycles = Math.max(maxCycles, policy.maxCycles)
        break
      // The worker released the loop before it failed the task. The next run may find a login that this one did not.
      case 'loop.released':
        if (count.hopeless) count = { ...count, ...untroubled }
        break
      case 'person.decided':
        if (grantsReview(event)) granted = Math.max(granted, cycle + 1)
        if (data.move === 'verdict' || data.move === 'cancel' || data.move === 'waive') break
        if (data.move === 'retry') retries += 1
        iterationsBefore = iteration
        gaveUp = false
        count = none()
        gateFailures = 0
        break

      // Approved work that did not land is granted one more review.
      case 'loop.resolving':
        granted = Math.max(granted, cycle + 1)
        count = none()
        gateFailures = 0
        break
      case 'loop.developing':
        iteration = data.iteration
        if (policy?.until === 'claim' && iteration - iterationsBefore > policy.maxIterations) {
          yield violation(event, `iteration ${data.iteration} of at most ${policy.maxIterations}`)
        }
        break
      case 'loop.reviewing':
        gateFailures = 0
        if (data.cycle > Math.max(maxCycles, granted) + retries)
          yield violation(event, `review ${data.cycle} of at most ${Math.max(maxCycles, granted)}`)
        if (data.cycle !== cycle && data.cycle !== cycle + 1) {
          yield violation(event, `review ${data.cycle} comes after review ${cycle}`)
        }
        if (count.malformed > policy?.reviewRetries) {
          yield violation(event, `asked again after ${count.malformed} unreadable reviews in this cycle`)
        }
        break
      case 'session.started':
        role = data.role
        if (gaveUp) yield violation(event, `session ${data.session} was started after the developer gave up`)
        yield* tooOften(event, count, policy)
        agent = data.agent
        break
      // After a change of agent or model, the old one's rate limit no longer matters.
      case 'task.changed':
        if (whom.some((name) => name in data.changes)) count = { ...count, waits: 0, notBefore: null }
        break
      case 'session.lost':
        count.losses += 1
        break
      case 'session.ended': {
        const { kind, class: failure } = data.outcome
        // After a timeout, Umpire commits what the developer left. That ends the turn.
        const writes = role === 'developer' || role === 'resolver'
        const over = writes && (kind === 'done' || failure === 'timeout')
        if (role === 'developer' && kind === 'done') gaveUp = data.gaveUp !== undefined
        if (over) count = { ...count, ...untroubled }
        else if (kind === 'failed') count = withFailure(count, data.outcome, agent)
        break
      }
      case 'loop.committed':
        count = { ...count, ...untroubled }
        break
      // The parser that reads the review is another agent, with retries of its own.
      case 'review.answered':
        count = { ...count, ...untroubled }
        break
      case 'review.failed':
        if (data.cause === 'malformed')
          count = { ...none(), malformed: count.malformed + 1, same: count.same }
        break
      case 'review.completed':
        // If the loop can't act on a verdict, it asks once more within the cycle.
        count = { ...none(), same: data.cycle === cycle ? count.same + 1 : 1 }
        cycle = data.cycle
        if (count.same > 2) yield violation(event, `verdict ${count.same} within cycle ${cycle}`)
        break
      case 'loop.feedback': {
        count = none()
        // If a person sends the work back, the loop did not decide it.
        if (data.feedback.from !== 'gate' || events[index - 1]?.type === 'person.decided') break
        const next = events[index + 1]
        // A gate that fails only after a merge is counted separately.
        if (next?.type === 'loop.resolving') break
        gateFailures += 1
        const stops =
          next?.type === 'loop.blocked' &&
          (next.data.reason === 'timeout' || next.data.reason === 'needs_discussion')
        if (gateFailures >= policy?.maxGateFailures && !stops) {
          yield violation(
            event,
            `a gate failed ${gateFailures} times in a row, and the developer is asked again`,
          )
        }
        break
      }
    }
  }
}

const untroubled = {
  failures: 0,
  losses: 0,
  hopeless: false,
  waits: 0,
  notBefore: null,
  agent: null,
  tooLong: 0,
}

function withFailure(count, { class: failure, retry, retryAt }, agent) {
  const hopeless = failure === 'auth' || retry === 'never'
  const next = { ...count, losses: 0, hopeless, notBefore: retryAt, agent }
  if (retry === 'shorter') return { ...next, tooLong: count.tooLong + 1 }
  if (failure === 'rate_limited' && retryAt !== null) return { ...next, waits: count.waits + 1 }
  return { ...next, failures: count.failures + 1 }
}

function none() {
  return { ...untroubled, malformed: 0, same: 0 }
}

function* tooOften(event, { failures, losses, hopeless, waits, notBefore, tooLong, agent }, policy) {
  const { session } = event.data
  if (waits > mostWaits) yield violation(event, `session ${session} comes after ${waits} waits for a limit`)
  if (tooLong > 1) yield violation(event, `session ${session} comes after two prompts that were too long`)
  const limited = waits > 0 && notBefore !== null && event.data.agent === agent
  if (limited && Date.parse(event.at) < Date.parse(notBefore))
    yield violation(event, `session ${session} was started before ${notBefore}, the end of the limit`)
  if (failures > policy?.agentRetries) {
    yield violation(
      event,
      `session ${session} comes after ${failures} failures, ${policy.agentRetries} retries are allowed`,
    )
  }
  if (hopeless) yield violation(event, `session ${session} was started although it could only fail again`)
  if (losses >= mostLosses)
    yield violation(event, `session ${session} comes after ${losses} lost ones in a row`)
}
