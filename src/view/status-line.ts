/** One task on one line, as `status` and the end of `work` show it. */
import type { RunningSession } from '../core/session/session.ts'
import type { TaskSummary } from '../core/summary.ts'
import { clip, enumerated, widthOf } from '../lib/text/columns.ts'
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

/** A title may be a book. */
const longestTitle = 200

/** On a terminal of so many columns the title is cut to what the rest leaves; where there is none (null) it stays whole. */
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
  // The less important first.
  const afters = [`${used(task)}${paint.dim(order(task))}`, used(task)]
  if (columns === null) return line(title, afters[0] ?? '')
  const room = columns - widthOf(`? ${before}${stands}`)
  const least = Math.min(leastTitle, widthOf(title))
  const after = afters.find((each) => room - widthOf(each) >= least) ?? ''
  return clip(line(clip(title, Math.max(room - widthOf(after), least)), after), columns)
}

/** By so much a person knows their task again; what stands at the end of the line is left out before that. */
const leastTitle = 20

/** What it comes after, while that is of interest. */
function order(task: TaskSummary): string {
  if (task.status === 'completed' || task.status === 'cancelled') return ''
  const words = orderWords(task)
  return words === '' ? '' : `  ${words}`
}

/** `after 3, 5, group 2`; empty where neither is given. */
export function orderWords({ dependsOn, group }: Pick<TaskSummary, 'dependsOn' | 'group'>): string {
  const after = dependsOn.length === 0 ? [] : [`after ${dependsOn.join(', ')}`]
  return [...after, ...(group === null ? [] : [`group ${group}`])].join(', ')
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
      // A summary that an older version stored has no such key.
      const against = task.dissent > 0 ? `, ${task.dissent} dissenting` : ''
      const merged =
        task.landed === null ? '' : isGathered(task) ? `  on ${oneLine(task.landedOn ?? '', 60)}` : '  merged'
      return `completed  ${task.verdict ? `${task.verdict} (${cycles}${late}${against})` : 'not reviewed'}${merged}`
    }
    case 'blocked':
      if (task.heldBy?.length > 0) return `blocked  ${task.reason} (waits for ${enumerated(task.heldBy, 5)})`
      // Approved work that could not be merged, or for which the money is gone: what holds it up is not its verdict.
      return task.verdict === 'APPROVED' || (task.verdict !== null && task.reason === 'budget')
        ? `blocked  ${task.reason} (${task.verdict}, ${cycles})`
        : `blocked  ${task.verdict ?? task.reason} (${cycles})`
    case 'failed':
      return `failed  ${task.reason}`
    case 'pending':
      // It is only as long as nobody took it up that this is known to hold.
      if (task.behind !== null) return `pending  (waits for ${task.behind}: the same files)`
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
