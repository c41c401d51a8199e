/** `gate_results`: what Umpire itself found out by running a command. */
import type { StoredEvent } from '../../core/event.ts'
import { loopName } from '../../core/loop.ts'
import type { GateRow } from '../archive.ts'
import type { Database } from './database.ts'

interface StoredGate {
  name: string
  command: string
  kind: GateRow['kind']
  passed: number
  exit_code: number | null
  timed_out: number
  tree: string
  output: string
  duration_ms: number
  at: string
}

export function gatesTable(database: Database) {
  return {
    project(task: number, event: StoredEvent): void {
      if (event.type !== 'gate.completed') return
      const { name, command, kind, passed, exitCode, timedOut, tree, output, durationMs } = event.data
      database
        .sql(
          `INSERT OR REPLACE INTO gate_results (seq, task_id, loop_id, name, command, kind, passed, exit_code, timed_out,
            tree, duration_ms, at, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          event.seq,
          task,
          loopName(task),
          name,
          command,
          kind,
          Number(passed),
          exitCode,
          Number(timedOut),
          tree,
          durationMs,
          event.at,
          output,
        )
    },

    ofTask(task: number): GateRow[] {
      return database
        .sql<StoredGate>(
          `SELECT name, command, kind, passed, exit_code, timed_out, tree, output, duration_ms, at
          FROM gate_results WHERE task_id = ? ORDER BY seq`,
        )
        .all(task)
        .map(toGate)
    },

    clear(): void {
      database.sql('DELETE FROM gate_results').run()
    },
  }
}

function toGate(row: StoredGate): GateRow {
  return {
    name: row.name,
    command: row.command,
    kind: row.kind,
    passed: row.passed === 1,
    exitCode: row.exit_code,
    timedOut: row.timed_out === 1,
    tree: row.tree,
    output: row.output,
    durationMs: row.duration_ms,
    at: row.at,
  }
}
