/** `evolve(state, event) → state`: what each event changes. No rule is decided here; a rule that chooses is in `decide`. */
import type { EventData, StoredEvent } from './event.ts'
import { openBlocking, withOpened, withResolved } from './ledger.ts'
import { type Loop, newLoop, noAsks, noTries } from './loop.ts'
import { retried } from './retry.ts'
import type { FinalVerdict } from './review.ts'

/** Folds a task's whole stream. */
export function foldLoop(events: StoredEvent[]): Loop | null {
  let loop: Loop | null = null
  for (const event of events) loop = evolve(loop, event)
  return loop
}

export function evolve(loop: Loop | null, event: StoredEvent): Loop {
  if (event.type === 'task.added') return newLoop(event)
  if (!loop) throw new Error(`${event.stream} begins with ${event.type}, not with task.added`)
  return { ...loop, ...change(loop, event), version: event.version }
}

function change(loop: Loop, event: StoredEvent): Partial<Loop> {
  switch (event.type) {
    case 'task.changed':
      return { task: { ...loop.task, ...event.data.changes } }
    case 'task.deleted':
      return { deleted: true, status: 'cancelled', claim: null, session: null, endedAt: event.at }

    case 'loop.claimed':
      return {
        claim: { run: event.data.run, worker: event.data.worker },
        policy: event.data.policy,
        ...going,
        startedAt: loop.startedAt ?? event.at,
      }
    case 'loop.released':
      return { claim: null, status: 'pending', verdict: verdictInMidLoop(loop) }
    case 'loop.started':
      return { place: event.data.place }
    case 'loop.developing':
      return {
        phase: 'develop',
        iteration: event.data.iteration,
        attempts: event.data.attempt,
        revisions: loop.revisions + (isNewRevision(loop) ? 1 : 0),
        feedback: loop.feedback && { ...loop.feedback, begun: true },
      }
    case 'loop.committed':
      return {
        phase: 'check',
        head: { sha: event.data.sha, tree: event.data.tree, empty: event.data.empty },
        uncommitted: null,
        // The same tree again: what its gates said still stands.
        check: loop.check?.tree === event.data.tree ? loop.check : null,
        refusal: null,
        tries: noTries,
      }
    case 'loop.checking':
      return { check: { tree: event.data.tree, results: [] } }
    case 'loop.reviewing':
      return {
        phase: 'review',
        reviewing: event.data.cycle,
        attempts: event.data.attempt,
        gateFailures: 0,
        asks: { ...loop.asks, why: event.data.ask },
      }
    case 'loop.feedback':
      return feedbackGiven(loop, event.data)
    case 'loop.approved':
      return ended(event.at, { status: 'completed', verdict: 'APPROVED' })
    case 'loop.completed':
      return ended(event.at, { status: 'completed', verdict: null })
    case 'loop.blocked': {
      const { reason, detail, recovery, verdict } = event.data
      return ended(event.at, { status: 'blocked', reason, detail, recovery, verdict })
    }
    case 'loop.failed': {
      const { reason, detail, recovery } = event.data
      return ended(event.at, { status: 'failed', reason, detail, recovery, verdict: verdictInMidLoop(loop) })
    }

    case 'session.started': {
      const { prompt: _, ...session } = event.data
      const developer = session.role === 'developer' ? session.session : loop.developer
      return { session: { ...session, startedAt: event.at }, sessions: loop.sessions + 1, developer }
    }
    case 'session.ended':
      return sessionEnded(loop, event.data, event.at)
    case 'session.lost':
      return { session: null, tries: { ...loop.tries, losses: loop.tries.losses + 1 } }

    case 'gate.baseline':
      return { baselined: [...loop.baselined, event.data.command] }
    case 'gate.completed':
      return gateCompleted(loop, event.data)

    case 'review.started':
      return {}
    case 'review.completed': {
      const { review: id, cycle, attempt, tree, body, changes } = event.data
      const { verdict, blocking, summary } = body
      const openBefore = openBlocking(loop.ledger).map((issue) => issue.number)
      return {
        phase: 'judge',
        cycle,
        tries: noTries,
        // A second review within one cycle means that the verdict of the first one could not be acted upon.
        asks: { ...noAsks, baseless: loop.review?.cycle === cycle ? loop.asks.baseless + 1 : 0 },
        review: {
          id,
          cycle,
          attempt,
          verdict,
          blocking,
          summary,
          tree,
          since: treeBefore(loop, cycle),
          changes,
          sentBack: false,
          openBefore,
        },
      }
    }
    case 'review.failed':
      return reviewFailed(loop, event.data, event.at)

    case 'issue.opened':
      return { ledger: withOpened(loop.ledger, event.data) }
    case 'issue.resolved':
      return { ledger: withResolved(loop.ledger, event.data) }

    case 'person.decided':
      return personDecided(loop, event.data, event.at)

    case 'task.added':
    case 'run.started':
    case 'run.ended':
      throw new Error(`${event.type} does not belong to ${event.stream}`)
  }
}

/** A loop that is being worked on has no ending to show. */
const going = {
  status: 'in_progress',
  reason: null,
  detail: null,
  recovery: [],
  verdict: null,
  endedAt: null,
} satisfies Partial<Loop>

function ended(at: string, how: Partial<Loop>): Partial<Loop> {
  return { ...going, claim: null, ...how, endedAt: at }
}

/** Stopped on the way with a revision outstanding. */
function verdictInMidLoop(loop: Loop): FinalVerdict | null {
  return loop.review?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

function feedbackGiven(loop: Loop, { feedback }: EventData['loop.feedback']): Partial<Loop> {
  return {
    phase: 'develop',
    feedback: { said: feedback, tree: loop.head?.tree ?? null, begun: false },
    claimed: false,
    review: loop.review && { ...loop.review, sentBack: loop.review.sentBack || feedback.from === 'review' },
    refusal: null,
    uncommitted: null,
    check: null,
    reviewing: null,
    asks: noAsks,
    tries: noTries,
    gateFailures: loop.gateFailures + (feedback.from === 'gate' ? 1 : 0),
  }
}

function sessionEnded(loop: Loop, end: EventData['session.ended'], at: string): Partial<Loop> {
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

function gateCompleted(loop: Loop, result: EventData['gate.completed']): Partial<Loop> {
  const { name, command, passed, exitCode, timedOut, output } = result
  const summary = { name, command, passed, exitCode, timedOut, output }
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

function reviewFailed(loop: Loop, { cause, why }: EventData['review.failed'], at: string): Partial<Loop> {
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

function personDecided(loop: Loop, data: EventData['person.decided'], at: string): Partial<Loop> {
  switch (data.move) {
    // What follows from a person's verdict is said by the loop.approved or loop.blocked beside it.
    case 'verdict':
      return {}
    case 'cancel':
      return ended(at, { status: 'cancelled', verdict: verdictInMidLoop(loop), session: null })
    case 'retry':
      return { ...going, status: 'pending', ...retried(loop) }
  }
}

/**
 * The tree that was judged in the cycle before this one. A tree that is judged again, because a person asked for it,
 * is compared with what it was compared with before: no revision lies between.
 */
export function treeBefore(loop: Loop, cycle: number): string | null {
  const { review, head } = loop
  if (!review) return null
  return review.cycle < cycle && review.tree !== head?.tree ? review.tree : review.since
}

/** The first session that answers a review's feedback; a revision that takes several sessions is still one. */
function isNewRevision({ feedback }: Loop): boolean {
  return feedback?.said.from === 'review' && !feedback.begun
}

function sum(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return one + other
}
