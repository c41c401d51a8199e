/**
 * Reads the database: the journal, the tables folded from it, and the number of messages of each session. It reads them
 * in one read-only transaction, so that it sees one snapshot even while others write.
 */
import { existsSync } from 'node:fs'

export async function openHistory(file) {
  if (!existsSync(file)) throw new Error(`there is no ${file}: nothing was ever filed here`)
  const { DatabaseSync } = await loadDriver()
  const database = new DatabaseSync(file, { readOnly: true })
  const all = (sql) => database.prepare(sql).all().map(readRow)
  database.exec('PRAGMA busy_timeout = 10000; BEGIN')
  try {
    const events = all('SELECT seq, stream, version, at, type, data FROM events ORDER BY seq').map(readEvent)
    const streams = groupBy(events, ({ stream }) => stream)
    return {
      events,
      streams,
      tasks: new Map([...streams].filter(([stream]) => stream.startsWith('task/'))),
      tables: {
        tasks: all('SELECT id, title, status, verdict, reason, cycle, iteration, summary FROM tasks'),
        loops: all(
          `SELECT task_id, version, cycle, iteration, last_review_id, last_checkpoint_review_at AS checkpoint_at, state
          FROM loops`,
        ),
        runs: all('SELECT id, effort, parallel, outcome, worked, started_at, ended_at FROM runs'),
        sessions: all(
          `SELECT id, task_id, role, iteration, cycle, attempt, status, exit_code, messages, reserved_usd, started_at
          FROM sessions`,
        ),
        reviews: all(
          `SELECT id, task_id, loop_id, kind, cycle, attempt, verdict, passed, blocking, tree, session_id, parsed_by, seats
          FROM loop_reviews`,
        ),
        issues: all(
          `SELECT loop_review_id, position, severity, status, description FROM review_issues
          ORDER BY loop_review_id, position`,
        ),
        gates: all('SELECT seq, task_id, name, kind, passed, exit_code, tree FROM gate_results ORDER BY seq'),
      },
      messages: all(
        `SELECT session_id, count(*) AS count, min(sequence) AS first, max(sequence) AS last FROM messages
        GROUP BY session_id`,
      ),
      /** The current version of each stream, outside the snapshot. */
      versionsNow() {
        database.exec('COMMIT')
        const rows = all('SELECT stream, max(version) AS version FROM events GROUP BY stream')
        return new Map(rows.map(({ stream, version }) => [stream, version]))
      },
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

async function loadDriver() {
  const { emitWarning } = process
  // Node warns on load that the module is experimental.
  process.emitWarning = () => {}
  const builtIn = process.getBuiltinModule?.('node:sqlite')
  process.emitWarning = emitWarning
  return builtIn ?? (await import('@photostructure/sqlite'))
}

/** A text that SQLite can't store as text is stored as a UTF-16 blob. */
function readRow(row) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('utf16le') : value,
    ]),
  )
}

function readEvent({ data, ...event }) {
  try {
    const parsed = JSON.parse(data)
    if (parsed !== null && typeof parsed === 'object') return { ...event, data: parsed, readable: true }
  } catch {
    // `checkOrder` reports it.
  }
  return { ...event, data: {}, readable: false }
}

function groupBy(items, keyOf) {
  const groups = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
