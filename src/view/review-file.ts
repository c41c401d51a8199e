/**
 * A review as a person reads it: the file that each cycle writes. It ends with the verdict line. All text from agents is
 * quoted, so a reader that follows the rules for reviews finds this one verdict and no other.
 */
import type { ReviewRecord, SeatRecord } from '../core/review/review-record.ts'
import { oneLine, printable } from '../lib/text/printable.ts'

export function reviewFileName(task: number, cycle: number, at: string): string {
  return `${at.slice(0, 10).replaceAll('-', '')}-task-${task}-review-${cycle}.md`
}

export function renderReviewFile(
  task: { id: number; title: string },
  record: ReviewRecord,
  at: string,
): string {
  const { body, parsedBy } = record
  const by = `by the channel ${record.channel}${parsedBy === undefined ? '' : ` (session ${parsedBy})`}`
  const scores = Object.entries(body.scores).map(([name, score]) => `- ${whole(name)}: ${score}`)
  const parts = [
    `# Review ${record.cycle} of task ${task.id}: ${inHeading(task.title)}`,
    `Session ${record.session}, tree ${record.tree}, ${at}, read ${by}.`,
    body.interpretedIntent &&
      `## Intent\n\n${quoted(body.interpretedIntent)}\n\nSatisfied: ${body.intentSatisfied ?? 'not said'}`,
    record.seats && `## Panel\n\n${record.seats.map(renderSeat).join('\n')}`,
    body.summary && `## Summary\n\n${quoted(body.summary)}`,
    scores.length > 0 && `## Scores\n\n${quoted(scores.join('\n'))}`,
    body.issues.length > 0 && `## Issues\n\n${body.issues.map(renderIssue).join('\n\n')}`,
    body.blocking && 'The reviewer asks for a person.',
    `**Verdict: ${body.verdict}**`,
  ]
  return `${printable(parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n'))}\n`
}

function renderSeat({ seat, agent, session, verdict, why }: SeatRecord): string {
  const who = `- Seat ${seat} (${whole(agent)}, session ${session})`
  return verdict === null ? `${who}: absent\n  > ${whole(why ?? '')}` : `${who}: ${verdict}`
}

function renderIssue(issue: ReviewRecord['body']['issues'][number]): string {
  const place =
    issue.file === null ? '' : ` in ${whole(issue.file)}${issue.line === null ? '' : `:${issue.line}`}`
  const known = issue.status === null ? '' : ` (${whole(issue.id ?? '')} ${issue.status})`
  const lines = [`- **${issue.severity}** ${issue.type}${place}${known}: ${issue.description}`]
  if (issue.suggestion) lines.push(`  Suggestion: ${issue.suggestion}`)
  if (issue.witness) lines.push(`  Witness: ${JSON.stringify(issue.witness)}`)
  return quoted(lines.join('\n'))
}

/** Makes the text printable before splitting it: removing characters later could join or split lines. */
function quoted(text: string): string {
  return printable(text)
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

/** Escapes braces, because a brace may begin a review in JSON. */
function inHeading(title: string): string {
  return whole(title).replaceAll('{', '&#123;').replaceAll('}', '&#125;')
}

function whole(text: string): string {
  return oneLine(text, Number.POSITIVE_INFINITY)
}
