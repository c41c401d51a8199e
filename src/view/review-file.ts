/** A review as a person reads it: the file that each cycle leaves. It ends with the verdict line. */
import type { ReviewRecord } from '../core/event.ts'
import { printable } from '../lib/printable.ts'

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
  const scores = Object.entries(body.scores).map(([name, score]) => `- ${name}: ${score}`)
  const parts = [
    `# Review ${record.cycle} of task ${task.id}: ${task.title.replace(/\s+/g, ' ')}`,
    `Session ${record.session}, tree ${record.tree}, ${at}, read ${by}.`,
    body.interpretedIntent &&
      `## Intent\n\n${body.interpretedIntent}\n\nSatisfied: ${body.intentSatisfied ?? 'not said'}`,
    body.summary && `## Summary\n\n${body.summary}`,
    scores.length > 0 && `## Scores\n\n${scores.join('\n')}`,
    body.issues.length > 0 && `## Issues\n\n${body.issues.map(renderIssue).join('\n\n')}`,
    body.blocking && 'The reviewer asks for a person.',
    `**Verdict: ${body.verdict}**`,
  ]
  return `${printable(parts.filter((part) => typeof part === 'string' && part !== '').join('\n\n'))}\n`
}

function renderIssue(issue: ReviewRecord['body']['issues'][number]): string {
  const place = issue.file === null ? '' : ` in ${issue.file}${issue.line === null ? '' : `:${issue.line}`}`
  const known = issue.status === null ? '' : ` (${issue.id ?? ''} ${issue.status})`
  const lines = [`- **${issue.severity}** ${issue.type}${place}${known}: ${issue.description}`]
  if (issue.suggestion) lines.push(`  Suggestion: ${issue.suggestion}`)
  return lines.join('\n')
}
