/** Everything about one task on a page, for `show`. */
import type { LedgerIssue } from '../core/ledger.ts'
import type { Loop } from '../core/loop.ts'
import { summarise } from '../core/summary.ts'
import { oneLine, printable } from '../lib/printable.ts'
import type { GateRow, ReviewRow, SessionRow } from '../store/archive.ts'
import { standing } from './status-line.ts'

export interface TaskPage {
  loop: Loop
  sessions: SessionRow[]
  reviews: ReviewRow[]
  gates: GateRow[]
}

export function renderTaskPage({ loop, sessions, reviews, gates }: TaskPage): string {
  const { task, place } = loop
  const summary = summarise(loop)
  const sections = [
    [`#${loop.id} ${oneLine(task.title, 100)}`, `${task.type}, ${standing(summary)}`],
    stopped(loop),
    task.description ? indent(printable(task.description)) : [],
    listed(
      'Acceptance criteria',
      task.accept.map((criterion) => oneLine(criterion)),
    ),
    place ? [`Branch ${place.branch}, from ${place.base}`] : [],
    listed('Issues', loop.ledger.map(issueLine)),
    listed(
      'Reviews',
      reviews.map((review) => `${review.cycle}. ${review.verdict}  ${oneLine(review.summary, 90)}`),
    ),
    listed('Gates', latestGates(gates).map(gateLine)),
    listed('Sessions', sessions.map(sessionLine)),
    listed(
      'Refused to agents',
      sessions.flatMap((session) => session.refused.map((move) => `${session.id}: ${oneLine(move)}`)),
    ),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

function stopped(loop: Loop): string[] {
  if (!loop.detail) return []
  return [`${loop.reason}: ${printable(loop.detail)}`, ...loop.recovery.map((command) => `  ${command}`)]
}

function issueLine(issue: LedgerIssue): string {
  const place =
    issue.file === null ? '' : ` ${oneLine(issue.file)}${issue.line === null ? '' : `:${issue.line}`}`
  const life =
    issue.status === 'open'
      ? `opened in ${issue.openedIn}`
      : `opened in ${issue.openedIn}, resolved in ${issue.resolvedIn}`
  const marks = [
    issue.severity,
    issue.late ? 'late' : '',
    issue.reopened > 0 ? `reopened ${issue.reopened} times` : '',
    life,
  ]
  return `${issue.number}. ${issue.status} ${issue.type}${place} (${marks.filter(Boolean).join(', ')}): ${oneLine(issue.description)}`
}

/** Of a gate that ran often only its last result is told. */
function latestGates(gates: GateRow[]): GateRow[] {
  return gates.filter((gate, index) => !gates.slice(index + 1).some((later) => later.name === gate.name))
}

function gateLine(gate: GateRow): string {
  const how = gate.passed
    ? 'passed'
    : gate.timedOut
      ? 'ran out of time'
      : `failed (exit code ${gate.exitCode})`
  return `${oneLine(gate.name, 40)}: ${how}  ${oneLine(gate.command, 80)}`
}

function sessionLine(session: SessionRow): string {
  const outcome =
    session.outcome?.kind === 'failed' ? `${session.outcome.class}: ${oneLine(session.outcome.detail)}` : ''
  return `${session.id} ${session.role}, cycle ${session.cycle}, ${oneLine(session.agent, 40)}: ${session.status} ${outcome}`.trimEnd()
}

function listed(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

function indent(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`)
}
