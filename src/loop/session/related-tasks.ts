/** What an agent is told about other tasks: those of the same run, those it is for or builds on, and merged ones. */
import type { Loop } from '../../core/loop.ts'
import type { Task } from '../../core/task.ts'
import {
  type MergedInBrief,
  mergesFile,
  type OtherLoop,
  type ResolvedMerge,
} from '../../prompts/other-tasks.ts'
import { hasWork } from '../develop/open-work.ts'
import type { Ports } from '../ports.ts'

/** The loops that are in progress in this run or have ended in it, including this one, in the order of their tasks. */
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

/** The task that a review or an improvement is for. Without it, the request can't be understood. */
export async function taskItIsFor(loop: Loop, ports: Ports): Promise<{ id: number; task: Task } | null> {
  if (loop.task.of === null) return null
  const other = await ports.archive.loop(loop.task.of)
  // In a chain of such tasks, the first one has the original request.
  if (other?.task.type === 'review' && other.task.of !== null) return taskItIsFor(other, ports)
  return other && { id: other.id, task: other.task }
}

/** The tasks whose approved work is in the tree that this one started with, because it depends on them or waited for them. */
export async function tasksBuiltOn(loop: Loop, ports: Ports): Promise<{ id: number; title: string }[]> {
  const found: { id: number; title: string }[] = []
  const {
    task,
    work: { place },
    standing: { waitedBehind },
  } = loop
  // A task that it waited for may have been approved after it started, which is recorded. Dependencies are always in.
  const waitedFor = waitedBehind.filter((id) => place?.builtOn?.some((other) => other.task === id))
  const all = [...new Set([...task.dependsOn, ...waitedFor])]
  // Such a task starts with the work of the task that it is for.
  for (const id of task.of === null ? all : []) {
    const other = await ports.archive.loop(id)
    if (other && hasWork(other)) found.push({ id, title: other.task.title })
  }
  return found
}

const mostIntentions = 10

/**
 * The tasks whose work is on a branch that is merged into this loop's branch: the task of that branch, or the tasks that
 * landed there since this loop started.
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
 * What the reviewer is told about the merges in this work; null if only the developer made it. If a conflict was
 * resolved, the reviewer is told until the resolution is approved, whatever a developer adds to it.
 */
export async function mergedIn(
  loop: Loop,
  tree: string,
  folder: string,
  ports: Ports,
): Promise<MergedInBrief | null> {
  const { merged } = loop.work
  const resolutions = merged?.resolutions ?? []
  if (!merged || (resolutions.length === 0 && merged.tree !== tree)) return null
  const resolved: ResolvedMerge[] = []
  for (const resolution of resolutions) {
    const { branch, conflicts } = resolution
    const [intentions, compared] = await Promise.all([
      intentionsOf(branch, loop, ports),
      ports.vcs.compareMerge(resolution),
    ])
    resolved.push({ branch, conflicts, intentions, ...compared })
  }
  return { branch: merged.branch, resolved, file: `${folder}/${mergesFile}` }
}
