import type { Loop } from '../loop.ts'
import type { Role } from '../session/session.ts'
import type { Policy } from './policy.ts'

/** The role of the agent that is started next, if one is. */
export function roleInTurn({ task, asked, turn: { phase }, review: { unparsed } }: Loop): Role {
  if (unparsed) return 'parser'
  if (phase === 'resolve') return 'resolver'
  const reviews = asked === 'review' || task.type === 'review' || phase === 'review' || phase === 'judge'
  return reviews ? 'reviewer' : 'developer'
}

/** The roles that the loop needs to continue from its present phase. */
export function rolesOf({ task, asked, turn: { phase } }: Loop, policy: Policy): Role[] {
  if (asked === 'merge' || phase === 'land') return []
  if (phase === 'resolve') return asked === 'review' ? ['reviewer'] : ['resolver', 'reviewer']
  if (asked === 'review' || task.type === 'review') return ['reviewer']
  const reviewed = policy.reviewed && policy.trigger !== 'explicit' && asked !== 'improve'
  return reviewed ? ['developer', 'reviewer'] : ['developer']
}

/** Whether other tasks' work may have to be merged into the loop's, which needs a resolver if the two conflict. */
export function mayNeedResolver(
  { task, asked, standing: { waitedBehind } }: Loop,
  { land }: Pick<Policy, 'land'>,
): boolean {
  if (asked || task.type === 'review') return false
  return land === 'base' || task.group !== null || task.dependsOn.length > 0 || waitedBehind.length > 0
}
