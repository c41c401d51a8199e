/**
 * An SQLite file that several processes read and write at once. A transaction is one synchronous function, so within
 * a process two never overlap; between processes the write lock decides.
 *
 *   - The file is in WAL mode: a reader never waits for a writer, nor a writer for a reader.
 *   - A writer takes the lock first (BEGIN IMMEDIATE). A transaction that reads and only then wants the lock would fail
 *     whenever somebody else wrote in between.
 *   - While another process has the lock we wait on a timer, not inside SQLite, where the whole event loop would stand.
 *   - `durable` commits wait until the disk has them: a step that is forgotten in a power cut is an agent run that is
 *     paid for again. `lazy` ones may be forgotten, but never half, and the next durable commit makes all before it
 *     durable too, as they are in the same log. That is right for transcripts, which come in many small batches and
 *     are on disk in the attempt's folder until the session's end was recorded.
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
  /** `read` never writes, and reads a file that is not there as empty. */
  access?: 'read' | 'write'
  /** How long to wait for another process that holds the lock. */
  patienceMs?: number
}

export interface Database {
  readonly closed: boolean
  sql<Row = unknown>(text: string): Statement<Row>
  /** Runs `work` on one unchanging state of the file. */
  read<T>(work: () => T): Promise<T>
  /** Runs `work` under the write lock; when it throws, nothing was written. It may run again, so it must only write here. */
  write<T>(durability: Durability, work: () => T): Promise<T>
  /** A mark that differs after every commit, be it ours or another process's. */
  mark(): string
  /** Calls back after each commit of this connection, and when it is closed. Returns what ends that. */
  onCommit(listener: () => void): () => void
  close(): void
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { path, access = 'write', patienceMs = 30_000 } = options
  if (access === 'read') return openToRead(path, patienceMs)
  await makeFile(path)
  return connect(path, 'write', patienceMs)
}

/** Opening to read must be quick and leave no trace, unless the file is of an older version and has to be brought up. */
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
 * The index of the log has to be made by whoever opens the file first, also to read it, and a sandbox may not allow that.
 * Where there is no log either, nobody else has the file open, and all that was written is in the file itself.
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
 * The transcripts and prompts in it are nobody else's business; SQLite gives its side files the same mode. A file that
 * is there must not be opened here: closing it again would drop every lock that SQLite has on it in this process.
 */
async function makeFile(path: string): Promise<void> {
  if (existsSync(path)) return
  try {
    await mkdir(dirname(path), { recursive: true })
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    // Another process was quicker.
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

  /** SQLite itself waits a moment, which settles most encounters; longer waits leave the event loop free. */
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
        // SQLite has rolled back by itself, as it does when the disk is full.
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
          // A newer Umpire may have changed the tables while this one runs.
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
        // Being kept from looking says nothing; the caller then reads, and waits its turn there.
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
    /** Sets the connection up, and the file when it is new or old. */
    async prepare(access: Access): Promise<void> {
      await patiently(() => {
        connection.exec('PRAGMA busy_timeout = 5; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000')
        if (access !== 'write') return
        // fullfsync: on macOS a plain fsync leaves the data in the disk's own cache. wal_autocheckpoint: moving the log
        // into the file costs two waits for the disk, so transcripts go faster when it is done every 16 MB, not every 4.
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
