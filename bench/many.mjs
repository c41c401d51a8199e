/** `umpire status` in a repository with 10,000 tasks and 1,000,000 stored messages, against one with 10 tasks. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { inScratch, median, milliseconds, round2 } from './scratch.mjs'

const rounds = 15

export async function measureMany() {
  return inScratch(null, (small) =>
    inScratch(null, async (large) => {
      for (let task = 1; task <= 10; task++) for (const { run } of [small, large]) run('add', `Task ${task}`)
      fill(join(large.folder, '.umpire', 'umpire.db'), { tasks: 10_000, messages: 1_000_000 })
      const few = []
      const many = []
      for (let round = 0; round < rounds; round++) {
        few.push(await milliseconds(() => small.run('status')))
        many.push(await milliseconds(() => large.run('status')))
      }
      const [bareMs, umpireMs] = [median(few), median(many)]
      return {
        name: 'status: 10,000 tasks against 10',
        ratio: round2(umpireMs / bareMs),
        limit: 1.3,
        bareMs,
        umpireMs,
      }
    }),
  )
}

/** Copies the last task as completed ones, and gives the first session a long transcript. */
function fill(path, { tasks, messages }) {
  const database = new DatabaseSync(path)
  const columns = (table) =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => name)
  const copy = (table, key, values) => {
    const names = columns(table)
    const chosen = names.map((name) => values[name] ?? name)
    database.exec(`INSERT INTO ${table} (${names}) WITH RECURSIVE n(i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n WHERE i < ${tasks})
      SELECT ${chosen} FROM n, ${table} WHERE ${key} = 10`)
  }
  const ended = "strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i, 'unixepoch')"
  const summary = `json_set(summary, '$.id', i, '$.status', 'completed', '$.verdict', 'APPROVED', '$.endedAt', ${ended})`
  database.exec('BEGIN')
  copy('tasks', 'id', { id: 'i', status: "'completed'", ended_at: ended, summary })
  copy('loops', 'task_id', { task_id: 'i', id: "'loop-' || i" })
  database.exec(`INSERT INTO messages (session_id, sequence, source, type, content, end_offset, at)
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${messages - 1})
    SELECT (i % 5000) || '-1', i / 5000, 'stdout', 'text', 'a line that an agent printed, number ' || i, i * 50, '2026-01-01T00:00:00.000Z' FROM n`)
  database.exec('COMMIT')
  database.close()
}
