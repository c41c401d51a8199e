/** What a person's move changes in the state. */
import { ended, put, verdictInMidLoop } from '../ending.ts'
import type { EventData } from '../event.ts'
import type { Change, Loop } from '../loop.ts'
import { isUnderWay } from '../standing.ts'
import { grantedCycle, retried, steppedByHand, triedAtOnce } from './resume.ts'

export function personDecided(loop: Loop, data: EventData['person.decided'], at: string): Change {
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
