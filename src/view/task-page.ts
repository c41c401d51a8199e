/**
 * The page that `show` prints about a task: its state and what to do first, then the findings, the sessions and the
 * task itself. A typical task fits on one screen: long lists are cut and say where to find the rest.
 */
import type { Loop } from '../core/loop.ts'
import { summarise, type TaskSummary } from '../core/summary.ts'
import type { Task } from '../core/task.ts'
import { clip } from '../lib/text/columns.ts'
import { noPaint, type Paint } from '../lib/text/paint.ts'
import { oneLine, printable } from '../lib/text/printable.ts'
import type { GateRow, ReviewRow, SessionRow } from '../store/archive.ts'
import type { WeakenedTests } from '../weakened-tests/fact.ts'
import { ago, changeSize, duration, knownCost, tokenCount } from './amounts.ts'
import { issueLines, ledgerTitle, tallyRows, witnessLines } from './ledger-lines.ts'
import { personNeeded } from './person-needed.ts'
import { sessionLine, startWords } from './session-line.ts'
import { orderWords, standing } from './status-line.ts'

export interface TaskPage {
  loop: Loop
  sessions: SessionRow[]
  reviews: ReviewRow[]
  gates: GateRow[]
  /** The number of commits on the branch; null when nothing was committed yet. */
  commits: number | null
  /** The files that the work changes; null when that is no longer known. */
  files: { added: number | null; removed: number | null }[] | null
  /** How the work weakens tests; null when that is no longer known. */
  weakened: WeakenedTests | null
}

export interface PageStyle {
  now: Date
  /** `everything` prints all lists without a limit. */
  extent: 'a screen' | 'everything'
  columns: number
  paint?: Paint
}

/** How many lines of a screen each part may take. */
const most = {
  detail: 3,
  issues: 5,
  witnesses: 3,
  weakened: 3,
  reviews: 3,
  gates: 3,
  sessions: 4,
  description: 3,
  scope: 2,
  accept: 3,
  refused: 2,
  strays: 2,
}

export function renderTaskPage(page: TaskPage, style: PageStyle): string {
  const { loop, sessions, reviews, gates } = page
  const { extent, columns, paint = noPaint } = style
  const { task, id } = loop
  const cut = (part: keyof typeof most, lines: string[], rest: string) => {
    if (extent === 'everything' || lines.length <= most[part]) return lines
    const left = lines.length - most[part]
    return [...lines.slice(0, most[part]), `… and ${left} more: see ${rest}`]
  }
  const all = `umpire show ${id} --all`
  const listed = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : [paint.bold(title), ...lines.map((line) => clip(`  ${line}`, columns))]
  const reviewed = reviews.map((review) => reviewLine(review, style.now)).reverse()
  const refused = sessions.flatMap((session) =>
    session.refused.map((move) => `${session.id}: ${oneLine(move)}`),
  )
  const strays = loop.work.strays.map(({ session, text }) => `${session}: ${oneLine(text, 300)}`).reverse()
  const sections = [
    heading(page, style),
    stopped(page, (lines) => cut('detail', lines, all), paint),
    listed(ledgerTitle(loop.review.ledger), cut('issues', issueLines(loop.review.ledger), all)),
    listed(
      'Issues by review',
      isAboutIssues(loop) || extent === 'everything' ? tallyRows(loop.review.tally) : [],
    ),
    listed('Witnesses', cut('witnesses', witnessLines(loop.review.ledger), all)),
    listed('Weakened tests', cut('weakened', weakenedLines(page.weakened), all)),
    listed('Reviews, latest first', cut('reviews', reviewed, `umpire reviews ${id}`)),
    listed('Gates', cut('gates', [...latestGates(gates).map(gateLine), ...gatesToRun(loop, gates)], all)),
    // Latest first: in a long history readers look for the end.
    listed(
      'Sessions, latest first',
      cut('sessions', sessions.map(sessionLine).reverse(), `umpire log ${id}`),
    ),
    listed('Description', cut('description', textLines(task.description), all)),
    listed('Scope', cut('scope', textLines(task.scope ?? ''), all)),
    listed('Acceptance criteria', cut('accept', task.accept.map(whole), all)),
    listed('Commands refused to agents', cut('refused', refused, all)),
    listed('Changed outside the worktree while a developer ran', cut('strays', strays, all)),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function heading({ loop, files, sessions }: TaskPage, { now, paint = noPaint }: PageStyle): string[] {
  const {
    task,
    work: { place },
  } = loop
  const summary = summarise(loop)
  const told = times(summary, sessions, now)
  const size = files === null ? '' : `: ${changeSize(files)}`
  return [
    paint.bold(`#${loop.id} ${oneLine(task.title, 100)}`),
    `${task.type}, ${standing(summary, now)}`,
    ...(told === '' ? [] : [told]),
    ...placeInPlan(task),
    ...(place ? [`Branch ${oneLine(place.branch)}, from ${oneLine(startWords(place, task.of))}${size}`] : []),
  ]
}

/** What the task comes after, and the plan it was imported from. */
function placeInPlan(task: Task): string[] {
  const words = orderWords(task)
  const from = task.source && `task ${task.source.task} of the plan ${oneLine(task.source.plan, 80)}`
  const line = [words, from].filter(Boolean).join('; ')
  return line === '' ? [] : [`${line[0]?.toUpperCase()}${line.slice(1)}`]
}

function times(
  { startedAt, endedAt, costUsd, tokens }: TaskSummary,
  sessions: SessionRow[],
  now: Date,
): string {
  if (startedAt === null) return ''
  const untold = sessions.filter((session) => session.endedAt !== null && session.costUsd === null).length
  const facts = [
    endedAt === null
      ? `started ${ago(startedAt, now)}`
      : `ended ${ago(endedAt, now)}, took ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`,
    costUsd === null ? '' : knownCost(costUsd, untold),
    tokens === null ? '' : `${tokenCount(tokens)} tokens`,
  ]
  return facts.filter(Boolean).join(', ')
}

function stopped({ loop, commits }: TaskPage, cut: (lines: string[]) => string[], paint: Paint): string[] {
  const needed = personNeeded(summarise(loop), commits)
  if (!needed) return []
  const [first = '', ...rest] = textLines(needed.happened)
  return [
    ...cut([`${paint.yellow(loop.standing.reason ?? loop.standing.status)}: ${first}`, ...rest]),
    ...(needed.kept ? [`Kept: ${needed.kept}.`] : []),
    'Next:',
    ...elsewhere(needed.next, loop.id).map((command) => `  ${paint.bold(command)}`),
  ]
}

/** Leaves out `umpire show`: the reader of this page has just typed it. */
function elsewhere(commands: string[], id: number): string[] {
  const others = commands.filter((command) => command !== `umpire show ${id}`)
  return others.length > 0 ? others : commands
}

function reviewLine(review: ReviewRow, now: Date): string {
  const { cycle, verdict, summary, reviewedAt, parsedBy, kind } = review
  if (kind === 'checkpoint')
    return `checkpoint: ${verdict}, ${ago(reviewedAt, now)}${summary.trim() ? `: ${whole(summary)}` : ''}`
  const by = parsedBy === null ? '' : `, read by the parser ${parsedBy}`
  return `${cycle}. ${verdict}, ${ago(reviewedAt, now)}${by}${summary.trim() ? `: ${whole(summary)}` : ''}`
}

/** Only the last result of each gate. */
function latestGates(gates: GateRow[]): GateRow[] {
  return gates.filter((gate, index) => !gates.slice(index + 1).some((later) => later.name === gate.name))
}

/** The task's own gates that have not run yet. */
function gatesToRun({ task, standing: { status } }: Loop, ran: GateRow[]): string[] {
  if (status === 'completed' || status === 'cancelled') return []
  return task.gates
    .filter((command) => !ran.some((gate) => gate.command === command))
    .map((command) => `not run yet: ${whole(command)}`)
}

function gateLine(gate: GateRow): string {
  const how = gate.passed ? 'passed' : gate.timedOut ? 'timed out' : `failed (exit code ${gate.exitCode})`
  return `${oneLine(gate.name, 40)}: ${how} in ${duration(gate.durationMs)}  ${whole(gate.command)}`
}

/** When the task stopped because issues do not decrease, the reader wants to see how they came and went. */
function isAboutIssues({ standing: { reason } }: Loop): boolean {
  return reason === 'churning' || reason === 'stalled'
}

/** The text on one line. The caller cuts it to the page's width. */
function whole(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY)
}

function textLines(text: string): string[] {
  const lines = printable(text).trim().split('\n')
  return lines.length === 1 && lines[0] === '' ? [] : lines
}

/** A line for each fact, and one for those that are not listed. Content of files is shown as plain text. */
export function weakenedLines(weakened: WeakenedTests | null): string[] {
  if (!weakened) return []
  const { facts, more } = weakened
  const lines = facts.map(
    ({ kind, file, line, text }) =>
      `${kind} ${oneLine(file)}${line === null ? '' : `:${line}`}: ${oneLine(text, 200)}`,
  )
  return more === 0 ? lines : [...lines, `and ${more} more that are not listed`]
}
