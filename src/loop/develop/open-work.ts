/**
 * Chooses the branch and worktree of a loop, and its first commit: the base, the approved work of the tasks and groups
 * before it, or the work of the task that it reviews or improves.
 */
import type { NewEvent } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { BuiltOn, Inherited, Place, Unmerged } from '../../core/place.ts'
import { openForDeveloper } from '../../core/review/ledger.ts'
import { isWorthTheWait } from '../../core/schedule/overlap.ts'
import type { Feedback } from '../../core/session/feedback.ts'
import { blockedEvent } from '../../core/step.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Part } from '../../vcs/merges.ts'
import type { Ports } from '../ports.ts'

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

/** A review or an improvement waits for its dependencies, but it starts with the work of the other task only. */
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

interface WorkPart extends Part {
  /** The task whose work this is, if it is not merged with other work yet. */
  work?: BuiltOn
}

/** The approved work of the tasks that it depends on. */
async function dependencyParts({ task }: Loop, ports: Ports): Promise<WorkPart[]> {
  const parts: WorkPart[] = []
  for (const id of task.dependsOn) {
    const part = partOf(await ports.archive.loop(id))
    if (part) parts.push(part)
  }
  return parts
}

/** The approved work of tasks that it waited for because both change the same files. */
async function waitedForParts(loop: Loop, ports: Ports): Promise<WorkPart[]> {
  return (await waitedFor(loop, ports)).flatMap((other) => partOf(other) ?? [])
}

/**
 * If a task that it waited for landed on the branch of the group that both belong to, its work was already merged with
 * the others there.
 */
async function gatheredParts(loop: Loop, target: string | undefined, ports: Ports): Promise<Part[]> {
  if (target === undefined) return []
  const landed = (await waitedFor(loop, ports)).filter((other) => other.landing.landed?.base === target)
  return landed.flatMap(({ id, landing: { landed } }) =>
    landed ? [{ key: `group with ${id}`, commit: landed.commit, branch: target }] : [],
  )
}

async function waitedFor({ task, standing: { waitedBehind } }: Loop, { archive }: Ports): Promise<Loop[]> {
  const others: Loop[] = []
  for (const id of waitedBehind.filter((each) => !task.dependsOn.includes(each))) {
    const other = await archive.loop(id)
    if (other && isWorthTheWait(task, other) && hasWork(other)) others.push(other)
  }
  return others
}

/** The approved work of all tasks of lower groups. Joining them skips work that another one already contains. */
async function earlierGroupParts({ task: { group } }: Loop, ports: Ports): Promise<WorkPart[]> {
  if (group === null) return []
  const parts: WorkPart[] = []
  for (const task of await ports.archive.tasks()) {
    if (task.group === null || task.group >= group || task.status !== 'completed') continue
    // If the work was merged, that commit is enough, and the task itself need not be read.
    if (task.landed !== null && task.branch !== null && task.type !== 'review')
      parts.push({ key: String(task.id), commit: task.landed, branch: task.target ?? task.branch })
    else {
      const part = partOf(await ports.archive.loop(task.id))
      if (part) parts.push(part)
    }
  }
  return parts
}

/** A review task has no work of its own: it reviews the work of another task. */
export function hasWork({ work: { place, head }, task }: Loop): boolean {
  return place !== null && head !== null && !head.empty && task.type !== 'review'
}

function partOf(loop: Loop | null): WorkPart | null {
  if (!loop?.work.place || !loop.work.head || !hasWork(loop)) return null
  const { sha } = loop.work.head
  return { key: String(loop.id), commit: sha, branch: loop.work.place.branch, work: { task: loop.id, sha } }
}

/** What to record about these commits. If work was already merged, git knows what the commit contains. */
function builtOnOf(parts: WorkPart[]): BuiltOn[] {
  const works = parts.flatMap(({ work, commit }) => (work?.sha === commit ? [work] : []))
  return works.filter(({ task }, at) => works.findIndex((work) => work.task === task) === at)
}

/** Makes a commit that contains all of them, or all before the first conflict. The others are merged into the first one. */
async function joinParts(
  { id }: Loop,
  parts: Part[],
  { vcs }: Ports,
  signal: AbortSignal,
): Promise<{ commit: string; unmerged: Unmerged[] }> {
  const [first] = parts
  if (!first) throw new Error(`loop ${id} has nothing to start from`)
  if (parts.length === 1) return { commit: first.commit, unmerged: [] }
  const joined = await vcs.startFrom({ name: `${id}-start`, parts }, signal)
  if (joined.kind === 'commit') return { commit: joined.commit, unmerged: [] }
  const { merged, with: conflicting, files } = joined
  const at = parts.findIndex(({ key }) => key === conflicting.key)
  const unmerged = parts.slice(at).map(({ commit, branch }, index) => ({
    commit,
    branch,
    // The commits after it were not tried, and most of them will merge.
    files: index === 0 ? files : [],
  }))
  return { commit: merged, unmerged }
}
