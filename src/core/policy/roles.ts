import type { Loop } from '../loop.ts'
import type { Role } from '../session/session.ts'
import type { Policy } from './policy.ts'

/** Who is started next, if anybody is. */
export function roleInTurn({
  task,
  hand,
  phase,
  unparsed,
}: Pick<Loop, 'task' | 'hand' | 'phase' | 'unparsed'>): Role {
  if (unparsed) return 'parser'
  if (phase === 'resolve') return 'resolver'
  const reviews = hand === 'review' || task.type === 'review' || phase === 'review' || phase === 'judge'
  return reviews ? 'reviewer' : 'developer'
}

/** Who will be needed for the loop to go on from where it is. */
export function rolesOf({ task, hand, phase }: Loop, policy: Policy): Role[] {
  if (hand === 'merge' || phase === 'land') return []
  if (phase === 'resolve') return hand === 'review' ? ['reviewer'] : ['resolver', 'reviewer']
  if (hand === 'review' || task.type === 'review') return ['reviewer']
  const reviewed = policy.reviewed && policy.trigger !== 'explicit' && hand !== 'improve'
  return reviewed ? ['developer', 'reviewer'] : ['developer']
}

/** Whether work of others may have to be merged into the loop's, by somebody where the two conflict. */
export function mayNeedResolver(
  { task, hand, waitedBehind }: Pick<Loop, 'task' | 'hand' | 'waitedBehind'>,
  { land }: Pick<Policy, 'land'>,
): boolean {
  if (hand || task.type === 'review') return false
  return land === 'base' || task.group !== null || task.dependsOn.length > 0 || waitedBehind.length > 0
}
