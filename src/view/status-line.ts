/** One task on one line, as `status` and the end of `work` show it. */
import { enumerated } from '../core/listed.ts'
import type { RunningSession } from '../core/session/session.ts'
import type { TaskSummary } from '../core/summary.ts'
import { clip, widthOf } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import { dollars, timeAhead, timeOfDay, tokenCount } from './amounts.ts'
import { isGathered } from './next-lines.ts'

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

/** A title can be very long. */
const longestTitle = 200

/** On a terminal with this many columns the title is cut to fit. Without a terminal (null) it stays whole. */
export function statusLine(
  task: TaskSummary,
  paint: Paint = noPaint,
  columns: number | null = null,
  now = new Date(),
): string {
  const brush = paint[colours[task.status]]
  const before = `${task.id}. ${task.type} `
  const stands = `  ${standing(task, now)}`
  const title = oneLine(task.title, longestTitle)
  const line = (shown: string, after: string) =>
    `${brush(signs[task.status])} ${before}${shown}${brush(stands)}${after}`
  // The longest first; the least important part is dropped first.
  const afters = [`${used(task)}${paint.dim(order(task))}`, used(task)]
  if (columns === null) return line(title, afters[0] ?? '')
  const room = columns - widthOf(`? ${before}${stands}`)
  const least = Math.min(leastTitle, widthOf(title))
  const after = afters.find((each) => room - widthOf(each) >= least) ?? ''
  return clip(line(clip(title, Math.max(room - widthOf(after), least)), after), columns)
}

/** People recognise their task by this many characters. The end of the line is dropped before the title gets shorter. */
const leastTitle = 20

/** What the task comes after, as long as the task is not over. */
function order(task: TaskSummary): string {
  if (task.status === 'completed' || task.status === 'cancelled') return ''
  const words = orderWords(task)
  return words === '' ? '' : `  ${words}`
}

/** `after 3, 5, group 2`. Empty without dependencies and group. */
export function orderWords({ dependsOn, group }: Pick<TaskSummary, 'dependsOn' | 'group'>): string {
  const after = dependsOn.length === 0 ? [] : [`after ${dependsOn.join(', ')}`]
  return [...after, ...(group === null ? [] : [`group ${group}`])].join(', ')
}

/** The cost so far, or the tokens if the cost is unknown. Empty if the agents report neither. */
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
      // A summary that an older version stored has no such key.
      const against = task.dissent > 0 ? `, ${task.dissent} dissenting` : ''
      const merged =
        task.landed === null ? '' : isGathered(task) ? `  on ${oneLine(task.landedOn ?? '', 60)}` : '  merged'
      return `completed  ${task.verdict ? `${task.verdict} (${cycles}${late}${against})` : 'not reviewed'}${merged}`
    }
    case 'blocked':
      if (task.heldBy?.length > 0) return `blocked  ${task.reason} (waits for ${enumerated(task.heldBy, 5)})`
      // Approved work that could not be merged, or that ran out of budget, is not blocked by its verdict.
      return task.verdict === 'APPROVED' || (task.verdict !== null && task.reason === 'budget')
        ? `blocked  ${task.reason} (${task.verdict}, ${cycles})`
        : `blocked  ${task.verdict ?? task.reason} (${cycles})`
    case 'failed':
      return `failed  ${task.reason}`
    case 'pending':
      // This is only known to be true until a worker claims the task.
      if (task.behind !== null) return `pending  (waits for ${task.behind}, which touches the same files)`
      return task.iteration === 0 ? 'pending' : `pending  (continues in ${task.phase}, ${cycles} so far)`
    case 'awaiting_review':
    case 'cancelled':
      return task.status
  }
}

/** About an agent whose worker is gone: since when it runs, by the reader's clock, and what to do. */
export function unattendedLine(task: number, { role, startedAt }: RunningSession): string {
  return `the ${role} has been running unattended since ${timeOfDay(startedAt)}; umpire work continues it, umpire cancel ${task} stops it`
}

/** The current cycle: that of the running or the next review. */
export function presentCycle(task: TaskSummary): number {
  return Math.min(
    task.phase === 'judge' ? task.cycle : task.cycle + 1,
    task.maxCycles ?? Number.POSITIVE_INFINITY,
  )
}
