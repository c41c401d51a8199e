/**
 * One connection to an SQLite file. It uses `node:sqlite` if this Node has it, and otherwise (Node 20, and 22 before
 * 22.13) `@photostructure/sqlite`, which has the same interface.
 *
 * Text is made safe here, once for all tables. Both libraries cut off a text at its first NUL, and UTF-8 can't encode
 * half a surrogate pair. So a text with either is stored as a BLOB of UTF-16 and read back unchanged. Nothing else is
 * stored as a BLOB.
 */
import { pathToFileURL } from 'node:url'

export type SqlValue = null | number | string

export interface Statement<Row> {
  /** The number of changed rows. */
  run(...values: SqlValue[]): number
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
  /** Rows one at a time. Do not use the same statement for anything else meanwhile. */
  iterate(...values: SqlValue[]): Iterable<Row>
}

export interface Connection {
  exec(sql: string): void
  /** Prepared on first use and kept. The caller declares the type of a row. */
  sql<Row = unknown>(text: string): Statement<Row>
  close(): void
}

/** `read-still`: no process changes the file, so SQLite needs no side files, which it could not create. */
export type Access = 'read' | 'write' | 'read-still'

export async function openConnection(path: string, access: Access): Promise<Connection> {
  const Database = await loadLibrary()
  const location = access === 'read-still' ? `${pathToFileURL(path).href}?immutable=1` : path
  const raw = new Database(location, { readOnly: access !== 'write' })
  const prepared = new Map<string, Statement<unknown>>()
  return {
    exec: (sql) => raw.exec(sql),
    sql<Row>(text: string): Statement<Row> {
      let statement = prepared.get(text)
      if (!statement) {
        statement = wrap(raw.prepare(text))
        prepared.set(text, statement)
      }
      return statement as Statement<Row>
    },
    close() {
      // @photostructure/sqlite does not finalise its statements, so its connection lives until they are
      // garbage-collected. That does no harm, but then closing does not move the log into the file, so it is done here.
      if (access === 'write') tryExec(raw, 'PRAGMA wal_checkpoint(TRUNCATE)')
      raw.close()
    },
  }
}

function tryExec(raw: RawDatabase, sql: string): void {
  try {
    raw.exec(sql)
  } catch {
    // The log is as good as the file. The next process to open it reads both.
  }
}

type StoredValue = SqlValue | Uint8Array

/** The part of both libraries that Umpire uses. */
interface RawDatabase {
  exec(sql: string): void
  prepare(sql: string): RawStatement
  close(): void
}

interface RawStatement {
  run(...values: StoredValue[]): { changes: number | bigint }
  get(...values: StoredValue[]): unknown
  all(...values: StoredValue[]): unknown[]
  iterate(...values: StoredValue[]): Iterable<unknown>
}

type Library = { DatabaseSync: new (path: string, options: { readOnly: boolean }) => RawDatabase }

async function loadLibrary(): Promise<Library['DatabaseSync']> {
  const builtIn = withoutWarning(() => process.getBuiltinModule?.('node:sqlite') as Library | undefined)
  const library: Library = builtIn ?? (await import('@photostructure/sqlite'))
  return library.DatabaseSync
}

/** `node:sqlite` warns on load that it is experimental. The part used here is the same from 22.13 to 26. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

function wrap(statement: RawStatement): Statement<unknown> {
  return {
    run: (...values) => Number(statement.run(...values.map(toStored)).changes),
    get: (...values) => fromStored(statement.get(...values.map(toStored))),
    all: (...values) => statement.all(...values.map(toStored)).map(fromStored),
    *iterate(...values) {
      for (const row of statement.iterate(...values.map(toStored))) yield fromStored(row)
    },
  }
}

const unstorable = /[\0\p{Surrogate}]/u

function toStored(value: SqlValue): StoredValue {
  return typeof value === 'string' && unstorable.test(value) ? Buffer.from(value, 'utf16le') : value
}

function fromStored(row: unknown): unknown {
  const fields = row as Record<string, StoredValue> | undefined
  for (const name in fields) {
    const value = fields[name]
    if (value instanceof Uint8Array) fields[name] = Buffer.from(value).toString('utf16le')
  }
  return fields
}
