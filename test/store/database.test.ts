import {
  chmod,
  copyFile,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/store/sqlite/database.ts'
import { openStore } from '../../src/store/sqlite/open-store.ts'
import { sqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts'
import { taskAdded } from '../support/history.ts'
import { endPrograms, removeBundles, startProgram } from '../support/program.ts'

const adapter = resolve(import.meta.dirname, '../fixtures/store/sqlite.ts')

let folder: string
let path: string
const opened: Database[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'umpire-database-'))
  path = join(folder, 'umpire.db')
})
afterEach(async () => {
  await endPrograms()
  for (const database of opened.splice(0)) database.close()
  await chmod(folder, 0o755)
  await rm(folder, { recursive: true, force: true })
})
afterAll(removeBundles)

async function open(options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase({ path, ...options })
  opened.push(database)
  return database
}

const now = () => new Date('2026-01-01T00:00:00.000Z')

async function failure(of: Promise<unknown>): Promise<UserError> {
  const error = await of.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${error}`)
  return error
}

/** Takes the write lock, like a process that was stopped in the middle of a write. The result releases it. */
function holdWriteLock(database: Database): () => void {
  database.sql('BEGIN IMMEDIATE').run()
  return () => void database.sql('COMMIT').run()
}

describe('a locked database', () => {
  it('is waited for without blocking the event loop', async () => {
    const unlock = holdWriteLock(await open())
    const journal = sqliteJournal(await open(), now)
    let turns = 0
    const ticking = setInterval(() => {
      turns += 1
      if (turns === 10) unlock()
    }, 1)
    const [event] = await journal.append('task/1', 0, taskAdded())
    clearInterval(ticking)
    expect(turns).toBeGreaterThanOrEqual(10)
    expect(event?.seq).toBe(1)
  })

  it('is locked before anything is read, so that what was read still holds at the write', async () => {
    const letGo = holdWriteLock(await open())
    const other = await open({ patienceMs: 0 })
    let begun = 0
    const write = () => other.write('lazy', () => (begun += 1))
    await failure(write())
    expect(begun).toBe(0)
    letGo()
    await write()
    expect(begun).toBe(1)
  })

  it('waits for the disk only with events that can’t be had again', async () => {
    const database = await open()
    const journal = sqliteJournal(database, now)
    const level = () => database.sql<{ synchronous: number }>('PRAGMA synchronous').get()?.synchronous
    await journal.append('task/1', 0, taskAdded())
    const full = level()
    await journal.append('task/1', 1, { type: 'loop.released', data: { why: 'interrupted' } })
    expect([full, level()]).toEqual([2, 1])
  })

  it('is given up after a while, with a message that says what is in the way', async () => {
    holdWriteLock(await open())
    const journal = sqliteJournal(await open({ patienceMs: 50 }), now)
    const error = await failure(journal.append('task/1', 0, taskAdded()))
    expect(error.message).toBe(`Another program has locked the database ${path}.`)
    expect(error.fix).toContain('Ctrl-Z')
  })

  it('can still be read, as it was before the write', async () => {
    const writer = await open()
    await sqliteJournal(writer, now).append('task/1', 0, taskAdded())
    const unlock = holdWriteLock(writer)
    writer.sql("UPDATE tasks SET title = 'half written'").run()
    const reader = await openStore({ path, access: 'read', patienceMs: 0 })
    expect(await reader.archive.tasks()).toHaveLength(1)
    expect(await reader.journal.list({})).toHaveLength(1)
    await reader.close()
    unlock()
  })

  it('does not make a writer wait for a reader', async () => {
    await sqliteJournal(await open(), now).append('task/1', 0, taskAdded())
    const reader = await open()
    await reader.read(() => {
      reader.sql('SELECT * FROM events').all()
      // The reader's transaction is open here.
      const writer = opened[0]
      writer?.sql("UPDATE tasks SET title = 'changed meanwhile'").run()
      expect(reader.sql<{ title: string }>('SELECT title FROM tasks').get()?.title).toBe('Add a feature')
    })
  })
})

describe('a transaction that fails', () => {
  it('leaves nothing behind, and the next one works', async () => {
    const database = await open()
    const insert = 'INSERT INTO offers (task_id) VALUES (1)'
    const broken = database.write('durable', () => {
      database.sql(insert).run()
      throw new Error('a surprise')
    })
    await expect(broken).rejects.toThrow('a surprise')
    await database.write('lazy', () => database.sql(insert).run())
    expect(database.sql('SELECT * FROM offers').all()).toHaveLength(1)
  })

  it('says so when the disk is full, and keeps what was recorded before', async () => {
    const database = await open()
    const journal = sqliteJournal(database, now)
    await journal.append('task/1', 0, taskAdded())
    const { page_count } = database.sql<{ page_count: number }>('PRAGMA page_count').get() ?? {
      page_count: 0,
    }
    database.sql(`PRAGMA max_page_count = ${page_count}`).get()
    const large = taskAdded({ description: 'x'.repeat(1_000_000) })
    const error = await failure(journal.append('task/2', 0, large))
    expect(error.message).toBe(`The disk is full, so the database ${path} can't grow.`)
    expect(error.fix).toContain('Free some space')
    expect(await journal.list({})).toHaveLength(1)
    database.sql('PRAGMA max_page_count = 1000000').get()
    expect(await journal.append('task/2', 0, large)).toMatchObject([{ seq: 2 }])
  })
})

describe('an unusable file', () => {
  it('is refused with a message when it is not a database', async () => {
    await writeFile(path, 'these are my notes, not a database. '.repeat(100))
    const error = await failure(openStore({ path }))
    expect(error.message).toContain(`The database ${path} is damaged`)
    expect(error.fix).toContain(`mv ${path} ${path}.damaged`)
    expect(await readFile(path, 'utf8')).toContain('these are my notes')
  })

  it('is refused with a message when part of it is missing', async () => {
    const store = await openStore({ path })
    for (let task = 1; task <= 20; task += 1) {
      await store.journal.append(`task/${task}`, 0, taskAdded({ description: 'x'.repeat(10_000) }))
    }
    await store.close()
    await truncate(path, (await stat(path)).size - 100_000)
    const error = await failure(openStore({ path }).then((damaged) => damaged.journal.list({})))
    expect(error.message).toContain(`The database ${path} is damaged`)
  })

  it('is refused with a message when a newer program wrote it, and is left alone', async () => {
    const database = await open()
    database.sql('PRAGMA user_version = 99').run()
    for (const access of ['read', 'write'] as const) {
      const error = await failure(openStore({ path, access }))
      expect(error.message).toContain(`A newer Umpire wrote the database ${path} (its format is 99`)
      expect(error.fix).toContain('Update Umpire')
    }
    // A program that had it open before the newer one came refuses it, too.
    const late = await failure(sqliteJournal(database, now).append('task/1', 0, taskAdded()))
    expect(late.message).toContain('newer Umpire')
    expect(database.sql('SELECT * FROM events').all()).toEqual([])
  })

  it('is refused with a message when its folder cannot be made', async () => {
    await writeFile(path, '')
    const error = await failure(openStore({ path: join(path, 'umpire.db') }))
    expect(error.message).toContain(`The database ${join(path, 'umpire.db')} can't be created`)
  })

  it('is refused with a message when the folder is read-only', async () => {
    await chmod(folder, 0o555)
    // Root can write everywhere, so this must run as another user.
    const user = process.getuid?.() === 0 ? { uid: 65534 } : {}
    const program = await startProgram({ fixture: 'store/opener.ts', adapter, args: [folder], ...user })
    const said = JSON.parse(await program.next())
    expect(said.name).toBe('StoreError')
    expect(said.message).toContain(`The database ${path} can't be written`)
    expect(said.fix).toContain(`Make ${folder} and the files in it writable`)
  })
})

describe('opening', () => {
  it('to read needs only the file itself if no process has it open', async () => {
    const writer = await openDatabase({ path })
    await sqliteJournal(writer, now).append('task/1', 0, taskAdded())
    writer.close()
    // This is a copy, because one of the two libraries closes its files only later.
    const copy = join(folder, 'copy.db')
    await copyFile(path, copy)
    // As in a read-only folder, the index of the log can't be made.
    await symlink(join(folder, 'nowhere', 'index'), `${copy}-shm`)
    const reader = await open({ path: copy, access: 'read' })
    expect(await sqliteJournal(reader, now).load('task/1')).toHaveLength(1)
    // A log may contain what the file does not.
    await writeFile(`${copy}-wal`, 'something')
    const error = await failure(openDatabase({ path: copy, access: 'read' }))
    expect(error.message).toContain("can't be opened")
  })

  it('makes the file and its folder, readable by no other user', async () => {
    path = join(folder, 'a', 'b', 'umpire.db')
    const database = await open()
    await sqliteJournal(database, now).append('task/1', 0, taskAdded())
    for (const file of await readdir(join(folder, 'a', 'b'))) {
      expect([file, (await stat(join(folder, 'a', 'b', file))).mode & 0o777]).toEqual([file, 0o600])
    }
  })

  it('works when several processes are the first at once', async () => {
    const programs = await Promise.all(
      [1, 2, 3, 4].map(() => startProgram({ fixture: 'store/opener.ts', adapter, args: [folder] })),
    )
    const said = await Promise.all(programs.map((program) => program.next()))
    expect(said).toEqual(Array(4).fill('{"next":1}'))
  })

  it('to read makes no file, and finds nothing if there is none', async () => {
    const store = await openStore({ path, access: 'read' })
    expect(await store.archive.tasks()).toEqual([])
    expect(await store.journal.list({})).toEqual([])
    await expect(store.journal.append('task/1', 0, taskAdded())).rejects.toThrow(UserError)
    await store.close()
    expect(await readdir(folder)).toEqual([])
  })

  it('to read sees what others write, and cannot write itself', async () => {
    const writer = await openStore({ path })
    const reader = await openStore({ path, access: 'read' })
    await writer.journal.append('task/1', 0, taskAdded())
    expect(await reader.archive.tasks()).toHaveLength(1)
    await expect(reader.journal.append('task/1', 1, taskAdded())).rejects.toThrow(UserError)
    await reader.close()
    await writer.close()
  })

  it('leaves everything in the file itself once all have closed it', async () => {
    const store = await openStore({ path })
    await store.journal.append('task/1', 0, taskAdded())
    await store.close()
    await store.close()
    const copy = join(folder, 'copy.db')
    await copyFile(path, copy)
    const copied = await openStore({ path: copy })
    expect(await copied.archive.tasks()).toHaveLength(1)
    await copied.close()
  })
})
