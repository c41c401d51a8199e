/** Where the finished work is, and how to merge it. Printed once at the end for all tasks together. */
import type { TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/text/printable.ts'

export function nextLines(tasks: TaskSummary[]): string[] {
  const done = tasks.filter(
    ({ status, type, branch }) => status === 'completed' && type !== 'review' && branch !== null,
  )
  const apart = done.filter(({ landed }) => landed === null)
  const gathered = done.filter(isGathered)
  const lines = [...onBranches(idsOf(apart)), ...onGroups(gathered)]
  return lines.length > 0 ? lines : merged(done)
}

/** Whether the work was merged into its group's branch and not into the base. */
export function isGathered({ landedOn, base }: Pick<TaskSummary, 'landedOn' | 'base'>): boolean {
  return landedOn !== null && landedOn !== base
}

function onBranches(ids: number[]): string[] {
  if (ids.length === 0) return []
  const [name, which] = ids.length === 1 ? [ids[0], ''] : ['ID', ` (${ids.join(', ')})`]
  return [`Next: umpire diff ${name} shows the changes, umpire merge ${name} merges them${which}.`]
}

/** A group starts from the branch of the group before it, so merging the last group merges all of them. */
function onGroups(tasks: TaskSummary[]): string[] {
  const last = Math.max(...tasks.map(({ group }) => group ?? 0))
  const top = tasks.filter(({ group }) => (group ?? 0) === last)
  const earlier = tasks.filter((task) => !top.includes(task))
  // Unapproved work is merged only if the command names its task.
  const named = [...idsOf(top), ...idsOf(earlier.filter(({ verdict }) => verdict !== 'APPROVED'))]
  const before = idsOf(earlier).filter((id) => !named.includes(id))
  const [first] = top
  if (!first) return []
  const name = idsOf(tasks).length === 1 ? first.id : 'ID'
  const along = before.length === 0 ? '' : ` and the earlier groups (${before.join(', ')})`
  return [
    `Next: umpire diff ${name} shows the changes, umpire merge ${named.join(' ')} merges ` +
      `${oneLine(first.landedOn ?? '', 80)}${along}.`,
  ]
}

function merged(done: TaskSummary[]): string[] {
  const [first] = done
  if (!first) return []
  const ids = idsOf(done)
  const [name, which] = ids.length === 1 ? [first.id, ''] : ['ID', ` (${ids.join(', ')})`]
  return [
    `Next: umpire diff ${name} shows the changes${which}. They are already in ${oneLine(first.landedOn ?? '', 80)}.`,
  ]
}

function idsOf(tasks: TaskSummary[]): number[] {
  return tasks.map(({ id }) => id).toSorted((one, other) => one - other)
}
