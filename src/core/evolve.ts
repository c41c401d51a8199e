/** `evolve(state, event) → state`: what each event changes. No rule is decided here; a rule that chooses is in `decide`. */
import type { EventData, Inherited, StoredEvent } from './event.ts'
import { gateCompleted, noted, sessionEnded, strayed } from './evolve-outcome.ts'
import { reviewAsked, reviewCompleted, reviewFailed } from './evolve-review.ts'
import { isNamedLimit } from './failure.ts'
import { withOpened, withResolved } from './ledger.ts'
import { type Loop, newLoop, noAsks, noTries } from './loop.ts'
import { recoveryWhileAwaiting } from './recovery.ts'
import { edited, grantedCycle, retried, steppedByHand, takenUp, triedAtOnce, withGranted } from './resume.ts'
import type { FinalVerdict } from './review.ts'
import { isUnderWay } from './standing.ts'
import type { BlockReason } from './task.ts'

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
      return edited(loop, event.data.changes)
    case 'task.deleted':
      return { deleted: true, status: 'cancelled', claim: null, session: null, endedAt: event.at }

    case 'loop.claimed':
      return {
        claim: { run: event.data.run, worker: event.data.worker },
        policy: withGranted(event.data, loop),
        ...(loop.status === 'pending' ? takenUp(loop) : {}),
        ...going,
        verdict: verdictWhileLanding(loop),
        startedAt: loop.startedAt ?? event.at,
      }
    case 'loop.released':
      return { claim: null, status: 'pending', verdict: verdictInMidLoop(loop) }
    case 'loop.started':
      return { place: event.data.place, ...begunWith(loop, event.data.inherited) }
    case 'loop.developing':
      return {
        phase: 'develop',
        iteration: event.data.iteration,
        attempts: {
          ...(event.data.iteration === loop.iteration ? loop.attempts : { reviewer: 0, parser: 0, cycle: 0 }),
          developer: event.data.attempt,
        },
        revisions: loop.revisions + (isNewRevision(loop) ? 1 : 0),
        feedback: loop.feedback && { ...loop.feedback, begun: true },
      }
    case 'loop.committed':
      return {
        phase: 'check',
        ...(loop.head?.tree === event.data.tree ? {} : { ...unapproved(loop), unparsed: null }),
        head: { sha: event.data.sha, tree: event.data.tree, empty: event.data.empty },
        uncommitted: null,
        // The same tree again: what its gates said still stands.
        check: loop.check?.tree === event.data.tree ? loop.check : null,
        refusal: null,
        // The limit of a reviewer that was put back is not over because a person's changes were taken in first.
        tries: loop.tries.last && isNamedLimit(loop.tries.last) ? loop.tries : noTries,
      }
    case 'loop.checking':
      return { check: { tree: event.data.tree, results: [] } }
    case 'loop.reviewing':
      return reviewAsked(loop, event.data)
    case 'loop.feedback':
      return feedbackGiven(loop, event.data)
    case 'loop.approved': {
      const { by, tree, lands } = event.data
      const approval = { approval: { by, tree }, verdict: 'APPROVED', hand: null } as const
      if (lands) return { ...approval, phase: 'land', landing: null }
      return ended(event.at, { ...approval, status: 'completed' })
    }
    case 'loop.completed':
      return ended(event.at, { status: 'completed', hand: null, approval: null })
    case 'loop.awaiting_review': {
      const { recovery } = event.data
      const verdict = verdictInMidLoop(loop)
      return ended(event.at, { status: 'awaiting_review', recovery, verdict, hand: null })
    }
    case 'loop.blocked': {
      const { reason, detail, recovery, verdict } = event.data
      const hand = isStepOver(loop, reason) ? null : loop.hand
      return ended(event.at, { status: 'blocked', reason, detail, recovery, verdict, hand })
    }
    case 'loop.failed': {
      const { reason, detail, recovery } = event.data
      return ended(event.at, { status: 'failed', reason, detail, recovery, verdict: verdictInMidLoop(loop) })
    }
    case 'loop.landing':
      return { landing: 'begun' }
    case 'loop.integrated':
      return { landing: event.data.outcome }
    case 'loop.landed': {
      const { base, commit } = event.data
      const verdict = loop.approval && 'APPROVED'
      return ended(event.at, { status: 'completed', verdict, hand: null, landed: { base, commit } })
    }

    case 'session.started': {
      const { prompt: _, ...session } = event.data
      const developer = session.role === 'developer' ? session.session : loop.developer
      const attempts =
        session.role === 'parser' ? { ...loop.attempts, parser: session.attempt } : loop.attempts
      return {
        session: { ...session, startedAt: event.at },
        sessions: loop.sessions + 1,
        developer,
        attempts,
      }
    }
    case 'session.ended':
      return sessionEnded(loop, event.data, event.at)
    case 'session.identified': {
      const { session } = loop
      if (session?.session !== event.data.session) return {}
      const { role, agent } = session
      const conversation = { agent, id: event.data.agentSession }
      return { conversations: { ...loop.conversations, [role]: conversation } }
    }
    // Told to people; it decides nothing.
    case 'session.waiting':
      return {}
    case 'session.noted':
      return noted(loop, event.data)
    case 'session.strayed':
      return strayed(loop, event.data)
    case 'session.lost':
      return { session: null, tries: { ...loop.tries, losses: loop.tries.losses + 1 } }

    case 'gate.baseline':
      return { baselined: [...loop.baselined, event.data.command] }
    case 'gate.completed':
      return gateCompleted(loop, event.data)

    case 'review.started':
      return {}
    case 'review.answered':
      return { unparsed: event.data, tries: noTries }
    case 'review.completed':
      return reviewCompleted(loop, event.data)
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

/** What a person committed to work that was done is not what was approved. */
function unapproved(loop: Loop): Partial<Loop> {
  if (loop.status !== 'completed') return { approval: null }
  const recovery = recoveryWhileAwaiting(loop)
  return { approval: null, status: 'awaiting_review', verdict: null, recovery }
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

/** A review that was asked for by hand has come to its end with a verdict; with any other end it is still to be had. */
function isStepOver({ hand }: Loop, reason: BlockReason): boolean {
  // Nothing is left that could be reviewed: only a developer gets any further.
  if (hand === 'review' && reason === 'stalled') return true
  return reason === 'changes_requested' || reason === 'needs_discussion' || reason === 'rejected'
}

/** Stopped on the way with a revision outstanding. */
function verdictInMidLoop(loop: Loop): FinalVerdict | null {
  if (loop.phase === 'land') return verdictWhileLanding(loop)
  return loop.review?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

function verdictWhileLanding({ phase, approval }: Loop): FinalVerdict | null {
  return phase === 'land' && approval ? 'APPROVED' : null
}

/** A task that is for another one begins with what is there: a review judges it, an improvement goes on from it. */
function begunWith(loop: Loop, inherited: Inherited | undefined): Partial<Loop> {
  if (!inherited) return {}
  const { sha, tree, feedback } = inherited
  const head = { sha, tree, empty: false }
  if (loop.task.type === 'review') return { head, phase: 'check', hand: 'review' }
  return { head, feedback: feedback && { said: feedback, tree, begun: false } }
}

function feedbackGiven(loop: Loop, { feedback }: EventData['loop.feedback']): Partial<Loop> {
  return {
    phase: 'develop',
    approval: null,
    feedback: { said: feedback, tree: loop.head?.tree ?? null, begun: false },
    claimed: false,
    unparsed: null,
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

function personDecided(loop: Loop, data: EventData['person.decided'], at: string): Partial<Loop> {
  switch (data.move) {
    // What follows from a person's verdict is said by the loop.approved or loop.blocked beside it.
    case 'verdict':
      if (data.verdict === 'APPROVED') return {}
      return { ...withdrawn(loop), ...(data.verdict === 'CHANGES_REQUESTED' ? grantedCycle(loop) : {}) }
    case 'cancel':
      return ended(at, { status: 'cancelled', verdict: verdictInMidLoop(loop), session: null, hand: null })
    case 'retry':
      return isUnderWay(loop) ? triedAtOnce(loop) : put(loop, retried(loop))
    case 'review':
    case 'improve':
    case 'merge':
      return put(loop, steppedByHand(loop, data.move))
  }
}

/** Back into the queue, to go on like this. */
function put(loop: Loop, on: Partial<Loop>): Partial<Loop> {
  return { ...going, status: 'pending', ...on, verdict: verdictWhileLanding({ ...loop, ...on }) }
}

/**
 * A person spoke against the work: what was approved is no longer, nothing of it is landed, and what the last review said
 * is not gone by any more, however the task is taken up again.
 */
function withdrawn({ phase }: Loop): Partial<Loop> {
  const judged = phase === 'judge' || phase === 'land'
  const phaseNow = judged ? 'review' : phase
  return { approval: null, landing: null, reviewing: null, unparsed: null, phase: phaseNow }
}

/** The first session that answers a review's feedback; a revision that takes several sessions is still one. */
function isNewRevision({ feedback }: Loop): boolean {
  return feedback?.said.from === 'review' && !feedback.begun
}
