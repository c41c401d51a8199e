/** What a person's move changes in the state. */
import { ended, put, verdictInMidLoop } from '../ending.ts'
import type { EventData } from '../event.ts'
import type { Loop } from '../loop.ts'
import { isUnderWay } from '../standing.ts'
import { grantedCycle, retried, steppedByHand, triedAtOnce } from './resume.ts'

export function personDecided(loop: Loop, data: EventData['person.decided'], at: string): Partial<Loop> {
  switch (data.move) {
    // What follows from a person's verdict is said by the loop.approved or loop.blocked beside it.
    case 'verdict':
      if (data.verdict === 'APPROVED') return {}
      return { ...withdrawn(loop), ...(data.verdict === 'CHANGES_REQUESTED' ? grantedCycle(loop) : {}) }
    // What follows is said by the issue.waived beside it.
    case 'waive':
      return {}
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

/**
 * A person spoke against the work: what was approved is no longer, nothing of it is landed, and what the last review said
 * is not gone by any more, however the task is taken up again.
 */
function withdrawn({ phase }: Loop): Partial<Loop> {
  const judged = phase === 'judge' || phase === 'land'
  const phaseNow = judged ? 'review' : phase
  return { approval: null, landing: null, reviewing: null, unparsed: null, panel: [], phase: phaseNow }
}
