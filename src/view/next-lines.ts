/** Where the work that was done lies, and how it is taken over. Said once at the end, for however many tasks. */
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

/** What is done is merged into the branch that gathers its group's work, and not into the base. */
export function isGathered({ landedOn, base }: Pick<TaskSummary, 'landedOn' | 'base'>): boolean {
  return landedOn !== null && landedOn !== base
}

function onBranches(ids: number[]): string[] {
  if (ids.length === 0) return []
  const [name, which] = ids.length === 1 ? [ids[0], ''] : ['ID', ` (${ids.join(', ')})`]
  return [`Next: umpire diff ${name} shows what was done, umpire merge ${name} takes it over${which}.`]
}

/** A group begins with what those before it gathered, so the last one brings them along. */
function onGroups(tasks: TaskSummary[]): string[] {
  const last = Math.max(...tasks.map(({ group }) => group ?? 0))
  const top = tasks.filter(({ group }) => (group ?? 0) === last)
  const earlier = tasks.filter((task) => !top.includes(task))
  // What nobody approved is not brought along, only merged by its own name.
  const named = [...idsOf(top), ...idsOf(earlier.filter(({ verdict }) => verdict !== 'APPROVED'))]
  const before = idsOf(earlier).filter((id) => !named.includes(id))
  const [first] = top
  if (!first) return []
  const name = idsOf(tasks).length === 1 ? first.id : 'ID'
  const along = before.length === 0 ? '' : ` and with it the groups before (${before.join(', ')})`
  return [
    `Next: umpire diff ${name} shows what was done, umpire merge ${named.join(' ')} takes over ` +
      `${oneLine(first.landedOn ?? '', 80)}${along}.`,
  ]
}

function merged(done: TaskSummary[]): string[] {
  const [first] = done
  if (!first) return []
  const ids = idsOf(done)
  const [name, which] = ids.length === 1 ? [first.id, ''] : ['ID', ` (${ids.join(', ')})`]
  return [
    `Next: umpire diff ${name} shows what was done${which}; it is in ${oneLine(first.landedOn ?? '', 80)} already.`,
  ]
}

function idsOf(tasks: TaskSummary[]): number[] {
  return tasks.map(({ id }) => id).toSorted((one, other) => one - other)
}
