import type { Loop } from '../../core/loop.ts'
import type { Task } from '../../core/task.ts'
import { type MergedInBrief, mergesFile, type ResolvedMerge } from '../../prompts/merged-in.ts'
import type { OtherLoop } from '../../prompts/other-loops.ts'
import { hasWork } from '../develop/starting-work.ts'
import type { Ports } from '../ports.ts'

/** The loops of this run that are under way or have ended in it, this one included, in the order of their tasks. */
export async function otherLoops(loop: Loop, { archive, journal }: Ports): Promise<OtherLoop[]> {
  const run = loop.claim?.run
  const [started] =
    run === undefined ? [] : await journal.list({ stream: `run/${run}`, types: ['run.started'] })
  const found = (await archive.tasks()).filter(
    ({ id, status, endedAt }) =>
      id === loop.id || status === 'in_progress' || (endedAt !== null && started && endedAt >= started.at),
  )
  return found.map(({ id, title, status, iteration }) => ({ title, status, iteration, own: id === loop.id }))
}

/** A review or an improvement can't be understood without the task whose work it is about. */
export async function taskItIsFor(loop: Loop, ports: Ports): Promise<{ id: number; task: Task } | null> {
  if (loop.task.of === null) return null
  const other = await ports.archive.loop(loop.task.of)
  // A review task of an implementation: what was asked for is said by the first of the chain.
  if (other?.task.type === 'review' && other.task.of !== null) return taskItIsFor(other, ports)
  return other && { id: other.id, task: other.task }
}

/** The tasks whose approved work is in the tree that this one began with, because it depends on them or waited for them. */
export async function tasksBuiltOn(loop: Loop, ports: Ports): Promise<{ id: number; title: string }[]> {
  const found: { id: number; title: string }[] = []
  const {
    task,
    work: { place },
    standing: { waitedBehind },
  } = loop
  // What it waited for may have been approved only after it began; that is on record, and what it depends on is always in.
  const waitedFor = waitedBehind.filter((id) => place?.builtOn?.some((other) => other.task === id))
  const all = [...new Set([...task.dependsOn, ...waitedFor])]
  // What such a task begins with is the work of the one that it is for.
  for (const id of task.of === null ? all : []) {
    const other = await ports.archive.loop(id)
    if (other && hasWork(other)) found.push({ id, title: other.task.title })
  }
  return found
}

const mostIntentions = 10

/**
 * The tasks whose work a branch is that is merged into this loop's: the one whose branch it is, or those that landed there
 * since this loop began.
 */
export async function intentionsOf(
  other: string,
  loop: Loop,
  { archive }: Ports,
): Promise<{ id: number; title: string }[]> {
  const found: { id: number; title: string }[] = []
  for (const { id, title, branch, landed, endedAt } of await archive.tasks()) {
    if (id === loop.id) continue
    const isLater = landed !== null && (endedAt ?? '') > (loop.standing.startedAt ?? '')
    const into = isLater && branch !== other ? (await archive.loop(id))?.landing.landed?.base : null
    if (branch === other || into === other) found.push({ id, title })
  }
  return found.slice(-mostIntentions)
}

/**
 * What the reviewer is told of the merges in this work; null when the work is only its developer's. Where somebody settled
 * something it is told until that is approved, whatever a developer adds to it.
 */
export async function mergedIn(
  loop: Loop,
  tree: string,
  folder: string,
  ports: Ports,
): Promise<MergedInBrief | null> {
  const {
    work: { merged },
  } = loop
  const resolutions = merged?.resolutions ?? []
  if (!merged || (resolutions.length === 0 && merged.tree !== tree)) return null
  const settled: ResolvedMerge[] = []
  for (const resolution of resolutions) {
    const { branch, conflicts } = resolution
    const [intentions, compared] = await Promise.all([
      intentionsOf(branch, loop, ports),
      ports.vcs.compareMerge(resolution),
    ])
    settled.push({ branch, conflicts, intentions, ...compared })
  }
  return { branch: merged.branch, settled, file: `${folder}/${mergesFile}` }
}
