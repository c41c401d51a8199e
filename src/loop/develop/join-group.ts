/**
 * The branch that gathers the work of a task's group. All tasks of a group that are under way share one; it is a new one
 * when the group was complete, or had not begun, when the task was filed.
 */
import type { Loop } from '../../core/loop.ts'
import type { Place } from '../../core/place.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Ports } from '../ports.ts'

/** Nothing for a task that is in no group, or whose work is merged into the base at once, or that has none. */
export async function groupOf(
  loop: Loop,
  from: string,
  ports: Ports,
): Promise<Pick<Place, 'target' | 'targetFrom'>> {
  const { group, type } = loop.task
  if (group === null || type === 'review' || loop.policy?.land !== 'branch') return {}
  const siblings = (await ports.archive.tasks()).filter((task) => task.group === group && task.id !== loop.id)
  const sibling = siblings.find((task) => task.target !== null && isUnderWayWith(task, loop))
  const place = sibling ? (await ports.archive.loop(sibling.id))?.place : null
  if (place?.target !== undefined && place.targetFrom !== undefined)
    return { target: place.target, targetFrom: place.targetFrom }
  return { target: `umpire/run-${loop.claim?.run}/group-${group}`, targetFrom: from }
}

/** Not done, or done only after this one was filed: then the group was never complete in between. */
function isUnderWayWith({ status, landed, endedAt }: TaskSummary, { filedAt }: Loop): boolean {
  if (status === 'cancelled') return false
  return status !== 'completed' || (landed !== null && endedAt !== null && endedAt >= filedAt)
}
