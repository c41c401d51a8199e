/** `loop_reviews` and `review_issues`: what reviewers said, in their words. A loop's ledger is in its state. */
import type { StoredEvent } from '../../core/event.ts'
import { type Loop, loopName } from '../../core/loop.ts'
import { reconcile } from '../../core/review/ledger.ts'
import type { ReportedIssue, Review } from '../../core/review/review.ts'
import type { LedgerIssue, ReviewRecord } from '../../core/review/review-record.ts'
import type { ReviewRow } from '../archive.ts'
import type { Database } from './database.ts'
import type { SqlValue } from './sqlite-driver.ts'

interface StoredReview {
  id: string
  kind: ReviewRow['kind']
  cycle: number
  attempt: number
  verdict: ReviewRow['verdict']
  passed: number
  blocking: number
  summary: string
  tree: string
  session_id: string
  parsed_by: string | null
  seats: string | null
  command: string
  channel: string
  scores: string
  interpreted_intent: string | null
  intent_satisfied: number | null
  raw_output: string
  cost_usd: number | null
  reviewed_at: string
}

type StoredRecord = Omit<ReviewRecord, 'kind' | 'changes'> & { kind: ReviewRow['kind'] }

type StoredIssue = Omit<ReportedIssue, 'witness'> & { witness: string | null; number: number | null }

export function reviewsTable(database: Database) {
  function add(record: StoredRecord, event: Pick<StoredEvent, 'at' | 'seq'>, loop: Loop): void {
    const { review, kind, cycle, attempt, session, tree, channel, command, body, rawOutput, costUsd } = record
    const { parsedBy = null, seats = null } = record
    database
      .sql(
        `INSERT OR REPLACE INTO loop_reviews (id, run_id, loop_id, task_id, kind, cycle, attempt, passed, verdict,
          blocking, summary, interpreted_intent, intent_satisfied, scores, tree, session_id, command, channel,
          reviewed_at, cost_usd, seq, raw_output, parsed_by, seats)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        review,
        loop.claim?.run ?? null,
        loopName(loop.id),
        // A checkpoint is not a review of the task.
        kind === 'checkpoint' ? null : loop.id,
        kind,
        cycle,
        attempt,
        Number(body.verdict === 'APPROVED'),
        body.verdict,
        Number(body.blocking),
        body.summary,
        body.interpretedIntent,
        body.intentSatisfied === null ? null : Number(body.intentSatisfied),
        JSON.stringify(body.scores),
        tree,
        session,
        command,
        channel,
        event.at,
        costUsd,
        event.seq,
        rawOutput,
        parsedBy,
        seats && JSON.stringify(seats),
      )
    body.issues.forEach((issue, position) => {
      // What a checkpoint finds stays out of the ledger.
      const number = kind === 'checkpoint' ? null : knownNumber(loop.review.ledger, issue, body)
      addIssue(review, loop, position, issue, number)
    })
  }

  function addIssue(
    review: string,
    loop: Loop,
    position: number,
    issue: ReportedIssue,
    number: number | null,
  ): void {
    const { id, file, line, section, type, severity, description, suggestion, witness, status } = issue
    const said: SqlValue[] = [id, file, line, section, type, severity, description, suggestion]
    database
      .sql(
        `INSERT OR REPLACE INTO review_issues (loop_review_id, loop_id, position, number, id, file, line, section, type,
          severity, description, suggestion, witness, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(review, loopName(loop.id), position, number, ...said, witness && JSON.stringify(witness), status)
  }

  /** An issue that is new to the ledger gets its number after its review was recorded, with the same text. */
  function numberIssue(event: StoredEvent & { type: 'issue.opened' }): void {
    const { issue, review, reported } = event.data
    database
      .sql(
        `UPDATE review_issues SET number = ? WHERE loop_review_id = ? AND position = (
          SELECT min(position) FROM review_issues WHERE loop_review_id = ? AND number IS NULL
          AND id IS ? AND file IS ? AND line IS ? AND type = ? AND description = ?
        )`,
      )
      .run(
        issue,
        review,
        review,
        reported.id,
        reported.file,
        reported.line,
        reported.type,
        reported.description,
      )
  }

  function issuesOf(review: string): ReviewRow['issues'] {
    return database
      .sql<StoredIssue>(
        `SELECT number, id, file, line, section, type, severity, description, suggestion, witness, status
        FROM review_issues WHERE loop_review_id = ? ORDER BY position`,
      )
      .all(review)
      .map(({ witness, ...issue }) => ({ ...issue, witness: witness === null ? null : JSON.parse(witness) }))
  }

  return {
    project(event: StoredEvent, loop: Loop): void {
      if (event.type === 'review.completed') add(event.data, event, loop)
      if (event.type === 'loop.checkpoint')
        add({ ...event.data, kind: 'checkpoint', attempt: 1 }, event, loop)
      if (event.type === 'issue.opened') numberIssue(event)
    },

    ofTask(task: number): ReviewRow[] {
      return database
        .sql<StoredReview>(
          `SELECT id, kind, cycle, attempt, verdict, passed, blocking, summary, tree, session_id, parsed_by, seats, command,
            channel, scores, interpreted_intent, intent_satisfied, raw_output, cost_usd, reviewed_at
          FROM loop_reviews WHERE loop_id = ? ORDER BY seq`,
        )
        .all(loopName(task))
        .map((row) => toReview(row, issuesOf(row.id)))
    },

    clear(): void {
      database.sql('DELETE FROM review_issues').run()
      database.sql('DELETE FROM loop_reviews').run()
    },
  }
}

/**
 * The finding's number in the ledger, or null. The ledger decides which findings are the same, so this asks the ledger:
 * a mark that says "resolved" resolves a late open issue exactly when both are the same issue.
 */
function knownNumber(ledger: LedgerIssue[], reported: ReportedIssue, review: Review): number | null {
  const mark: Review = { ...review, issues: [{ ...reported, status: 'resolved' }] }
  const at = { review: '', cycle: 0, changes: null }
  const known = ledger.find(
    (issue) => reconcile([{ ...issue, status: 'open', late: true }], mark, at).length > 0,
  )
  return known?.number ?? null
}

function toReview(row: StoredReview, issues: ReviewRow['issues']): ReviewRow {
  return {
    id: row.id,
    kind: row.kind,
    cycle: row.cycle,
    attempt: row.attempt,
    verdict: row.verdict,
    passed: row.passed === 1,
    blocking: row.blocking === 1,
    summary: row.summary,
    tree: row.tree,
    sessionId: row.session_id,
    parsedBy: row.parsed_by,
    seats: row.seats === null ? null : JSON.parse(row.seats),
    command: row.command,
    channel: row.channel,
    issues,
    scores: JSON.parse(row.scores),
    interpretedIntent: row.interpreted_intent,
    intentSatisfied: row.intent_satisfied === null ? null : row.intent_satisfied === 1,
    rawOutput: row.raw_output,
    costUsd: row.cost_usd,
    reviewedAt: row.reviewed_at,
  }
}
