/**
 * Which tasks may start, which wait for others that go on, and which are held because somebody has to look at another
 * one first. Pure: the answer follows from how all tasks stand, so it is the same whoever asks, and asking again after
 * it was acted upon gives nothing more to do.
 *
 * A task waits for those it depends on, for the one that it reviews or improves, and for all tasks of lower groups. Those
 * that wait for one another in this way are held as well, until a person has untied them.
 */

import { isUnderWay } from '../standing.ts'
import { describeHold } from './describe-hold.ts'
import { findKnots } from './knots.ts'
import type { Hold, TaskStanding } from './task-standing.ts'

export interface Schedule {
  /** May be worked on now, in the order in which they are to be taken. */
  ready: number[]
  /** Wait for tasks that are still going on. */
  waits: { task: number; for: number[] }[]
  /** Are to be held, or are held and named something else so far. */
  hold: Hold[]
  /** Are held, and nothing holds them any more. */
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
    // One that is freed is ready at the next look, once it is known to be.
    else if (!isHeld) result.ready.push(task.id)
  }
  result.ready.sort(inOrder(found.byId))
  return result
}

/** The lowest group first, because others wait for it, then those that are in none; within each by number. */
function inOrder(byId: Map<number, TaskStanding>): (a: number, b: number) => number {
  const groupOf = (id: number) => byId.get(id)?.group ?? Number.MAX_SAFE_INTEGER
  return (a, b) => groupOf(a) - groupOf(b) || a - b
}

/** What runs is not stopped by what happens to another task. */
function goesOnAnyway({ status, byHand, begun }: TaskStanding): boolean {
  // A review as a task of its own is always a step by hand, also before there is anything to review.
  return status === 'in_progress' || (status === 'pending' && byHand && begun)
}

interface Search {
  byId: Map<number, TaskStanding>
  /** The tasks that wait for one another, each with the way round. */
  knots: Map<number, number[]>
  /** The tasks at which it hangs in the end that this one can't go on. */
  causesOf(task: TaskStanding): ReadonlySet<number>
  /** The tasks that it waits for itself. */
  unfinishedBefore(task: TaskStanding): number[]
}

function createSearch(tasks: TaskStanding[]): Search {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const unfinished = openGroups(tasks)
  const known = new Map<number, ReadonlySet<number>>()
  const knownOfGroups = new Map<number, ReadonlySet<number>>()
  const knownMembers = new Map<number, number[]>()

  /** What holds a task that depends on this one; one that is not there was deleted. */
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
    // A knot is a cause by itself, and what it waits for beside that is told once it is untied.
    const knot = knots.get(task.id)
    if (knot) return withoutItself(knot, task.id)
    known.set(task.id, none)
    const all = new Set<number>(task.group === null ? none : behindGroup(task.group))
    for (const id of task.dependsOn) for (const cause of behind(id)) all.add(cause)
    const other = otherTask(task)
    if (other && !canBeBuiltOn(other)) for (const cause of unsolved(other)) all.add(cause)
    all.delete(task.id)
    known.set(task.id, all)
    return all
  }

  /** What holds up the tasks of this group: all that holds up the group before it, and what that one is held by. */
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

  /** The one that it reviews or improves, as long as it has not begun with its work. */
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
    // Most have no dependency beside their group, and all of these share the one list.
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

  const knots = findKnots(
    tasks.flatMap((task) => {
      const waits = (isUnderWay(task) || task.heldFor !== null) && !goesOnAnyway(task)
      return waits ? [{ id: task.id, named: unfinishedByName(task), group: task.group }] : []
    }),
  )
  return { byId, knots, causesOf, unfinishedBefore }
}

/** Those of a knot that one of its tasks waits for. */
function withoutItself(knot: number[], task: number): ReadonlySet<number> {
  const others = knot.filter((id) => id !== task)
  return new Set(others.length > 0 ? others : knot)
}

const none: ReadonlySet<number> = new Set()

/** A review or an improvement begins when the other task rests, however that came to rest. */
function canBeBuiltOn(other: TaskStanding): boolean {
  return !isUnderWay(other) && other.heldFor === null
}

/** The groups with tasks that are not done, the lowest first. A cancelled task is not waited for. */
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
