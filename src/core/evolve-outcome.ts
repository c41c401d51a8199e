/** What the outcome of a session, a gate or a review that gave no verdict changes in the state. */
import type { EventData } from './event.ts'
import { type Loop, noTries } from './loop.ts'

export function sessionEnded(loop: Loop, end: EventData['session.ended'], at: string): Partial<Loop> {
  const common = {
    session: null,
    costUsd: sum(loop.costUsd, end.costUsd),
    tokens: sum(loop.tokens, end.tokens),
  }
  const { outcome } = end
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
        claimed: end.claimed,
        uncommitted: end.session,
        tries: noTries,
      }
    case 'failed': {
      if (developer && outcome.class === 'timeout') {
        return {
          ...common,
          phase: 'commit',
          turns: loop.iteration,
          uncommitted: end.session,
          overdue: outcome.detail,
          tries: noTries,
        }
      }
      const { class: failureClass, detail, retryAt } = outcome
      const last = { class: failureClass, detail, at, retryAt }
      return { ...common, tries: { failures: loop.tries.failures + 1, losses: 0, last } }
    }
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

export function reviewFailed(
  loop: Loop,
  { cause, why }: EventData['review.failed'],
  at: string,
): Partial<Loop> {
  switch (cause) {
    // Counted with the session that failed.
    case 'agent':
      return {}
    case 'tampered':
      return { tampered: why }
    case 'malformed':
      return { tries: noTries, asks: { ...loop.asks, malformed: loop.asks.malformed + 1, why, at } }
  }
}

function sum(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return one + other
}
