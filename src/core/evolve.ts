/** `evolve(state, event) → state`: what each event changes. No rule is decided here; a rule that chooses is in `decide`. */
import { ended, going, isStepOver, put, verdictInMidLoop, verdictWhileLanding } from './ending.ts'
import type { EventData, StoredEvent } from './event.ts'
import { type Loop, newLoop, noAsks, noTries } from './loop.ts'
import { personDecided } from './person/evolve-person.ts'
import { recoveryWhileAwaiting } from './person/recovery.ts'
import { edited, takenUp, withGranted } from './person/resume.ts'
import {
  besideEnded,
  besideLost,
  besideStarted,
  checkpointed,
  findBeside,
  identified,
  reviewGiven,
} from './phases/evolve-beside.ts'
import {
  begunUnmerged,
  freed,
  integrated,
  mergeAbandoned,
  mergeCommitted,
  merging,
  resolvingBegun,
  sessionBegun,
  unresolved,
} from './phases/evolve-landing.ts'
import { gateCompleted, noted, sessionEnded, strayed } from './phases/evolve-outcome.ts'
import { reconsidered, reviewAsked, reviewCompleted, reviewFailed } from './phases/evolve-review.ts'
import { allSetbacks } from './phases/resolving.ts'
import type { Inherited } from './place.ts'
import { isNamedLimit } from './policy/failure.ts'
import { issueChanged } from './review/evolve-issue.ts'
import { deferredBy } from './schedule/overlap.ts'

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
      return { deleted: true, status: 'cancelled', claim: null, session: null, beside: [], endedAt: event.at }

    case 'task.overlaps':
      return deferredBy(loop, event.data)

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
      return begun(loop, event.data)
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
        checkpoint: loop.checkpoint && { ...loop.checkpoint, told: true },
      }
    case 'loop.committed':
      return {
        phase: 'check',
        ...(loop.head?.tree === event.data.tree ? {} : { ...unapproved(loop), unparsed: null, panel: [] }),
        head: { sha: event.data.sha, tree: event.data.tree, empty: event.data.empty },
        uncommitted: null,
        // The same tree again: what its gates said still stands.
        check: loop.check?.tree === event.data.tree ? loop.check : null,
        refusal: null,
        // The limit of a reviewer that was put back is not over because a person's changes were taken in first.
        tries: loop.tries.last && isNamedLimit(loop.tries.last) ? loop.tries : noTries,
        ...mergeCommitted(loop, event.data),
      }
    case 'loop.checking':
      return { check: { tree: event.data.tree, results: [] } }
    case 'loop.reviewing':
      return reviewAsked(loop, event.data)
    case 'loop.interval':
      return { checkpointed: { ...loop.checkpointed, [loop.id]: event.data.iteration } }
    case 'loop.checkpoint':
      return checkpointed(loop, event.data, event.at)
    case 'loop.feedback':
      return feedbackGiven(loop, event.data)
    case 'loop.reconsidered':
      return reconsidered(loop, event.data)
    case 'loop.approved': {
      const { by, tree, lands } = event.data
      const approval = { approval: { by, tree }, verdict: 'APPROVED', hand: null } as const
      const setbacks = loop.hand ? allSetbacks : loop.setbacks
      if (lands) return { ...approval, phase: 'land', landing: null, setbacks }
      return ended(event.at, { ...approval, status: 'completed' })
    }
    case 'loop.completed':
      if (event.data.lands) return { phase: 'land', landing: null, approval: null, hand: null }
      return ended(event.at, { status: 'completed', hand: null, approval: null })
    case 'loop.awaiting_review': {
      const { recovery } = event.data
      const verdict = verdictInMidLoop(loop)
      return ended(event.at, { status: 'awaiting_review', recovery, verdict, hand: null })
    }
    case 'loop.blocked': {
      const { reason, detail, recovery, verdict, by: heldBy = null } = event.data
      const hand = isStepOver(loop, reason) ? null : loop.hand
      return ended(event.at, { status: 'blocked', reason, detail, recovery, verdict, hand, heldBy })
    }
    case 'loop.freed':
      // Whatever a person did meanwhile says more than that.
      return loop.status === 'blocked' ? put(loop, freed(loop)) : {}
    case 'loop.failed': {
      const { reason, detail, recovery } = event.data
      return ended(event.at, { status: 'failed', reason, detail, recovery, verdict: verdictInMidLoop(loop) })
    }
    case 'loop.landing':
      return { landing: 'begun' }
    case 'loop.integrated':
      return integrated(loop, event.data)
    case 'loop.resolving':
      return resolvingBegun(loop, event.data)
    case 'loop.merging':
      return merging(loop, event.data)
    case 'loop.unresolved':
      return unresolved(loop, event.data)
    case 'loop.abandoned':
      return mergeAbandoned(loop)
    case 'loop.landed': {
      const { base, commit } = event.data
      const verdict = loop.approval && 'APPROVED'
      return ended(event.at, { status: 'completed', verdict, hand: null, landed: { base, commit } })
    }

    case 'session.started': {
      if (event.data.beside) return besideStarted(loop, event.data, event.at)
      const { prompt: _, ...session } = event.data
      const attempts =
        session.role === 'parser' ? { ...loop.attempts, parser: session.attempt } : loop.attempts
      return {
        session: { ...session, startedAt: event.at },
        sessions: loop.sessions + 1,
        ...sessionBegun(loop, event.data),
        attempts,
      }
    }
    case 'session.ended': {
      const beside = findBeside(loop, event.data.session)
      if (beside) return besideEnded(loop, beside, event.data, event.at)
      return sessionEnded(loop, event.data, event.at)
    }
    case 'session.identified':
      return identified(loop, event.data)
    // Told to people; it decides nothing.
    case 'budget.warned':
    case 'session.waiting':
      return {}
    case 'session.noted':
      return noted(loop, event.data)
    case 'session.strayed':
      return strayed(loop, event.data)
    case 'session.lost': {
      const beside = findBeside(loop, event.data.session)
      if (beside) return besideLost(loop, beside)
      return { session: null, tries: { ...loop.tries, losses: loop.tries.losses + 1 } }
    }

    case 'gate.baseline':
      return { baselined: [...loop.baselined, event.data.command] }
    case 'gate.completed':
      return gateCompleted(loop, event.data)

    case 'review.started':
      return {}
    case 'review.answered':
      return { unparsed: event.data, tries: noTries }
    case 'review.given':
      return reviewGiven(loop, event.data)
    case 'review.completed':
      return reviewCompleted(loop, event.data)
    case 'review.failed':
      return reviewFailed(loop, event.data, event.at)

    case 'issue.opened':
    case 'issue.resolved':
    case 'issue.proven':
    case 'issue.waived':
      return issueChanged(loop, event)

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

function begun(loop: Loop, { place, inherited, unmerged }: EventData['loop.started']): Partial<Loop> {
  const beginning = begunWith(loop, inherited)
  return { place, ...beginning, ...begunUnmerged(unmerged, beginning.phase) }
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
    // A merge that is under way comes first.
    ...(loop.resolving
      ? { phase: 'resolve', resolving: { ...loop.resolving, after: 'develop' } }
      : { phase: 'develop' }),
    approval: null,
    feedback: { said: feedback, tree: loop.head?.tree ?? null, begun: false },
    claimed: false,
    unparsed: null,
    panel: [],
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

/** The first session that answers a review's feedback; a revision that takes several sessions is still one. */
function isNewRevision({ feedback }: Loop): boolean {
  return feedback?.said.from === 'review' && !feedback.begun
}
