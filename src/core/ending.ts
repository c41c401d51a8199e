/** The folds of events that start a loop, put it back into the queue or end it, and what its standing shows then. */
import type { EventData } from './event.ts'
import { applyChange, type Change, changes, type Loop } from './loop.ts'
import { takenUp, withGranted } from './person/resume.ts'
import { allSetbacks } from './policy/fixed-limits.ts'
import type { FinalVerdict } from './review/review.ts'
import type { BlockReason } from './task.ts'

/** A loop that is being worked on has no ending to show. */
const going = {
  status: 'in_progress',
  reason: null,
  detail: null,
  recovery: [],
  verdict: null,
  heldBy: null,
  deferred: null,
  endedAt: null,
} satisfies Change['standing']

export function ended(at: string, how: Change): Change {
  return changes({ standing: going, claim: null, turn: { beside: [] } }, how, { standing: { endedAt: at } })
}

/** Puts the loop back into the queue; `on` says where and how it continues. */
export function put(loop: Loop, on: Change): Change {
  return changes({ standing: { ...going, status: 'pending' } }, on, {
    standing: { verdict: verdictWhileLanding(applyChange(loop, on)) },
  })
}

export function claimed(loop: Loop, data: EventData['loop.claimed'], at: string): Change {
  const { run, worker } = data
  return changes(
    { claim: { run, worker }, policy: withGranted(data, loop) },
    loop.standing.status === 'pending' ? takenUp(loop) : {},
    {
      standing: {
        ...going,
        verdict: verdictWhileLanding(loop),
        startedAt: loop.standing.startedAt ?? at,
      },
    },
  )
}

export function released(loop: Loop): Change {
  return { claim: null, standing: { status: 'pending', verdict: verdictInMidLoop(loop) } }
}

export function deleted(_: Loop, __: EventData['task.deleted'], at: string): Change {
  return {
    standing: { deleted: true, status: 'cancelled', endedAt: at },
    claim: null,
    turn: { session: null, beside: [] },
  }
}

export function approved(loop: Loop, { by, tree, lands }: EventData['loop.approved'], at: string): Change {
  const approval: Change = {
    landing: { approval: { by, tree } },
    standing: { verdict: 'APPROVED' },
    asked: null,
  }
  if (!lands) return ended(at, changes(approval, { standing: { status: 'completed' } }))
  const setbacks = loop.asked ? allSetbacks : loop.landing.setbacks
  return changes(approval, { turn: { phase: 'land' }, landing: { outcome: null, setbacks } })
}

export function completed(_: Loop, { lands }: EventData['loop.completed'], at: string): Change {
  const unreviewed: Change = { landing: { approval: null }, asked: null }
  if (lands) return changes(unreviewed, { turn: { phase: 'land' }, landing: { outcome: null } })
  return ended(at, changes(unreviewed, { standing: { status: 'completed' } }))
}

export function awaitingReview(
  loop: Loop,
  { recovery }: EventData['loop.awaiting_review'],
  at: string,
): Change {
  const verdict = verdictInMidLoop(loop)
  return ended(at, { standing: { status: 'awaiting_review', recovery, verdict }, asked: null })
}

export function blocked(loop: Loop, data: EventData['loop.blocked'], at: string): Change {
  const { reason, detail, recovery, verdict, by: heldBy = null } = data
  const asked = isStepOver(loop, reason) ? null : loop.asked
  return ended(at, { standing: { status: 'blocked', reason, detail, recovery, verdict, heldBy }, asked })
}

export function failedLoop(
  loop: Loop,
  { reason, detail, recovery }: EventData['loop.failed'],
  at: string,
): Change {
  const verdict = verdictInMidLoop(loop)
  return ended(at, { standing: { status: 'failed', reason, detail, recovery, verdict } })
}

export function landed(loop: Loop, { base, commit }: EventData['loop.landed'], at: string): Change {
  const verdict = loop.landing.approval && 'APPROVED'
  return ended(at, {
    standing: { status: 'completed', verdict },
    asked: null,
    landing: { landed: { base, commit } },
  })
}

/** The schedule no longer holds the loop back. */
export function freed(loop: Loop): Change {
  // A person changed the status in the meantime. That decision wins.
  if (loop.standing.status !== 'blocked') return {}
  const { outcome } = loop.landing
  // Its landing was stopped because it contains other tasks' work. That work is approved or landed now, so it lands again.
  const carries = outcome !== null && outcome !== 'begun' && outcome.kind === 'carries'
  return put(loop, carries ? { landing: { outcome: null } } : {})
}

/** Whether the review that a person asked for has ended with a verdict. After any other end the review is still due. */
function isStepOver({ asked }: Loop, reason: BlockReason): boolean {
  // There is nothing left to review. Only a developer can continue.
  if (asked === 'review' && reason === 'stalled') return true
  return reason === 'changes_requested' || reason === 'needs_discussion' || reason === 'rejected'
}

/** The verdict to show for a loop that stopped before its end, for example while a revision was due. */
export function verdictInMidLoop(loop: Loop): FinalVerdict | null {
  if (loop.turn.phase === 'land') return verdictWhileLanding(loop)
  return loop.review.last?.verdict === 'CHANGES_REQUESTED' ? 'CHANGES_REQUESTED' : null
}

function verdictWhileLanding({ turn: { phase }, landing: { approval } }: Loop): FinalVerdict | null {
  return phase === 'land' && approval ? 'APPROVED' : null
}
