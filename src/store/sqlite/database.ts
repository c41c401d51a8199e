/**
 * An SQLite file that several processes read and write at once. A transaction is one synchronous function, so within
 * a process two never overlap; between processes the write lock decides.
 *
 *   - The file is in WAL mode: a reader never waits for a writer, nor a writer for a reader.
 *   - A writer takes the lock first (BEGIN IMMEDIATE). A transaction that reads and only then wants the lock would fail
 *     whenever another process wrote in between.
 *   - While another process has the lock, we wait on a timer. Waiting inside SQLite would block the event loop.
 *   - `durable` commits wait until the disk has them: a step lost in a power cut is an agent run that has to be
 *     paid for again. `lazy` ones may be lost, but never in part, and the next durable commit makes all before it
 *     durable too, as they are in the same log. That is right for transcripts, which come in many small batches and
 *     stay in the attempt's folder until the session's end is recorded.
 */
import { existsSync, statSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { latestVersion, migrate, schemaVersion } from './migrations.ts'
import { type Access, type Connection, openConnection, type Statement } from './sqlite-driver.ts'
import { explained, explainedFileError, isBusy, isUnopenable, newerSchema } from './sqlite-error.ts'

export type Durability = 'durable' | 'lazy'

export interface DatabaseOptions {
  path: string
  /** `read` never writes, and treats a missing file as empty. */
  access?: 'read' | 'write'
  /** How long to wait for another process that holds the lock. */
  patienceMs?: number
}

export interface Database {
  readonly closed: boolean
  sql<Row = unknown>(text: string): Statement<Row>
  /** Runs `work` on one snapshot of the file. */
  read<T>(work: () => T): Promise<T>
  /**
   * Runs `work` under the write lock. If it throws, nothing is written. It may run twice, so it must have no other
   * effects.
   */
  write<T>(durability: Durability, work: () => T): Promise<T>
  /** A value that changes with every commit, ours or another process's. */
  mark(): string
  /**
   * Calls the listener after each commit of this connection, and when it is closed. Returns a function that
   * unsubscribes.
   */
  onCommit(listener: () => void): () => void
  close(): void
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { path, access = 'write', patienceMs = 30_000 } = options
  if (access === 'read') return openToRead(path, patienceMs)
  await makeFile(path)
  return connect(path, 'write', patienceMs)
}

/** Opening to read must be fast and leave no trace, unless the file is from an older version and has to be migrated. */
async function openToRead(path: string, patienceMs: number): Promise<Database> {
  if (existsSync(path)) {
    const database = await connectToRead(path, patienceMs)
    if ((await database.read(() => schemaVersion(database))) === latestVersion) return database
    database.close()
  }
  const database = await connect(existsSync(path) ? path : ':memory:', 'write', patienceMs)
  database.sql('PRAGMA query_only = ON').run()
  return database
}

/**
 * The first process that opens the file, even to read it, has to create the log's index. A sandbox may not allow that.
 * If there is no log either, no other process has the file open, and the file itself contains everything.
 */
async function connectToRead(path: string, patienceMs: number): Promise<Database> {
  try {
    return await connect(path, 'read', patienceMs)
  } catch (error) {
    if (!(error instanceof Error) || !isUnopenable(error.cause) || hasLog(path)) throw error
    return await connect(path, 'read-still', patienceMs)
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Transcripts and prompts are private, so only the user can read the file. SQLite gives its side files the same mode.
 * An existing file must not be opened here: closing it would drop every lock that SQLite has on it in this process.
 */
async function makeFile(path: string): Promise<void> {
  if (existsSync(path)) return
  try {
    await mkdir(dirname(path), { recursive: true })
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    // Another process was faster.
    if (existsSync(path)) return
    throw explainedFileError(error, path)
  }
}

async function connect(path: string, access: Access, patienceMs: number): Promise<Database> {
  const connection = await openConnection(path, access).catch((error) => {
    throw explained(error, path)
  })
  const database = overConnection(connection, path, patienceMs)
  try {
    await database.prepare(access)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function overConnection(connection: Connection, path: string, patienceMs: number) {
  const listeners = new Set<() => void>()
  let commits = 0
  let closed = false
  let synchronous: Durability | null = null

  /** SQLite itself waits a moment, which is usually enough. Longer waits leave the event loop free. */
  async function patiently<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw explained(error, path)
      }
      await sleep(2 + Math.random() * 20)
    }
  }

  function transact<T>(begin: string, work: () => T): T {
    connection.exec(begin)
    try {
      const result = work()
      connection.exec('COMMIT')
      return result
    } catch (error) {
      try {
        connection.exec('ROLLBACK')
      } catch {
        // SQLite has already rolled back, as it does when the disk is full.
      }
      throw error
    }
  }

  function beginWrite<T>(durability: Durability, work: () => T): T {
    if (synchronous !== durability) {
      connection.exec(`PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'}`)
      synchronous = durability
    }
    return transact('BEGIN IMMEDIATE', work)
  }

  const notify = () => {
    for (const listener of [...listeners]) listener()
  }

  return {
    get closed() {
      return closed
    },
    sql: <Row>(text: string) => connection.sql<Row>(text),
    read: <T>(work: () => T) => patiently(() => transact('BEGIN', work)),
    async write<T>(durability: Durability, work: () => T): Promise<T> {
      const result = await patiently(() =>
        beginWrite(durability, () => {
          // A newer Umpire may have migrated the tables since this one started.
          const found = schemaVersion(connection)
          if (found !== latestVersion) throw newerSchema(path, found, latestVersion)
          return work()
        }),
      )
      commits += 1
      notify()
      return result
    },
    mark(): string {
      try {
        const others = connection.sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version
        return `${others} ${commits}`
      } catch (error) {
        // A busy file gives no answer. The caller then reads, and waits for its turn there.
        if (isBusy(error)) return `busy ${Math.random()}`
        throw explained(error, path)
      }
    },
    onCommit(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      if (closed) return
      closed = true
      notify()
      connection.close()
    },
    /** Sets up the connection, and creates or migrates the file. */
    async prepare(access: Access): Promise<void> {
      await patiently(() => {
        connection.exec('PRAGMA busy_timeout = 5; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000')
        if (access !== 'write') return
        // fullfsync: on macOS a plain fsync leaves the data in the disk's cache. wal_autocheckpoint: moving the log
        // into the file means waiting for the disk twice, so transcripts are faster if that happens every 16 MB, not
        // every 4.
        connection.exec('PRAGMA journal_mode = WAL; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON')
        connection.exec('PRAGMA wal_autocheckpoint = 4000')
      })
      const found = await patiently(() => schemaVersion(connection))
      if (found > latestVersion) throw newerSchema(path, found, latestVersion)
      if (access === 'write' && found < latestVersion) {
        await patiently(() => beginWrite('durable', () => migrate(connection)))
      }
    },
  }
}

interface Inspection {
  version: number
  latest: number
  /** What SQLite finds wrong with the file. Empty if it is sound. */
  faults: string[]
}

/**
 * Inspects a database file without changing it. It does not even migrate an older one. `full` also compares every index
 * with its table, which takes long for a large file. Throws UserError if the file can't be read.
 */
export async function inspectDatabase(path: string, depth: 'quick' | 'full'): Promise<Inspection> {
  try {
    const connection = await openConnection(path, 'read')
    try {
      connection.exec('PRAGMA busy_timeout = 5000')
      const version = schemaVersion(connection)
      if (version > latestVersion) throw newerSchema(path, version, latestVersion)
      const pragma = depth === 'full' ? 'integrity_check' : 'quick_check'
      const rows = connection.sql<Record<string, string>>(`PRAGMA ${pragma}(10)`).all()
      const faults = rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
      return { version, latest: latestVersion, faults }
    } finally {
      connection.close()
    }
  } catch (error) {
    throw explained(error, path)
  }
}
