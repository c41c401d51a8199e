/**
 * `evolve(state, event) → state`: what each event changes. It makes no choices; the rules that choose are in `decide`.
 * The fold of an event is written next to the rule that leads to the event. Those that concern several parts are here.
 */
import {
  approved,
  awaitingReview,
  blocked,
  claimed,
  completed,
  deleted,
  ended,
  failedLoop,
  freed,
  landed,
  put,
  released,
  verdictInMidLoop,
} from './ending.ts'
import type { EventData, EventType, StoredEvent } from './event.ts'
import { applyChange, type Change, changes, type Loop, newLoop } from './loop.ts'
import { edited, grantedCycle, retried, steppedByHand, triedAtOnce } from './person/resume.ts'
import { gateCompleted } from './phases/check.ts'
import { committed } from './phases/commit.ts'
import { developing, feedbackGiven } from './phases/develop.ts'
import { integrated } from './phases/land.ts'
import { reviewGiven } from './phases/panel.ts'
import { begunUnmerged, mergeAbandoned, merging, resolvingBegun, unresolved } from './phases/resolve.ts'
import { reconsidered, reviewAsked, reviewCompleted, reviewFailed } from './phases/review.ts'
import type { Inherited } from './place.ts'
import { checkpointed } from './review/checkpoint.ts'
import { tallyOpened, tallyProven, tallyResolved } from './review/churn.ts'
import { withOpened, withResolved } from './review/ledger.ts'
import { waived } from './review/waive.ts'
import { withProof } from './review/witness-proof.ts'
import { deferredBy } from './schedule/overlap.ts'
import {
  identified,
  noted,
  sessionEnded,
  sessionLost,
  sessionStarted,
  strayed,
} from './session/fold-session.ts'
import { noTries } from './session/session.ts'
import { isUnderWay } from './standing.ts'

/** Events of other streams, and the one that a stream begins with. */
type Foreign = 'task.added' | 'run.started' | 'run.ended'

type Fold<T extends EventType> = (loop: Loop, data: EventData[T], at: string) => Change

const nothing = () => ({})

const folds: { [T in Exclude<EventType, Foreign>]: Fold<T> } = {
  'task.changed': (loop, { changes }) => edited(loop, changes),
  'task.deleted': deleted,
  'task.overlaps': deferredBy,

  'loop.claimed': claimed,
  'loop.released': released,
  'loop.started': started,
  'loop.developing': developing,
  'loop.committed': committed,
  'loop.checking': (_, { tree }) => ({ check: { gates: { tree, results: [] } } }),
  'loop.reviewing': reviewAsked,
  'loop.interval': ({ id, review }, { iteration }) => ({
    review: { checkpointed: { ...review.checkpointed, [id]: iteration } },
  }),
  'loop.checkpoint': checkpointed,
  'loop.feedback': feedbackGiven,
  'loop.reconsidered': reconsidered,
  'loop.approved': approved,
  'loop.completed': completed,
  'loop.awaiting_review': awaitingReview,
  'loop.blocked': blocked,
  'loop.freed': freed,
  'loop.failed': failedLoop,
  'loop.landing': () => ({ landing: { outcome: 'begun' } }),
  'loop.integrated': integrated,
  'loop.resolving': resolvingBegun,
  'loop.merging': merging,
  'loop.unresolved': unresolved,
  'loop.abandoned': mergeAbandoned,
  'loop.landed': landed,

  'session.started': sessionStarted,
  'session.ended': sessionEnded,
  'session.identified': identified,
  'session.noted': noted,
  'session.strayed': strayed,
  'session.lost': sessionLost,
  // For people only: no rule reads these.
  'session.waiting': nothing,
  'budget.warned': nothing,

  'gate.baseline': ({ check }, { command }) => ({ check: { baselined: [...check.baselined, command] } }),
  'gate.completed': gateCompleted,

  'review.started': nothing,
  'review.answered': (_, answer) => ({ review: { unparsed: answer }, turn: { tries: noTries } }),
  'review.given': reviewGiven,
  'review.completed': reviewCompleted,
  'review.failed': reviewFailed,

  'issue.opened': issueOpened,
  'issue.resolved': issueResolved,
  'issue.proven': issueProven,
  'issue.waived': waived,

  'person.decided': personDecided,
}

/** Folds a task's whole stream. */
export function foldLoop(events: StoredEvent[]): Loop | null {
  let loop: Loop | null = null
  for (const event of events) loop = evolve(loop, event)
  return loop
}

export function evolve(loop: Loop | null, event: StoredEvent): Loop {
  if (event.type === 'task.added') return newLoop(event)
  if (!loop) throw new Error(`${event.stream} begins with ${event.type}, not with task.added`)
  return { ...applyChange(loop, changeBy(loop, event)), version: event.version }
}

function changeBy(loop: Loop, { type, data, at, stream }: StoredEvent): Change {
  if (!Object.hasOwn(folds, type)) throw new Error(`${type} does not belong to ${stream}`)
  // The type of the table makes each fold take the data of its own event, but looking up by `type` loses that.
  const fold = folds[type as keyof typeof folds] as Fold<EventType>
  return fold(loop, data, at)
}

/** How a loop begins: its branch and worktree, and the work of other tasks that it begins with. */
function started(loop: Loop, { place, inherited, unmerged }: EventData['loop.started']): Change {
  const beginning = begunWith(loop, inherited)
  return changes({ work: { place } }, beginning, begunUnmerged(unmerged, beginning.turn?.phase))
}

/** A review or an improvement begins with the work of another task: a review judges it, an improvement continues it. */
function begunWith(loop: Loop, inherited: Inherited | undefined): Change {
  if (!inherited) return {}
  const { sha, tree, feedback } = inherited
  const work = { head: { sha, tree, empty: false } }
  if (loop.task.type === 'review') return { work, turn: { phase: 'check' }, asked: 'review' }
  return { work, turn: { feedback: feedback && { said: feedback, tree, begun: false } } }
}

/** What a person's move changes in the state. */
function personDecided(loop: Loop, data: EventData['person.decided'], at: string): Change {
  switch (data.move) {
    // The loop.approved or loop.blocked event that comes with a person's verdict says what follows.
    case 'verdict':
      if (data.verdict === 'APPROVED') return {}
      return { ...withdrawn(loop), ...(data.verdict === 'CHANGES_REQUESTED' ? grantedCycle(loop) : {}) }
    // The issue.waived event that comes with this one says what follows.
    case 'waive':
      return {}
    case 'cancel':
      return ended(at, {
        standing: { status: 'cancelled', verdict: verdictInMidLoop(loop) },
        turn: { session: null },
        asked: null,
      })
    case 'retry':
      return isUnderWay(loop.standing) ? triedAtOnce(loop) : put(loop, retried(loop))
    case 'review':
    case 'improve':
    case 'merge':
      return put(loop, steppedByHand(loop, data.move))
  }
}

/**
 * A person's verdict against the work withdraws its approval, so nothing of it lands. However the task continues, the
 * last review no longer counts.
 */
function withdrawn({ turn: { phase } }: Loop): Change {
  const judged = phase === 'judge' || phase === 'land'
  const phaseNow = judged ? 'review' : phase
  return {
    landing: { approval: null, outcome: null },
    review: { reviewing: null, unparsed: null, panel: [] },
    turn: { phase: phaseNow },
  }
}

function issueOpened({ review: { ledger, tally } }: Loop, data: EventData['issue.opened']): Change {
  return { review: { ledger: withOpened(ledger, data), tally: tallyOpened(tally, ledger, data) } }
}

function issueResolved({ review: { ledger, tally } }: Loop, data: EventData['issue.resolved']): Change {
  return { review: { ledger: withResolved(ledger, data), tally: tallyResolved(tally, ledger, data) } }
}

function issueProven({ review: { ledger, tally } }: Loop, data: EventData['issue.proven']): Change {
  return { review: { ledger: withProof(ledger, data), tally: tallyProven(tally, ledger, data) } }
}
