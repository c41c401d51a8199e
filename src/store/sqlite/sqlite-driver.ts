/**
 * One connection to an SQLite file, over `node:sqlite` where this Node has it and over `@photostructure/sqlite`, which
 * has the same interface, where it has not (Node 20, and 22 before 22.13).
 *
 * Text is made safe here, once for all tables. Both libraries cut a text off at its first NUL when it is bound or
 * read, and UTF-8 has no form for half a surrogate pair, so a text with either is stored as a BLOB of UTF-16 and read
 * back as it was. Nothing else is ever stored as a BLOB.
 */
import { pathToFileURL } from 'node:url'

export type SqlValue = null | number | string

export interface Statement<Row> {
  /** The number of rows that were changed. */
  run(...values: SqlValue[]): number
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
  /** Rows one at a time. The same statement must not be used for anything else meanwhile. */
  iterate(...values: SqlValue[]): Iterable<Row>
}

export interface Connection {
  exec(sql: string): void
  /** Prepared on first use and kept. The caller names the shape of a row. */
  sql<Row = unknown>(text: string): Statement<Row>
  close(): void
}

/** `read-still`: a file that nobody changes, so that SQLite needs no files beside it, which it could not make. */
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
      // @photostructure/sqlite does not end its statements, so its connection lives on until they are collected. That
      // does no harm, but nobody then moves the log into the file, as the last connection would when it is closed.
      if (access === 'write') tryExec(raw, 'PRAGMA wal_checkpoint(TRUNCATE)')
      raw.close()
    },
  }
}

function tryExec(raw: RawDatabase, sql: string): void {
  try {
    raw.exec(sql)
  } catch {
    // The log is as good as the file; whoever opens it next reads both.
  }
}

type StoredValue = SqlValue | Uint8Array

/** The part of both libraries that is used. */
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

/** `node:sqlite` says on load that it is experimental; what is used of it is the same from 22.13 to 26. */
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
