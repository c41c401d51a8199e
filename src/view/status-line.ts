/** One task on one line, as `status` and the end of `work` show it. */
import type { RunningSession } from '../core/loop.ts'
import type { TaskSummary } from '../core/summary.ts'
import { noPaint, type Paint } from '../lib/paint.ts'
import { oneLine } from '../lib/printable.ts'
import { dollars, timeAhead, timeOfDay, tokenCount } from './amounts.ts'

const signs: Record<TaskSummary['status'], string> = {
  pending: '·',
  in_progress: '→',
  awaiting_review: '?',
  completed: '✓',
  blocked: '!',
  failed: '✗',
  cancelled: '-',
}

const colours: Record<TaskSummary['status'], keyof Paint> = {
  pending: 'dim',
  in_progress: 'cyan',
  awaiting_review: 'yellow',
  completed: 'green',
  blocked: 'yellow',
  failed: 'red',
  cancelled: 'dim',
}

export function statusLine(task: TaskSummary, paint: Paint = noPaint, now = new Date()): string {
  const brush = paint[colours[task.status]]
  const sign = brush(signs[task.status])
  return `${sign} ${task.id}. ${task.type} ${oneLine(task.title, 60)}  ${brush(standing(task, now))}${used(task)}`
}

/** What it cost so far, or where nobody knows that, how many tokens it took; nothing where no agent tells. */
function used({ costUsd, tokens }: TaskSummary): string {
  if (costUsd !== null) return `  ${dollars(costUsd)}`
  return tokens === null ? '' : `  ${tokenCount(tokens)} tokens`
}

/** Where a task stands, in words: `completed  APPROVED (3 cycles)`, `in_progress (cycle 2/3)`. */
export function standing(task: TaskSummary, now = new Date()): string {
  const { waitsFor } = task
  const waits = waitsFor && Date.parse(waitsFor.until) > now.getTime()
  return waits ? `${stands(task)}, waits for ${limitUntil(waitsFor, now)}` : stands(task)
}

/** `claude’s limit until 14:05`. */
export function limitUntil({ agent, until }: { agent: string; until: string }, now: Date): string {
  return `${oneLine(agent, 40)}’s limit until ${timeAhead(until, now)}`
}

function stands(task: TaskSummary): string {
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
      const merged = task.landed === null ? '' : '  merged'
      return `completed  ${task.verdict ? `${task.verdict} (${cycles}${late})` : 'not reviewed'}${merged}`
    }
    case 'blocked':
      // Approved work that could not be merged: what holds it up is not its verdict.
      return task.verdict === 'APPROVED'
        ? `blocked  ${task.reason} (APPROVED, ${cycles})`
        : `blocked  ${task.verdict ?? task.reason} (${cycles})`
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
  return `the ${role} runs unattended since ${timeOfDay(startedAt)}; umpire work takes it up, umpire cancel ${task} ends it`
}

/** The cycle being worked on: of the review that runs or comes next. */
export function presentCycle(task: TaskSummary): number {
  return Math.min(
    task.phase === 'judge' ? task.cycle : task.cycle + 1,
    task.maxCycles ?? Number.POSITIVE_INFINITY,
  )
}
