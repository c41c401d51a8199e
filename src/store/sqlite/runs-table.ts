import type { StoredEvent } from '../../core/event.ts'
import type { Database } from './database.ts'

/** `runs`: one row for each start of `umpire work`. */
export function runsTable(database: Database) {
  return {
    project(run: number, event: StoredEvent): void {
      if (event.type === 'run.started') {
        const { effort, parallel, pid } = event.data
        database
          .sql('INSERT OR REPLACE INTO runs (id, effort, parallel, pid, started_at) VALUES (?, ?, ?, ?, ?)')
          .run(run, effort, parallel, pid, event.at)
      }
      if (event.type === 'run.ended') {
        const { outcome, worked } = event.data
        database
          .sql('UPDATE runs SET ended_at = ?, outcome = ?, worked = ? WHERE id = ?')
          .run(event.at, outcome, JSON.stringify(worked), run)
      }
    },

    lastId(): number {
      return database.sql<{ id: number | null }>('SELECT max(id) AS id FROM runs').get()?.id ?? 0
    },

    clear(): void {
      database.sql('DELETE FROM runs').run()
    },
  }
}
