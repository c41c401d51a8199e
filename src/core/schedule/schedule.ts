/**
 * Which tasks may start, which wait for tasks that are still under way, and which are held back because a person has to
 * look at another task first. It is pure: the answer follows from the state of all tasks alone, so every worker gets the
 * same one. After a worker has acted on it, asking again gives nothing more to do.
 *
 * A task waits for its dependencies, for the task that it reviews or improves, and for all tasks of lower groups. Tasks
 * that wait for each other in this way are held back as well, until a person breaks the deadlock.
 */
import { isUnderWay } from '../standing.ts'
import { findDeadlocks } from './deadlocks.ts'
import { describeHold } from './hold.ts'
import type { Hold, TaskStanding } from './task-standing.ts'

export interface Schedule {
  /** The tasks that workers may claim now, in the order in which they should claim them. */
  ready: number[]
  /** The tasks that wait for others that are still under way. */
  waits: { task: number; for: number[] }[]
  /** The tasks to hold back, and the held tasks whose reason has changed. */
  hold: Hold[]
  /** The held tasks that have no reason to be held any more. */
  free: number[]
}

export function schedule(tasks: TaskStanding[]): Schedule {
  const found = createSearch(tasks)
  const result: Schedule = { ready: [], waits: [], hold: [], free: [] }
  for (const task of tasks) {
    const isHeld = task.heldFor !== null
    if (!isUnderWay(task) && !isHeld) continue
    const causes = goesOnAnyway(task) ? [] : [...found.causesOf(task)].sort((a, b) => a - b)
    if (causes.length > 0) {
      const hold = describeHold(task, causes, found)
      if (hold.detail !== task.heldFor) result.hold.push(hold)
      continue
    }
    if (isHeld) result.free.push(task.id)
    const before = goesOnAnyway(task) ? [] : found.unfinishedBefore(task)
    if (before.length > 0) result.waits.push({ task: task.id, for: before })
    // A freed task becomes ready the next time, after the event that frees it was recorded.
    else if (!isHeld) result.ready.push(task.id)
  }
  result.ready.sort(inOrder(found.byId))
  return result
}

/** The lowest group first, because others wait for it, then tasks without a group. Within a group, by number. */
function inOrder(byId: Map<number, TaskStanding>): (a: number, b: number) => number {
  const groupOf = (id: number) => byId.get(id)?.group ?? Number.MAX_SAFE_INTEGER
  return (a, b) => groupOf(a) - groupOf(b) || a - b
}

/** A task that runs, or whose next step a person asked for, continues whatever happens to other tasks. */
function goesOnAnyway({ status, byHand, begun }: TaskStanding): boolean {
  // A review task counts as a step by hand even before there is anything to review, so it must have begun.
  return status === 'in_progress' || (status === 'pending' && byHand && begun)
}

interface Search {
  byId: Map<number, TaskStanding>
  /** The tasks that wait for each other, each with the path back to itself. */
  deadlocks: Map<number, number[]>
  /** The tasks that ultimately keep this one from continuing. */
  causesOf(task: TaskStanding): ReadonlySet<number>
  /** The unfinished tasks that it names or that are in lower groups. */
  unfinishedBefore(task: TaskStanding): number[]
}

function createSearch(tasks: TaskStanding[]): Search {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const unfinished = openGroups(tasks)
  const known = new Map<number, ReadonlySet<number>>()
  const knownOfGroups = new Map<number, ReadonlySet<number>>()
  const knownMembers = new Map<number, number[]>()

  /** The causes that hold back a task that depends on this one. A missing task was deleted. */
  function behind(id: number): ReadonlySet<number> {
    const task = byId.get(id)
    if (!task || task.status === 'cancelled') return new Set([id])
    return task.status === 'completed' ? none : unsolved(task)
  }

  function unsolved(task: TaskStanding): ReadonlySet<number> {
    if (goesOnAnyway(task)) return none
    return isUnderWay(task) || task.heldFor !== null ? causesOf(task) : new Set([task.id])
  }

  function causesOf(task: TaskStanding): ReadonlySet<number> {
    const before = known.get(task.id)
    if (before) return before
    // A deadlock is a cause in itself. Whatever else its tasks wait for is reported once the deadlock is broken.
    const deadlock = deadlocks.get(task.id)
    if (deadlock) return withoutItself(deadlock, task.id)
    known.set(task.id, none)
    const all = new Set<number>(task.group === null ? none : behindGroup(task.group))
    for (const id of task.dependsOn) for (const cause of behind(id)) all.add(cause)
    const other = otherTask(task)
    if (other && !canBeBuiltOn(other)) for (const cause of unsolved(other)) all.add(cause)
    all.delete(task.id)
    known.set(task.id, all)
    return all
  }

  /** The causes that hold back this group: those of the group before it, and the tasks of that group that are stuck. */
  function behindGroup(group: number): ReadonlySet<number> {
    const before = knownOfGroups.get(group)
    if (before) return before
    knownOfGroups.set(group, none)
    const lower = unfinished.findLast((other) => other.group < group)
    const all = new Set<number>(lower ? behindGroup(lower.group) : none)
    for (const task of lower?.tasks ?? []) for (const cause of unsolved(task)) all.add(cause)
    knownOfGroups.set(group, all)
    return all
  }

  /** The task that it reviews or improves, until it has begun with that task's work. */
  function otherTask({ of, begun }: TaskStanding): TaskStanding | null {
    return of === null || begun ? null : (byId.get(of) ?? null)
  }

  function unfinishedByName(task: TaskStanding): number[] {
    const ids = task.dependsOn.filter((id) => byId.get(id)?.status !== 'completed')
    const other = otherTask(task)
    return other && !canBeBuiltOn(other) ? [...ids, other.id] : ids
  }

  function unfinishedBefore(task: TaskStanding): number[] {
    const ids = unfinishedByName(task)
    const lower = task.group === null ? [] : membersBelow(task.group)
    // Most tasks have no dependencies besides their group, and they all share the same list.
    return ids.length === 0 ? lower : [...new Set([...ids, ...lower])].sort((a, b) => a - b)
  }

  function membersBelow(group: number): number[] {
    const before = knownMembers.get(group)
    if (before) return before
    const lower = unfinished.filter((each) => each.group < group)
    const ids = lower.flatMap((each) => each.tasks.map(({ id }) => id)).sort((a, b) => a - b)
    knownMembers.set(group, ids)
    return ids
  }

  const deadlocks = findDeadlocks(
    tasks.flatMap((task) => {
      const waits = (isUnderWay(task) || task.heldFor !== null) && !goesOnAnyway(task)
      return waits ? [{ id: task.id, named: unfinishedByName(task), group: task.group }] : []
    }),
  )
  return { byId, deadlocks, causesOf, unfinishedBefore }
}

/** The other tasks of a deadlock, for one of its tasks. */
function withoutItself(deadlock: number[], task: number): ReadonlySet<number> {
  const others = deadlock.filter((id) => id !== task)
  return new Set(others.length > 0 ? others : deadlock)
}

const none: ReadonlySet<number> = new Set()

/** A review or an improvement begins when the other task rests, for whatever reason. */
function canBeBuiltOn(other: TaskStanding): boolean {
  return !isUnderWay(other) && other.heldFor === null
}

/** The groups with tasks that are not done, the lowest first. No group waits for a cancelled task. */
function openGroups(tasks: TaskStanding[]): { group: number; tasks: TaskStanding[] }[] {
  const groups = new Map<number, TaskStanding[]>()
  for (const task of tasks) {
    if (task.group === null || task.status === 'completed' || task.status === 'cancelled') continue
    const members = groups.get(task.group)
    if (members) members.push(task)
    else groups.set(task.group, [task])
  }
  return [...groups].map(([group, members]) => ({ group, tasks: members })).sort((a, b) => a.group - b.group)
}
