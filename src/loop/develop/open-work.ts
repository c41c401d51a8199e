/**
 * Chooses the branch and worktree of a loop, and its first commit: the base, the approved work of the tasks and groups
 * before it, or the work of the task that it reviews or improves.
 */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { Inherited, Place } from '../../core/place.ts'
import { openForDeveloper } from '../../core/review/ledger.ts'
import type { Feedback } from '../../core/session/feedback.ts'
import { blockedEvent } from '../../core/step.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Ports } from '../ports.ts'
import {
  builtOnOf,
  dependencyParts,
  earlierGroupParts,
  gatheredParts,
  joinParts,
  type WorkPart,
  waitedForParts,
} from './starting-work.ts'

export async function openWork(loop: Loop, ports: Ports, signal: AbortSignal): Promise<NewEvent[]> {
  const planned = await ports.vcs.plan({ id: loop.id, title: loop.task.title })
  if (loop.task.of !== null) return openForAnother(loop, loop.task.of, planned, ports, signal)
  const base = { key: 'base', commit: planned.baseCommit, branch: planned.base }
  const earlier = await earlierGroupParts(loop, ports)
  const below = await joinParts(loop, [base, ...earlier], ports, signal)
  const group = await groupOf(loop, below.commit, ports)
  const begun = { key: 'start', commit: below.commit, branch: planned.base }
  const wanted = await dependencyParts(loop, ports)
  const waitedFor = await waitedForParts(loop, ports)
  const gathered = await gatheredParts(loop, group.target, ports)
  const join = (parts: WorkPart[]) => joinParts(loop, [begun, ...gathered, ...parts], ports, signal)
  let parts = [...wanted, ...waitedFor]
  let start = await join(parts)
  if (start.unmerged.length > 0 && waitedFor.length > 0) {
    // The person did not ask for this order, so a conflict between these is not theirs to resolve.
    parts = wanted
    start = await join(parts)
  }
  const unmerged = [...below.unmerged, ...start.unmerged]
  const isBase = start.commit === planned.baseCommit
  const root = isBase ? {} : { start: start.commit, root: start.commit }
  const builtOn = builtOnOf([...earlier, ...parts])
  const place: Place = { ...planned, ...group, ...root, ...(builtOn.length > 0 && { builtOn }) }
  return [{ type: 'loop.started', data: { place, ...(unmerged.length > 0 && { unmerged }) } }]
}

/** Such a task waits for its dependencies, but it starts with the work of the other task only. */
async function openForAnother(
  loop: Loop,
  of: number,
  planned: Place,
  ports: Ports,
  signal: AbortSignal,
): Promise<NewEvent[]> {
  const other = await ports.archive.loop(of)
  if (!other?.work.place || !other.work.head || other.work.head.empty)
    return [blockedEvent(loop, 'dependency', `Task ${of}, which this task is for, has no work.`)]
  const { sha, tree } = other.work.head
  const { base, baseCommit, root, builtOn } = other.work.place
  const below = { key: 'base', commit: planned.baseCommit, branch: planned.base }
  const begins = await joinParts(loop, [below, ...(await earlierGroupParts(loop, ports))], ports, signal)
  const group = await groupOf(loop, begins.commit, ports)
  // It gets its own branch, so that the other task can continue meanwhile. Its diff is against the base of the other task.
  const begun = { base, baseCommit, start: sha, ...(root && { root }), ...(builtOn && { builtOn }) }
  const place: Place = { ...planned, ...group, ...begun }
  const inherited: Inherited = { task: other.id, sha, tree, feedback: lastWords(other) }
  return [{ type: 'loop.started', data: { place, inherited } }]
}

function lastWords({ review: { last: review, ledger } }: Loop): Feedback | null {
  const issues = openForDeveloper(ledger)
  if (!review || (review.verdict === 'APPROVED' && issues.length === 0)) return null
  return { from: 'review', cycle: review.cycle, summary: review.summary, issues }
}

/**
 * The branch that collects the work of a group. All unfinished tasks of a group share one branch. A task gets a new
 * branch if its group was complete, or had not started, when the task was added. The result is empty for a task without
 * a group, for a task that merges into the base directly, and for a review, which has no work.
 */
async function groupOf(
  loop: Loop,
  from: string,
  ports: Ports,
): Promise<Pick<Place, 'target' | 'targetFrom'>> {
  const { group, type } = loop.task
  if (group === null || type === 'review' || loop.policy?.land !== 'branch') return {}
  const siblings = (await ports.archive.tasks()).filter((task) => task.group === group && task.id !== loop.id)
  const sibling = siblings.find((task) => task.target !== null && isUnderWayWith(task, loop))
  const place = sibling ? (await ports.archive.loop(sibling.id))?.work.place : null
  if (place?.target !== undefined && place.targetFrom !== undefined)
    return { target: place.target, targetFrom: place.targetFrom }
  return { target: `umpire/run-${loop.claim?.run}/group-${group}`, targetFrom: from }
}

/** Whether the task is not done, or was done after this one was added. Then the group was never complete in between. */
function isUnderWayWith({ status, landed, endedAt }: TaskSummary, { standing: { filedAt } }: Loop): boolean {
  if (status === 'cancelled') return false
  return status !== 'completed' || (landed !== null && endedAt !== null && endedAt >= filedAt)
}
