/** A session on one line: above its transcript, and in the list of a task's sessions. */
import type { Place } from '../core/place.ts'
import type { Paint } from '../lib/text/paint.ts'
import { oneLine } from '../lib/text/printable.ts'
import type { SessionRow } from '../store/archive.ts'
import { dollars, duration, timeOfDay, tokenCount } from './amounts.ts'

/** `── 29-3 developer, iteration 2, cycle 2, claude: done at 14:32, took 4 min 12 s ──` */
export function sessionHeader(session: SessionRow, paint: Paint): string {
  const who = `${session.role}, iteration ${session.iteration}, cycle ${session.cycle}`
  const brush = session.role === 'developer' ? paint.cyan : paint.yellow
  const text = `── ${session.id} ${who}, ${oneLine(session.agent, 40)}: ${session.status} ${when(session)} ──`
  return paint.bold(brush(text))
}

/** `29-3 developer, cycle 2, claude: done, took 4 min 12 s, $0.42, 12.3k tokens` */
export function sessionLine(session: SessionRow): string {
  const { outcome } = session
  const went = outcome?.kind === 'failed' ? `failed (${outcome.class})` : session.status
  const facts = [
    session.endedAt === null ? `since ${timeOfDay(session.startedAt)}` : `took ${took(session)}`,
    session.costUsd === null ? '' : dollars(session.costUsd),
    session.tokens === null ? '' : `${tokenCount(session.tokens)} tokens`,
    outcome?.kind === 'failed' ? oneLine(outcome.detail, 80) : '',
  ]
  const who = `${session.id} ${session.role}, cycle ${session.cycle}, ${oneLine(session.agent, 40)}`
  return `${who}: ${[went, ...facts].filter(Boolean).join(', ')}`
}

function when(session: SessionRow): string {
  return session.endedAt === null
    ? `since ${timeOfDay(session.startedAt)}`
    : `at ${timeOfDay(session.endedAt)}, took ${took(session)}`
}

function took({ startedAt, endedAt }: SessionRow): string {
  return duration(endedAt === null ? 0 : Date.parse(endedAt) - Date.parse(startedAt))
}

/** What a branch starts from: `main`, `main with the earlier groups and the work of task 3`, `the work of task 2`. */
export function startWords(
  { base, baseCommit, start, root, targetFrom, builtOn = [] }: Place,
  of: number | null,
): string {
  if (of !== null && start !== undefined) return `the work of task ${of}`
  if (root === undefined) return base
  const groups = targetFrom !== undefined && targetFrom !== baseCommit ? ['the earlier groups'] : []
  const ids = builtOn.map(({ task }) => task)
  const tasks =
    ids.length === 0 ? [] : [`the work of ${ids.length === 1 ? 'task' : 'tasks'} ${ids.join(', ')}`]
  const parts = [...groups, ...tasks]
  return `${base} with ${parts.join(' and ') || 'the work of other tasks'}`
}
