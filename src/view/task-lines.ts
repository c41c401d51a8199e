/**
 * The list of tasks as `status` and the end of `work` show it: each task on its line, and below it what a person must
 * know. Many tasks may wait for the same few others; their explanation is printed only once.
 */
import { enumerated } from '../core/listed.ts'
import type { TaskSummary } from '../core/summary.ts'
import { clip } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { personNeededLines } from './person-needed.ts'
import { statusLine } from './status-line.ts'

export interface TaskListing {
  /** The maximum width of a line; null means no limit. */
  width: number | null
  /** The width at which sentences wrap. */
  columns: number
  paint?: Paint
  /** `each` prints a line for every held task, even if many wait for the same ones. */
  held: 'each' | 'gathered'
  /** Lines to print directly below a task's line. */
  below?: (task: TaskSummary) => string[]
}

/** Up to this many tasks that wait for the same ones are listed one by one. */
const mostSingle = 3

export function taskLines(tasks: TaskSummary[], listing: TaskListing): string[] {
  const { width, columns, paint = noPaint, held, below = () => [] } = listing
  const seen = new Set<string>()
  const alike = new Map<string, TaskSummary[]>()
  for (const task of tasks.filter(isHeld)) alike.set(keyOf(task), [...(alike.get(keyOf(task)) ?? []), task])
  const told = new Set(tasks.filter((task) => !isHeld(task) && isForPerson(task)).map(({ id }) => id))
  return tasks.flatMap((task) => {
    if (!isHeld(task))
      return [statusLine(task, paint, width), ...below(task), ...personNeededLines(task, columns, paint)]
    const key = keyOf(task)
    const isFirst = !seen.has(key)
    seen.add(key)
    // If all tasks that hold this one are listed, their own lines say what happened and what to type.
    const needsWords = isFirst && !task.heldBy.every((id) => told.has(id))
    const words = needsWords ? personNeededLines(task, columns, paint) : []
    const group = alike.get(key) ?? [task]
    if (held === 'each' || group.length <= mostSingle)
      return [statusLine(task, paint, width), ...below(task), ...words]
    return isFirst ? [gathered(group, width, paint), ...words] : []
  })
}

function isHeld({ status, heldBy }: TaskSummary): boolean {
  // A summary that an older version stored has no such key.
  return status === 'blocked' && heldBy?.length > 0
}

function isForPerson({ status }: TaskSummary): boolean {
  return status === 'blocked' || status === 'failed' || status === 'awaiting_review'
}

function keyOf({ heldBy, detail }: TaskSummary): string {
  return JSON.stringify([heldBy, detail])
}

/** `! 16 tasks wait for 4: 5–20`. */
function gathered(tasks: TaskSummary[], width: number | null, paint: Paint): string {
  const causes = enumerated(tasks[0]?.heldBy ?? [], 5)
  const line = `${paint.yellow('!')} ${tasks.length} tasks wait for ${causes}: ${ranges(tasks.map(({ id }) => id))}`
  return width === null ? line : clip(line, width)
}

/** `2, 5–9, 11`. */
export function ranges(ids: number[]): string {
  const found: { from: number; to: number }[] = []
  for (const id of ids.toSorted((one, other) => one - other)) {
    const last = found.at(-1)
    if (last && id <= last.to + 1) last.to = id
    else found.push({ from: id, to: id })
  }
  const written = ({ from, to }: { from: number; to: number }) => {
    if (from === to) return `${from}`
    return to === from + 1 ? `${from}, ${to}` : `${from}–${to}`
  }
  return found.map(written).join(', ')
}
