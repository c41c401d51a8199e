/** `loops` and `tasks`: each loop's folded state, and the summary that `status` shows. */
import { foldLoop } from '../../core/evolve.ts'
import type { Loop } from '../../core/loop.ts'
import { type TaskStanding, taskStanding } from '../../core/schedule/task-standing.ts'
import { summarise, type TaskSummary } from '../../core/summary.ts'
import type { Database } from './database.ts'
import { eventsTable } from './events-table.ts'

/** Tasks that need no more attention. Written as in the index, so that the index is used. */
const isDone = "(status IN ('completed', 'cancelled'))"

function dependenciesOf({ dependsOn, of }: TaskSummary): number[] {
  return of === null ? dependsOn : [...dependsOn, of]
}

export function loopsTable(database: Database) {
  function saveTask(summary: TaskSummary): void {
    const { id, title, type, status, verdict, reason, cycle, maxCycles, iteration, costUsd } = summary
    const row = [id, title, type, status, verdict, reason, cycle, maxCycles, iteration, costUsd]
    database
      .sql(
        `INSERT OR REPLACE INTO tasks (id, title, type, status, verdict, reason, cycle, max_cycles, iteration,
          cost_usd, started_at, ended_at, summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(...row, summary.startedAt, summary.endedAt, JSON.stringify(summary))
  }

  return {
    /** A deleted task leaves the list, but its history can still be found by its number. */
    save(loop: Loop): void {
      const summary = summarise(loop)
      database
        .sql(
          `INSERT OR REPLACE INTO loops (task_id, id, run_id, phase, iteration, cycle, review_status, last_review_id,
            revision_attempts, last_checkpoint_review_at, version, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          loop.id,
          summary.loop,
          loop.claim?.run ?? null,
          loop.turn.phase,
          loop.turn.iteration,
          loop.review.cycle,
          summary.reviewStatus,
          summary.lastReviewId,
          summary.revisionAttempts,
          summary.lastCheckpointReviewAt,
          loop.version,
          JSON.stringify(loop),
        )
      if (loop.standing.deleted) database.sql('DELETE FROM tasks WHERE id = ?').run(loop.id)
      else saveTask(summary)
    },

    load(task: number): Loop | null {
      const row = database.sql<{ state: string }>('SELECT state FROM loops WHERE task_id = ?').get(task)
      if (!row) return null
      // A migration emptied the state, because an older version had folded it.
      return row.state === '' ? foldLoop(eventsTable(database).load(`task/${task}`)) : JSON.parse(row.state)
    },

    tasks(recent: number | undefined): TaskSummary[] {
      const rows =
        recent === undefined
          ? database.sql<{ summary: string }>('SELECT summary FROM tasks ORDER BY id').all()
          : database
              .sql<{ summary: string }>(
                `SELECT summary FROM (
                  SELECT id, summary FROM tasks WHERE ${isDone} = 0
                  UNION ALL
                  SELECT id, summary FROM (
                    SELECT id, summary FROM tasks WHERE ${isDone} = 1 ORDER BY ended_at DESC, id DESC LIMIT ?
                  )
                ) ORDER BY id`,
              )
              .all(recent)
      return rows.map((row) => JSON.parse(row.summary))
    },

    standings(): TaskStanding[] {
      const open = database
        .sql<{ summary: string }>(`SELECT summary FROM tasks WHERE ${isDone} = 0`)
        .all()
        .map(({ summary }): TaskSummary => JSON.parse(summary))
      const there = new Set(open.map(({ id }) => id))
      const named = new Set(open.flatMap(dependenciesOf).filter((id) => !there.has(id)))
      const done =
        named.size === 0
          ? []
          : database
              .sql<{ summary: string }>(
                'SELECT summary FROM tasks WHERE id IN (SELECT value FROM json_each(?))',
              )
              .all(JSON.stringify([...named]))
              .map(({ summary }): TaskSummary => JSON.parse(summary))
      return [...open, ...done].map(taskStanding).sort((one, other) => one.id - other.id)
    },

    lastId(): number {
      return database.sql<{ id: number | null }>('SELECT max(task_id) AS id FROM loops').get()?.id ?? 0
    },

    clear(): void {
      database.sql('DELETE FROM tasks').run()
      database.sql('DELETE FROM loops').run()
    },
  }
}
