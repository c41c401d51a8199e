import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ReviewFailure } from '../../core/review/review-record.ts'
import { oneLine, printable } from '../../lib/text/printable.ts'
import type { ReviewRow } from '../../store/archive.ts'
import { ago } from '../../view/amounts.ts'
import { reviewFileName } from '../../view/review-file.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint } from '../screen/colours.ts'
import { print, printJson } from '../screen/print.ts'
import { readTask } from '../with-store.ts'

export async function reviews(
  id: number,
  options: { json?: boolean },
  invocation: Invocation,
): Promise<void> {
  await readTask(invocation, id, async (_, store, { home }) => {
    const found = await store.archive.reviews(id)
    const unreadable = (await store.journal.list({ stream: `task/${id}`, types: ['review.failed'] })).flatMap(
      (event) => (event.type === 'review.failed' ? [event.data] : []),
    )
    if (options.json) return printJson({ reviews: found, unreadable }, invocation)
    if (found.length + unreadable.length === 0) return print(`Task ${id} has no review yet.`, invocation)
    for (const review of found)
      printReview(
        review,
        join(home, 'reviews', reviewFileName(id, review.cycle, review.reviewedAt)),
        invocation,
      )
    for (const failure of unreadable) printUnreadable(failure, invocation)
  })
}

function printReview(review: ReviewRow, file: string, invocation: Invocation): void {
  const brush = outputPaint(invocation)[review.verdict === 'APPROVED' ? 'green' : 'yellow']
  const by = review.parsedBy === null ? '' : `  read by the parser ${review.parsedBy}`
  const which = review.kind === 'checkpoint' ? `checkpoint before ${review.cycle}.` : `${review.cycle}.`
  print(`${which} ${brush(review.verdict)}  ${ago(review.reviewedAt, new Date())}${by}`, invocation)
  for (const { seat, agent, verdict, why } of review.seats ?? [])
    print(
      `   seat ${seat} (${oneLine(agent, 60)}): ${verdict ?? `absent, ${oneLine(why ?? '', 200)}`}`,
      invocation,
    )
  if (review.summary) print(indented(review.summary), invocation)
  for (const issue of review.issues) {
    const place =
      issue.file === null ? '' : ` ${oneLine(issue.file)}${issue.line === null ? '' : `:${issue.line}`}`
    print(`   - ${issue.severity} ${issue.type}${place}: ${oneLine(issue.description)}`, invocation)
  }
  if (review.kind === 'task' && existsSync(file))
    print(`   ${oneLine(relative(invocation.cwd, file), 1000)}`, invocation)
}

/** An unreadable review is shown anyway, because a person may understand what Umpire could not. */
function printUnreadable(failure: ReviewFailure, invocation: Invocation): void {
  print(
    `${failure.cycle}. no verdict (${failure.cause}, session ${failure.session}): ${oneLine(failure.why, 200)}`,
    invocation,
  )
  if (failure.rawOutput.trim()) print(indented(failure.rawOutput), invocation)
}

function indented(text: string): string {
  return `   ${printable(text).trimEnd().replaceAll('\n', '\n   ')}`
}
