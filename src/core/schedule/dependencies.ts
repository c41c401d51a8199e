/**
 * Which task waits for which: a task waits for its dependencies, for the task that it reviews or improves, and for all
 * tasks of earlier groups. A task that waits for itself in this way could never start, so it is refused before it is
 * written. These functions are pure: the caller must check right before it appends.
 */
import type { TaskStatus } from '../task.ts'

/** The parts of a task that decide its order. */
export interface Ordered {
  id: number
  dependsOn: readonly number[]
  of: number | null
  group: number | null
  status: TaskStatus
}

export interface Obstacle {
  why: string
  fix: string
}

/** How a message names a task. For a plan this is the plan's own number. */
export type NameOf = (id: number) => string

const byNumber: NameOf = (id) => String(id)

/**
 * Why task `changed` can't be saved with the dependencies it has in `tasks`, or null. Only cycles through this task
 * count: a cycle that two people created at the same moment must not keep everyone else from adding tasks.
 */
export function dependencyObstacle(
  tasks: readonly Ordered[],
  changed: number,
  nameOf = byNumber,
): Obstacle | null {
  const task = tasks.find(({ id }) => id === changed)
  if (!task) return null
  const known = new Set(tasks.map(({ id }) => id))
  const unknown = task.dependsOn.filter((id) => !known.has(id))
  if (unknown.length > 0) {
    const which = unknown.map(nameOf).join(', ')
    return { why: `There is no task ${which} to depend on.`, fix: 'umpire list --all shows the tasks.' }
  }
  const cycle = findCycle(tasks, changed)
  return cycle && { why: describeCycle(cycle, tasks, nameOf), fix: howToUntie(cycle, tasks) }
}

/** The shortest path from a task back to itself, with both ends included, or null. */
export function findCycle(tasks: readonly Ordered[], from: number): number[] | null {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const groups = holdingGroups(tasks)
  const entered = new Set<number>()
  const cameFrom = new Map<number, number>()
  let edge = [from]
  while (edge.length > 0) {
    const next: number[] = []
    for (const id of edge) {
      const task = byId.get(id)
      for (const other of task ? [...named(task), ...earlierMembers(task, groups, entered)] : []) {
        if (other === from) return wayBack(from, id, cameFrom)
        if (cameFrom.has(other) || !byId.has(other)) continue
        cameFrom.set(other, id)
        next.push(other)
      }
    }
    edge = next
  }
  return null
}

function wayBack(from: number, last: number, cameFrom: Map<number, number>): number[] {
  const way = [from]
  for (let id: number | undefined = last; id !== undefined && id !== from; id = cameFrom.get(id))
    way.unshift(id)
  return [from, ...way]
}

/** The members of each group that later groups wait for. */
function holdingGroups(tasks: readonly Ordered[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const { id, group, status } of tasks) {
    if (group === null || status === 'completed') continue
    const members = groups.get(group)
    if (members) members.push(id)
    else groups.set(group, [id])
  }
  return groups
}

function named({ dependsOn, of }: Pick<Ordered, 'dependsOn' | 'of'>): readonly number[] {
  return of === null ? dependsOn : [...dependsOn, of]
}

/**
 * Only the members of the nearest earlier group, because that group in turn waits for the groups before it. Each group is
 * returned once, because a second path to the same tasks finds nothing new.
 */
function earlierMembers(
  { group, status }: Ordered,
  groups: Map<number, number[]>,
  entered: Set<number>,
): number[] {
  // A completed task waits for no other, so the groups of an old plan don't hold back those of a new one.
  if (group === null || status === 'completed') return []
  const before = Math.max(...[...groups.keys()].filter((number) => number < group))
  if (entered.has(before)) return []
  entered.add(before)
  return groups.get(before) ?? []
}

function describeCycle(cycle: number[], tasks: readonly Ordered[], nameOf: NameOf): string {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const [first = 0] = cycle
  if (cycle.length === 2) return `Task ${nameOf(first)} would depend on itself.`
  // Steps that follow from groups were not written down as dependencies, so the message explains one.
  const held = cycle.flatMap((id, place) => {
    const task = byId.get(id)
    const next = byId.get(cycle[place + 1] ?? Number.NaN)
    const isWritten = !task || !next || task.dependsOn.includes(next.id) || task.of === next.id
    return isWritten ? [] : [{ task, next }]
  })
  const deadlock = `Tasks would wait for each other: ${cycle.map(nameOf).join(' → ')}`
  const [byGroup] = held
  if (!byGroup) return `${deadlock}.`
  const { task, next } = byGroup
  return `${deadlock}; ${nameOf(task.id)} is in group ${task.group} and starts only after ${nameOf(next.id)} of group ${next.group}.`
}

function howToUntie(cycle: number[], tasks: readonly Ordered[]): string {
  const grouped = tasks.some(({ id, group }) => cycle.includes(id) && group !== null)
  return grouped
    ? 'Remove one of the dependencies, or put the task that others depend on into the same or an earlier group.'
    : 'Remove one of the dependencies.'
}

/** Why a task can't be deleted, or null. A task that others wait for or begin with must stay. */
export function deletionObstacle(
  tasks: readonly (Ordered & { branch?: string | null })[],
  id: number,
): Obstacle | null {
  const open = tasks.filter(({ status }) => status !== 'completed')
  const dependents = open.filter(({ dependsOn }) => dependsOn.includes(id))
  // A review or an improvement that has begun has its own copy of the work.
  const meant = open.filter(({ of, branch }) => of === id && !branch)
  if (dependents.length + meant.length === 0) return null
  const words = (who: readonly Ordered[], one: string, several: string) => {
    const ids = who.map((task) => task.id)
    if (ids.length < 2) return ids.map((only) => `Task ${only} ${one} task ${id}.`)
    return [`Tasks ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)} ${several} task ${id}.`]
  }
  const commands = [...new Set([...dependents, ...meant])].map((task) => {
    const left = task.dependsOn.filter((other) => other !== id)
    return task.status === 'cancelled' || meant.includes(task)
      ? `umpire delete ${task.id}`
      : `umpire edit ${task.id} --after ${left.length > 0 ? left.join(',') : 'none'}`
  })
  return {
    why: [
      ...words(dependents, 'depends on', 'depend on'),
      ...words(meant, 'reviews or improves', 'review or improve'),
    ].join(' '),
    fix: `First: ${commands.slice(0, 3).join('; ')}${commands.length > 3 ? '; …' : ''}`,
  }
}

/** Sorts the tasks so that each comes after those it names, and otherwise keeps their order. Cycles are left as they are. */
export function inDependencyOrder<T extends Pick<Ordered, 'id' | 'dependsOn' | 'of'>>(
  tasks: readonly T[],
): T[] {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const ordered = new Set<T>()
  const begun = new Set<T>()
  function take(task: T): void {
    if (begun.has(task)) return
    begun.add(task)
    for (const id of named(task)) {
      const before = byId.get(id)
      if (before) take(before)
    }
    ordered.add(task)
  }
  for (const task of tasks) take(task)
  return [...ordered]
}
