import type { Role } from './event.ts'
import type { Policy } from './limits.ts'
import type { Loop } from './loop.ts'

/** Who is started next, if anybody is. */
export function roleInTurn({
  task,
  hand,
  phase,
  unparsed,
}: Pick<Loop, 'task' | 'hand' | 'phase' | 'unparsed'>): Role {
  if (unparsed) return 'parser'
  const reviews = hand === 'review' || task.type === 'review' || phase === 'review' || phase === 'judge'
  return reviews ? 'reviewer' : 'developer'
}

/** Who will be needed for the loop to go on from where it is. */
export function rolesOf({ task, hand, phase }: Loop, policy: Policy): Role[] {
  if (hand === 'merge' || phase === 'land') return []
  if (hand === 'review' || task.type === 'review') return ['reviewer']
  const reviewed = policy.reviewed && policy.trigger !== 'explicit' && hand !== 'improve'
  return reviewed ? ['developer', 'reviewer'] : ['developer']
}
