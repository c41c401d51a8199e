/**
 * A worker stops an agent for being quiet and dies before recording it. The next worker must know why the agent ended.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Attempts, Watch } from '../../src/attempts/attempt.ts'
import { openLocalAttempts } from '../../src/attempts/local-attempts.ts'

const keeper = resolve(import.meta.dirname, '../../src/attempts/keeper.sh')
const never = new AbortController().signal

let work: string
let root: string
let attempts: Attempts

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'umpire-quiet-'))
  root = join(work, 'attempts')
  await mkdir(root)
  attempts = openLocalAttempts({ root, keeper })
})
afterEach(async () => {
  await attempts.kill('a')
  await rm(work, { recursive: true, force: true })
})

const mark = () => join(root, 'a', 'quiet')
const onLines = async () => {}
const look = async () => 'the same'
const never60: Watch = { idleMs: null, quiet: { afterMs: 60_000, look }, onLines }
const start = (command: string, limitMs = 60_000) =>
  attempts.start({
    id: 'a',
    argv: ['/bin/sh', '-c', command],
    cwd: work,
    env: { PATH: process.env.PATH ?? '' },
    stdin: '',
    limitMs,
  })
const follow = (watch: Watch = never60) => attempts.follow('a', watch, never)

/** Writes the mark as if it was written this many seconds ago. */
async function markedAgo(seconds: number): Promise<void> {
  await writeFile(mark(), '')
  const then = Date.now() / 1000 - seconds
  await utimes(mark(), then, then)
}

test('an agent killed right after the mark was quiet, even to a later worker', async () => {
  await start('exec sleep 600')
  await markedAgo(0)
  await attempts.kill('a')
  expect(await follow()).toEqual({ kind: 'quiet' })
})

test('the next worker stops an agent that was still being stopped', async () => {
  await start("trap '' TERM; while :; do sleep 0.1; done")
  await markedAgo(1)
  expect(await follow()).toEqual({ kind: 'quiet' })
  expect(await attempts.attach('a')).not.toBe('running')
})

test('an agent that lives long after the mark was never stopped, and its exit code counts', async () => {
  await start('while [ ! -e go ]; do sleep 0.02; done; exit 3')
  await markedAgo(3600)
  await writeFile(join(work, 'go'), '')
  expect(await follow()).toMatchObject({ kind: 'exited', code: 3 })
})

test('an agent that exited by itself before the mark is not quiet', async () => {
  await start('exit 3')
  expect(await follow()).toMatchObject({ kind: 'exited', code: 3 })
  await markedAgo(-5)
  expect(await follow()).toMatchObject({ kind: 'exited', code: 3 })
})

test('the mark does not hide the time limit, and means nothing if quiet agents are not watched for', async () => {
  await start('exec sleep 600', 100)
  expect(await follow()).toMatchObject({ kind: 'exited', overdue: true })
  await markedAgo(1)
  expect(await follow()).toMatchObject({ kind: 'exited', overdue: true })
  expect(await follow({ idleMs: null, onLines })).toMatchObject({ kind: 'exited', overdue: true })
})

test('a worker that has lost its claim leaves a quiet agent alone, without a mark', async () => {
  await start('exec sleep 600')
  const loser = attempts.guardedBy(() => Promise.reject(new Error('not yours any more')))
  const watch = { ...never60, quiet: { afterMs: 50, look } }
  await expect(loser.follow('a', watch, never)).rejects.toThrow('not yours any more')
  expect(existsSync(mark())).toBe(false)
  expect(await attempts.attach('a')).toBe('running')
})
