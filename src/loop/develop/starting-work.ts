/** Finds the commits that a task builds on, and makes one commit that contains them all. */
import type { Loop } from '../../core/loop.ts'
import type { BuiltOn, Unmerged } from '../../core/place.ts'
import { isWorthTheWait } from '../../core/schedule/overlap.ts'
import type { Part } from '../../vcs/merges.ts'
import type { Ports } from '../ports.ts'

export interface WorkPart extends Part {
  /** The task whose work this is, if it is not merged with other work yet. */
  work?: BuiltOn
}

/** The approved work of the tasks that it depends on. */
export async function dependencyParts({ task }: Loop, ports: Ports): Promise<WorkPart[]> {
  const parts: WorkPart[] = []
  for (const id of task.dependsOn) {
    const part = partOf(await ports.archive.loop(id))
    if (part) parts.push(part)
  }
  return parts
}

/** The approved work of tasks that it waited for because both change the same files. */
export async function waitedForParts(loop: Loop, ports: Ports): Promise<WorkPart[]> {
  return (await waitedFor(loop, ports)).flatMap((other) => partOf(other) ?? [])
}

/** If such a task landed on the branch of the group that both belong to, its work was already merged with the others there. */
export async function gatheredParts(loop: Loop, target: string | undefined, ports: Ports): Promise<Part[]> {
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
export async function earlierGroupParts({ task: { group } }: Loop, ports: Ports): Promise<WorkPart[]> {
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
export function builtOnOf(parts: WorkPart[]): BuiltOn[] {
  const works = parts.flatMap(({ work, commit }) => (work?.sha === commit ? [work] : []))
  return works.filter(({ task }, at) => works.findIndex((work) => work.task === task) === at)
}

/** Makes a commit that contains all of them, or all before the first conflict. The others are merged into the first one. */
export async function joinParts(
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
