/**
 * Deadlocks: tasks that wait for each other, so that none of them could ever continue. A deadlock can't be added
 * directly. But tasks can form one through a completed task, and it takes effect when a person reopens that task.
 */

/** What a task waits for directly: other tasks by name, and all tasks of the groups below its own. */
export interface WaitingTask {
  id: number
  named: readonly number[]
  group: number | null
}

interface Node {
  /** Null for a group. A group's node leads to each of its members and to the group below. */
  task: number | null
  next: Node[]
  previous: Node[]
}

/** For each task of a deadlock, a short path back to itself: `[1, 3]` for `1 → 3 → 1`. The lowest number comes first. */
export function findDeadlocks(tasks: readonly WaitingTask[]): Map<number, number[]> {
  const left = new Set(nodesOf(tasks))
  takeOff(left, 'next')
  takeOff(left, 'previous')
  const deadlocks = new Map<number, number[]>()
  for (const node of left) {
    const way = node.task === null ? null : wayRound(node, left)
    if (node.task !== null && way) deadlocks.set(node.task, lowestFirst(way))
  }
  return deadlocks
}

function nodesOf(tasks: readonly WaitingTask[]): Node[] {
  const newNode = (task: number | null): Node => ({ task, next: [], previous: [] })
  const join = (from: Node, to: Node | undefined) => {
    if (!to) return
    from.next.push(to)
    to.previous.push(from)
  }
  const byId = new Map(tasks.map(({ id }) => [id, newNode(id)]))
  const numbers = [...new Set(tasks.flatMap(({ group }) => group ?? []))].sort((a, b) => a - b)
  const groups = new Map(numbers.map((number) => [number, newNode(null)]))
  const below = new Map(numbers.map((number, at) => [number, groups.get(numbers[at - 1] ?? Number.NaN)]))
  for (const [number, node] of groups) join(node, below.get(number))
  for (const { id, named, group } of tasks) {
    const node = byId.get(id)
    if (!node) continue
    for (const other of named) join(node, byId.get(other))
    if (group === null) continue
    join(node, below.get(group))
    const own = groups.get(group)
    if (own) join(own, node)
  }
  return [...byId.values(), ...groups.values()]
}

/** Removes every node that waits for none of the others, or that none of the others waits for. Such a node is in no deadlock. */
function takeOff(left: Set<Node>, side: 'next' | 'previous'): void {
  const other = side === 'next' ? 'previous' : 'next'
  const counts = new Map([...left].map((node) => [node, node[side].filter((each) => left.has(each)).length]))
  const loose = [...left].filter((node) => counts.get(node) === 0)
  for (const node of loose) {
    left.delete(node)
    for (const each of node[other]) {
      const count = (counts.get(each) ?? 0) - 1
      counts.set(each, count)
      if (count === 0) loose.push(each)
    }
  }
}

function wayRound(from: Node, among: Set<Node>): number[] | null {
  const cameFrom = new Map<Node, Node>()
  const edge = [from]
  for (const node of edge) {
    for (const next of node.next) {
      if (next === from) return wayTo(node, from, cameFrom)
      if (cameFrom.has(next) || !among.has(next)) continue
      cameFrom.set(next, node)
      edge.push(next)
    }
  }
  return null
}

function wayTo(last: Node, from: Node, cameFrom: Map<Node, Node>): number[] {
  const way: number[] = []
  for (let node: Node | undefined = last; node; node = node === from ? undefined : cameFrom.get(node))
    if (node.task !== null) way.unshift(node.task)
  return way
}

function lowestFirst(way: number[]): number[] {
  const at = way.indexOf(Math.min(...way))
  return [...way.slice(at), ...way.slice(0, at)]
}
