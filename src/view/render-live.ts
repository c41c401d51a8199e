/**
 * The running tasks as `work` shows them on a terminal: a line for each with the current step and its duration, and
 * below it the latest line that the agent printed. A pure function of the loops and the clock; it does not draw.
 *
 *   → 29. Add feature X  [2/3] Reviewing… 0:41
 *       Reading src/greet.ts
 */
import { decide } from '../core/decide.ts'
import { type Loop, runningSessions } from '../core/loop.ts'
import { limitWaitedFor } from '../core/policy/failure.ts'
import { summarise } from '../core/summary.ts'
import { clip, widthOf } from '../lib/text/columns.ts'
import type { Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import { stopwatch, timeOfDay } from './amounts.ts'
import { limitUntil, presentCycle } from './status-line.ts'

export interface LiveTask {
  loop: Loop
  /** When the current step began. */
  since: string
  /** The latest line of the running agent, and the session that printed it. */
  said: string | null
  saidIn?: string | null
}

export interface Room {
  columns: number
  rows: number
}

export function renderLive(tasks: LiveTask[], now: Date, { columns, rows }: Room, paint: Paint): string[] {
  const going = tasks
    .filter(({ loop }) => loop.standing.status === 'in_progress')
    .toSorted((one, other) => one.loop.id - other.loop.id)
  const parts = going.map((task) => ({ line: taskLine(task, now, columns, paint), task }))
  if (parts.length > rows) {
    const shown = parts.slice(0, Math.max(rows - 1, 0)).map(({ line }) => line)
    return [...shown, paint.dim(`… and ${parts.length - shown.length} more`)]
  }
  // The agents' lines are shown only if there is room for all of them.
  const saying = parts.filter(({ task }) => saidBy(task) !== null).length
  const withWords = parts.length + saying <= rows
  return parts.flatMap(({ line, task }) => {
    const said = withWords ? saidBy(task) : null
    return said === null ? [line] : [line, `    ${paint.dim(clip(said, columns - 4))}`]
  })
}

/** Names the current step. The words stay the same as long as the step does; null between two steps. */
export function doing(loop: Loop): string | null {
  const step = decide(loop)
  switch (step.do) {
    // Until its session has begun, a developer's worktree is being made and set up.
    case 'open':
    case 'develop':
      return 'Preparing…'
    case 'baseline':
      return `Trying ${oneLine(step.gate.name, 30)} on the base…`
    case 'attend':
      if (step.session.role === 'reviewer') return 'Reviewing…'
      if (step.session.role === 'parser') return readingReview
      if (step.session.role === 'resolver') return 'Resolving conflicts…'
      if (step.session.iteration === 1) return 'Developing…'
      return loop.turn.feedback ? 'Improving…' : 'Continuing…'
    case 'review':
      return 'Preparing the review…'
    case 'await':
      return loop.turn.phase === 'review' ? 'Reviewing…' : 'Waiting for a checkpoint…'
    case 'parse':
      return readingReview
    case 'commit':
      return 'Committing…'
    case 'gate':
      return `Checking: ${oneLine(step.gate.name, 30)}…`
    case 'witness':
      return 'Running witnesses…'
    case 'land':
      return 'Landing…'
    case 'resolve':
      return 'Preparing…'
    case 'merge':
    case 'conclude':
    case 'abandon':
      return 'Merging…'
    case 'combine':
    case 'checkpoint':
    case 'record':
    case 'rest':
      return null
  }
}

const readingReview = 'Reading the review…'

function taskLine({ loop, since }: LiveTask, now: Date, columns: number, paint: Paint): string {
  const summary = summarise(loop)
  const cycles = summary.maxCycles === null ? '' : `[${presentCycle(summary)}/${summary.maxCycles}] `
  const what =
    waiting(loop, now) ??
    `${doing(loop) ?? 'Deciding…'} ${stopwatch(now.getTime() - Date.parse(runningSessions(loop)[0]?.startedAt ?? since))}`
  const head = `→ ${loop.id}. `
  // The title is cut before the current step, because readers look for the step.
  const room = Math.max(columns - widthOf(head) - widthOf(`  ${cycles}${what}`), leastTitle)
  const title = clip(oneLine(loop.task.title, longestTitle), Math.min(room, longestTitle))
  return clip(`${paint.cyan('→')}${head.slice(1)}${title}  ${paint.dim(cycles)}${what}`, columns)
}

const longestTitle = 60
const leastTitle = 8

/** Why the task is waiting and until when: after a failure Umpire pauses, or the agent named a time itself. */
function waiting(loop: Loop, now: Date): string | null {
  const step = decide(loop)
  const notBefore = 'notBefore' in step ? step.notBefore : null
  const left = notBefore === null ? 0 : Date.parse(notBefore) - now.getTime()
  if (notBefore === null || left <= 0) return null
  const limit = limitWaitedFor(loop)
  // The countdown comes first, because a narrow terminal cuts the rest.
  const waited = `waiting ${stopwatch(left + 999)}`
  if (limit) return `${waited} for ${limitUntil(limit, now)}`
  const why = loop.turn.tries.last ? ` (${loop.turn.tries.last.class})` : ''
  return `${waited} until ${timeOfDay(notBefore)}${why}`
}

/** A line of JSON tells a person nothing, so the agent's last `report_progress` is shown instead. */
function saidBy({
  loop: {
    turn: { session },
  },
  said,
}: LiveTask): string | null {
  const line = said === null || !session ? '' : oneLine(said, 300)
  if (line !== '' && !line.startsWith('{')) return line
  return session?.progress ? oneLine(session.progress.text, 300) : null
}
