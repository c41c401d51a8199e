/** The database is locked, damaged or missing: Umpire names the file in a clear message and does not touch it. */
import '../support/patient.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { type Bench, openBench, type Ran } from '../support/umpire.ts'

const databaseOf = ({ home }: Bench) => join(home, 'umpire.db')
const lockers = new Set<ChildProcess>()

afterEach(() => {
  for (const locker of lockers) locker.kill('SIGKILL')
  lockers.clear()
})

/** Another program that locks the file until its standard input is closed. */
async function lock(path: string): Promise<ChildProcess> {
  const library = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  const script = `
    const { DatabaseSync } = require(${JSON.stringify(library)})
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec('BEGIN EXCLUSIVE')
    console.log('locked')
    process.stdin.on('end', () => { database.exec('COMMIT'); process.exit() }).resume()`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  lockers.add(child)
  await once(child.stdout, 'data')
  return child
}

function expectClear(ran: Ran, words: RegExp): void {
  expect(ran.stderr).toMatch(words)
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  expect(ran.stderr).not.toMatch(/^\s+at |--verbose/m)
  expect(ran.code).toBe(1)
}

test('every command waits while another program locks the database for a few seconds', async () => {
  const bench = openBench({ process: 'own' })
  await bench.add('Wait for it')
  const locker = await lock(databaseOf(bench))
  const calls = [bench.umpire('work'), bench.umpire('add', 'Filed meanwhile'), bench.umpire('status')]
  let ended = 0
  for (const call of calls) void call.then(() => (ended += 1))
  await sleep(5_000)
  // In WAL mode readers need not wait.
  expect(ended).toBeLessThanOrEqual(1)
  locker.stdin?.end()
  const [work, add, status] = await Promise.all(calls)
  expect(work).toMatchObject({ code: 0, stderr: '' })
  expect(add).toMatchObject({ code: 0, stdout: '#2\n', stderr: '' })
  expect(status).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
})

test('gives up with a clear message if the database stays locked', async () => {
  const bench = openBench({ process: 'own' })
  await bench.add('Give it up')
  await lock(databaseOf(bench))
  // The command itself waits for half a minute.
  const database = await openDatabase({ path: databaseOf(bench), patienceMs: 100 })
  await expect(database.write('durable', () => {})).rejects.toThrow(
    /^Another program has locked the database .*umpire\.db/,
  )
  database.close()
})

const commands = [['status'], ['add', 'X'], ['work'], ['show', '1'], ['events'], ['log', '1'], ['retry', '1']]

test('every command names a damaged database and what to do, and does not touch it', async () => {
  const bench = openBench({ process: 'own' })
  await bench.add('Be there', '-d', 'text '.repeat(20_000))
  expect((await bench.umpire('work')).code).toBe(0)
  const path = databaseOf(bench)
  const good = join(bench.folder, 'good.db')
  for (const side of ['-wal', '-shm']) rmSync(`${path}${side}`, { force: true })
  copyFileSync(path, good)
  const size = statSync(good).size

  const damages: [string, () => void][] = [
    ['garbage instead of its header', () => overwrite(path, 0, 4096)],
    ['cut in the middle', () => truncateSync(path, Math.floor(size / 2 / 4096) * 4096)],
    ['cut within a page', () => truncateSync(path, 4096 + 100)],
    ['the schema overwritten', () => overwrite(path, 100, 3000)],
  ]
  for (const [what, damage] of damages) {
    copyFileSync(good, path)
    damage()
    const before = readFileSync(path)
    let refused = 0
    for (const args of commands) {
      const ran = await bench.umpire(...args)
      if (ran.code === 0) continue
      refused += 1
      expectClear(ran, /^umpire: The database .*\/umpire\.db is damaged \(.*\)\.\nRestore a backup, or move/)
    }
    expect(`${what}: ${refused > 0}`).toBe(`${what}: true`)
    if (refused === commands.length) expect(readFileSync(path).equals(before)).toBe(true)
  }
  copyFileSync(good, path)
  expect(await bench.umpire('status')).toMatchObject({ code: 0, stderr: '' })
})

test('reports overwritten pages in the middle when it reads them', async () => {
  const bench = openBench({ process: 'own' })
  await bench.add('Be there', '-d', 'text '.repeat(20_000))
  expect((await bench.umpire('work')).code).toBe(0)
  const path = databaseOf(bench)
  const pages = statSync(path).size / 4096
  for (let page = 2; page < pages; page++) overwrite(path, page * 4096, 4096)
  const before = readFileSync(path)
  expectClear(await bench.umpire('show', '1'), /The database .*\/umpire\.db is damaged/)
  expectClear(await bench.umpire('work'), /The database .*\/umpire\.db is damaged/)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('treats an empty file as a new database, and refuses a folder in its place and a newer format', async () => {
  const bench = openBench({ process: 'own' })
  mkdirSync(bench.home)
  writeFileSync(databaseOf(bench), '')
  expect(await bench.umpire('status')).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.add('First')).toBe(1)

  const kept = readFileSync(databaseOf(bench))
  const newer = Buffer.from(kept)
  newer.writeInt32BE(9999, 60)
  writeFileSync(databaseOf(bench), newer)
  for (const args of commands)
    expectClear(
      await bench.umpire(...args),
      /A newer Umpire wrote the database .*umpire\.db .*9999.*\nUpdate Umpire/,
    )
  expect(readFileSync(databaseOf(bench)).equals(newer)).toBe(true)

  rmSync(databaseOf(bench))
  mkdirSync(databaseOf(bench))
  for (const args of commands)
    expectClear(await bench.umpire(...args), /The database .*umpire\.db can't be (opened|made)/)
  expect(statSync(databaseOf(bench)).isDirectory()).toBe(true)
})

function overwrite(path: string, at: number, length: number): void {
  const bytes = readFileSync(path)
  bytes.fill('garbage ', at, at + length)
  writeFileSync(path, bytes)
}
