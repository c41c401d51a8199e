/** One task on one line, as `status` and the end of `work` show it. */
import type { RunningSession } from '../core/loop.ts'
import type { TaskSummary } from '../core/summary.ts'
import { oneLine } from '../lib/printable.ts'

const signs: Record<TaskSummary['status'], string> = {
  pending: '·',
  in_progress: '→',
  awaiting_review: '?',
  completed: '✓',
  blocked: '!',
  failed: '✗',
  cancelled: '-',
}

export function statusLine(task: TaskSummary): string {
  return `${signs[task.status]} ${task.id}. ${task.type} ${oneLine(task.title, 60)}  ${standing(task)}`
}

/** Where a task stands, in words: `completed  APPROVED (3 cycles)`, `in_progress (cycle 2/3)`. */
export function standing(task: TaskSummary): string {
  const cycles = `${task.cycle} ${task.cycle === 1 ? 'cycle' : 'cycles'}`
  switch (task.status) {
    case 'in_progress':
      return task.maxCycles === null
        ? 'in_progress'
        : `in_progress (cycle ${presentCycle(task)}/${task.maxCycles})`
    case 'completed': {
      const late =
        task.lateFindings === 0
          ? ''
          : `, ${task.lateFindings} late ${task.lateFindings === 1 ? 'finding' : 'findings'}`
      return task.verdict ? `completed  ${task.verdict} (${cycles}${late})` : 'completed  not reviewed'
    }
    case 'blocked':
      return `blocked  ${task.verdict ?? task.reason} (${cycles})`
    case 'failed':
      return `failed  ${task.reason}`
    case 'pending':
      return task.iteration === 0 ? 'pending' : `pending  (to go on in ${task.phase}, ${cycles} so far)`
    case 'awaiting_review':
    case 'cancelled':
      return task.status
  }
}

/** An agent whose worker is gone: since when it runs, by the reader's clock, and what can be done about it. */
export function unattendedLine(task: number, { role, startedAt }: RunningSession): string {
  const time = new Date(startedAt)
  const clock = [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
  return `the ${role} runs unattended since ${clock}; umpire work takes it up, umpire cancel ${task} ends it`
}

/** The cycle being worked on: of the review that runs or comes next. */
export function presentCycle(task: TaskSummary): number {
  return Math.min(
    task.phase === 'judge' ? task.cycle : task.cycle + 1,
    task.maxCycles ?? Number.POSITIVE_INFINITY,
  )
}
