/** What the outcome of a session or a gate changes in the state. */

import type { EventData } from '../event.ts'
import { knownSum } from '../known-sum.ts'
import { type LastFailure, type Loop, noTries, type Tries } from '../loop.ts'
import { isNamedLimit } from '../policy/failure.ts'
import { describeChanges, whyLook } from '../session/surroundings.ts'
import { resolverEnded } from './evolve-landing.ts'

export function sessionEnded(loop: Loop, end: EventData['session.ended'], at: string): Partial<Loop> {
  const common = {
    session: null,
    costUsd: knownSum(loop.costUsd, end.costUsd),
    tokens: knownSum(loop.tokens, end.tokens),
  }
  const { outcome } = end
  const resolved =
    loop.session?.role === 'resolver' ? resolverEnded(loop, end.session, outcome, end.gaveUp ?? null) : null
  if (resolved) return { ...common, ...resolved }
  const developer = loop.session?.role === 'developer'
  switch (outcome.kind) {
    case 'interrupted':
      return common
    case 'done':
      // A reviewer's turn is over only with the review's own event, which says whether it could be read.
      if (!developer) return common
      return {
        ...common,
        phase: 'commit',
        turns: loop.iteration,
        ...told(loop),
        claimed: end.claimed,
        gaveUp: end.gaveUp ?? null,
        uncommitted: end.session,
        tries: noTries,
      }
    case 'failed': {
      if (developer && outcome.class === 'timeout') {
        return {
          ...common,
          phase: 'commit',
          turns: loop.iteration,
          ...told(loop),
          uncommitted: end.session,
          overdue: outcome.detail,
          tries: noTries,
        }
      }
      const { class: failureClass, detail, retryAt, retry = null } = outcome
      const agent = loop.session?.agent ?? ''
      return {
        ...common,
        tries: withFailure(loop.tries, { class: failureClass, detail, at, retryAt, retry, agent }),
      }
    }
  }
}

/** What a checkpoint found has done its work once a developer that knew of it has come to an end. */
function told({ checkpoint }: Loop): Partial<Loop> {
  return checkpoint?.told ? { checkpoint: null } : {}
}

/** Each kind of failure is counted for itself, because each has its own limit. */
export function withFailure(tries: Tries, last: LastFailure): Tries {
  const next = { ...tries, losses: 0, last }
  if (last.retry === 'shorter') return { ...next, tooLong: tries.tooLong + 1 }
  if (isNamedLimit(last))
    return { ...next, waits: tries.waits + 1, waitingSince: tries.waitingSince ?? last.at }
  return { ...next, failures: tries.failures + 1 }
}

export function noted(
  loop: Loop,
  { session: id, about, text, request }: EventData['session.noted'],
): Partial<Loop> {
  const { session } = loop
  const beside = loop.beside.find((other) => other.session === id)
  if (about === 'progress' && request !== undefined && beside) {
    const progress = { text, request }
    return { beside: loop.beside.map((other) => (other === beside ? { ...other, progress } : other)) }
  }
  if (about !== 'progress' || request === undefined || session?.session !== id) return {}
  return { session: { ...session, progress: { text, request } } }
}

/** So many are told on a page; the journal has them all. */
const mostStrays = 20

export function strayed(
  loop: Loop,
  { session, changes, stops }: EventData['session.strayed'],
): Partial<Loop> {
  const text = describeChanges(changes)
  return {
    strays: [...loop.strays, { session, text }].slice(-mostStrays),
    strayed: stops
      ? `While session ${session} ran, this was changed: ${text}. ${whyLook(changes)}`.trimEnd()
      : loop.strayed,
  }
}

export function gateCompleted(loop: Loop, result: EventData['gate.completed']): Partial<Loop> {
  const { name, command, passed, exitCode, timedOut, output } = result
  const summary = { name, command, passed, exitCode, timedOut, output }
  // What a gate says of the merged tree says nothing of the loop's own.
  if (loop.phase === 'land') return {}
  switch (result.kind) {
    case 'hook':
      return { refusal: summary }
    case 'gate':
    case 'backpressure': {
      const others = (loop.check?.results ?? []).filter((other) => other.name !== name)
      return { check: { tree: result.tree, results: [...others, summary] } }
    }
  }
}
