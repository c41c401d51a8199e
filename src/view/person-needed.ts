/**
 * What a person must know about a task that waits for them: what happened, what was kept, what to type next. `status`,
 * `show`, the end of `work` and notifications all take these words from here.
 */
import type { TaskSummary } from '../core/summary.ts'
import { clip, widthOf, wrap } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine, printable } from '../lib/text/printable.ts'

export interface PersonNeeded {
  happened: string
  /** Null when no work was done yet. */
  kept: string | null
  /** Commands to type. The one that helps most often comes first. */
  next: string[]
}

/** Null for a task that does not wait for a person. */
export function personNeeded(task: TaskSummary, commits: number | null = null): PersonNeeded | null {
  const { status } = task
  if (status !== 'blocked' && status !== 'failed' && status !== 'awaiting_review') return null
  return { happened: happened(task), kept: kept(task, commits), next: next(task) }
}

/** Below a task's line, within the width: what happened, what was kept, and what to type next. */
export function personNeededLines(task: TaskSummary, columns: number, paint: Paint = noPaint): string[] {
  const needed = personNeeded(task)
  if (!needed) return []
  const room = columns - indent.length
  const told = oneLine(needed.happened, 600)
  const keeping = needed.kept === null ? '' : `Kept: ${needed.kept}.`
  // Both go on one line if there is room.
  const both = `${told} ${keeping}`.trim()
  const lines = widthOf(both) <= room ? [both] : [...wrap(told, room, mostLines), clip(keeping, room)]
  return [
    ...lines.filter(Boolean).map((line) => `${indent}${paint.dim(line)}`),
    `${indent}${paint.dim('next:')} ${fitting(needed.next, room - 'next: '.length).join(paint.dim(between))}`,
  ]
}

const indent = '    '
/** Enough lines to show the end, which often says what to do. */
const mostLines = 4
const between = '  ·  '

/** As many commands as fit, but always the first. */
function fitting(commands: string[], room: number): string[] {
  const count = commands.findIndex((_, at) => widthOf(commands.slice(0, at + 1).join(between)) > room)
  return count < 0 ? commands : commands.slice(0, Math.max(count, 1))
}

function happened({ detail, reason, status }: TaskSummary): string {
  if (detail) return printable(detail)
  return status === 'awaiting_review' ? 'The work is done and waits for a review.' : `It stopped (${reason}).`
}

function kept({ branch, iteration, cycle }: TaskSummary, commits: number | null): string | null {
  // The branch has its name before it exists.
  if (!branch || (iteration === 0 && cycle === 0)) return null
  if (commits === null) return `branch ${oneLine(branch)} and its worktree`
  return `branch ${oneLine(branch)} with ${commits} ${commits === 1 ? 'commit' : 'commits'}, and its worktree`
}

function next(task: TaskSummary): string[] {
  if (task.recovery.length > 0) return task.recovery.map((command) => oneLine(command, 300))
  return task.status === 'awaiting_review'
    ? [`umpire diff ${task.id}`, `umpire review ${task.id}`]
    : [`umpire show ${task.id}`]
}
