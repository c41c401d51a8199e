import type { Role } from './event.ts'
import type { Policy } from './limits.ts'
import type { Loop } from './loop.ts'

/** Who will be needed for the loop to go on from where it is. */
export function rolesOf({ task, hand, phase }: Loop, policy: Policy): Role[] {
  if (hand === 'merge' || phase === 'land') return []
  if (hand === 'review' || task.type === 'review') return ['reviewer']
  const reviewed = policy.reviewed && policy.trigger !== 'explicit' && hand !== 'improve'
  return reviewed ? ['developer', 'reviewer'] : ['developer']
}
