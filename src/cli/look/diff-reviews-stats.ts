import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openVcs, type Repository } from '../../app/repository.ts'
import { UserError } from '../../core/errors.ts'
import type { ReviewFailure } from '../../core/review/review-record.ts'
import { type Account, calendarDay } from '../../core/schedule/budget.ts'
import type { TaskSummary } from '../../core/summary.ts'
import type { Paint } from '../../lib/text/paint.ts'
import { oneLine, printable, spelledOut } from '../../lib/text/printable.ts'
import type { ReviewRow, UsageRow } from '../../store/archive.ts'
import type { Store } from '../../store/store.ts'
import { ago } from '../../view/amounts.ts'
import { reviewFileName } from '../../view/review-file.ts'
import { renderStatistics, statisticsOf } from '../../view/statistics.ts'
import type { Invocation } from '../invocation.ts'
import { outputPaint, print, printJson } from '../screen/output.ts'
import { readStore, readTask } from '../with-store.ts'

export async function diff(id: number, invocation: Invocation): Promise<void> {
  await readTask(invocation, id, async (loop, _, repository) => {
    if (!loop.work.place || !loop.work.head)
      throw new UserError(`Task ${id} has no work yet.`, `umpire work ${id} starts it.`)
    const vcs = await openVcs(repository)
    const { text } = await vcs.diff(loop.work.place, loop.work.head.tree)
    // A terminal must not obey control characters in a diff. A file or `git apply` must get the diff unchanged.
    const { stdout } = invocation
    stdout.write(stdout.isTTY ? renderDiff(text, outputPaint(invocation)) : text)
  })
}

/**
 * A diff for a person to read. Characters that a terminal would obey or hide are spelled out, so that a mark that
 * reverses the text direction, the oldest trick in a review, is visible.
 */
function renderDiff(text: string, paint: Paint): string {
  let inHunk = false
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) inHunk = false
      if (line.startsWith('@@ ')) inHunk = true
      return brush(line, inHunk, paint)(spelledOut(line))
    })
    .join('\n')
}

function brush(line: string, inHunk: boolean, paint: Paint): (text: string) => string {
  if (!inHunk) return paint.bold
  if (line.startsWith('@@ ')) return paint.cyan
  if (line.startsWith('+')) return paint.green
  return line.startsWith('-') ? paint.red : (text) => text
}

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

export async function stats(options: { json?: boolean }, invocation: Invocation): Promise<void> {
  const nothing: [TaskSummary[], UsageRow[], Account[]] = [[], [], []]
  const [tasks, usage, budgets] = await readStore(
    invocation,
    async (store, repository) => {
      const { archive } = store
      return Promise.all([archive.tasks(), archive.usage(), readAccounts(store, repository)])
    },
    () => nothing,
  )
  const statistics = statisticsOf(tasks)
  if (options.json) return printJson({ ...statistics, usage, budgets }, invocation)
  print(renderStatistics(statistics, usage, outputPaint(invocation), budgets), invocation)
}

/**
 * The state of the configured budgets: of the most expensive task, of the latest run, and of today. The list is empty if
 * the configuration can't be read, because that must not stop a command that only reads.
 */
async function readAccounts({ spending }: Store, repository: Repository): Promise<Account[]> {
  try {
    // Loaded here, because `diff` and `reviews` need no configuration.
    const { readConfig } = await import('../../app/read-config.ts')
    const { budget } = (await readConfig(repository)).config
    const { task, run } = await spending.notable()
    return await spending.accounts(budget, { task, run, day: calendarDay(new Date()) })
  } catch (error) {
    if (error instanceof UserError) return []
    throw error
  }
}
