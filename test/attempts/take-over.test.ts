/** Attempts of a worker that may have lost its claim, or that comes before their keeper. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AttemptSpec, Attempts } from '../../src/attempts/attempt.ts'
import { openLocalAttempts } from '../../src/attempts/local-attempts.ts'

const keeper = resolve(import.meta.dirname, '../../src/attempts/keeper.sh')
const never = new AbortController().signal

let work: string
let root: string
let attempts: Attempts

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'umpire-attempts-'))
  root = join(work, 'attempts')
  await mkdir(root)
  attempts = openLocalAttempts({ root, keeper })
})
afterEach(async () => {
  await attempts.kill('a')
  await rm(work, { recursive: true, force: true })
})

const spec = (command: string): AttemptSpec => ({
  id: 'a',
  argv: ['/bin/sh', '-c', command],
  cwd: work,
  env: { PATH: process.env.PATH ?? '' },
  stdin: '',
  limitMs: 60_000,
})
const follow = () => attempts.follow('a', { idleMs: null, onLines: async () => {} }, never)
const refused = new Error('not yours any more')
const loser = () => attempts.guardedBy(() => Promise.reject(refused))

test('an attempt that was prevented never runs, even if it is started afterwards', async () => {
  expect(await attempts.prevent('a')).toBe('prevented')
  await attempts.start(spec('touch ran'))
  expect(await attempts.attach('a')).toBe('dead')
  expect(existsSync(join(work, 'ran'))).toBe(false)
})

test('an attempt that already has a keeper is not prevented, and goes on', async () => {
  await attempts.start(spec('echo $$; while [ ! -e go ]; do sleep 0.02; done'))
  expect(await attempts.prevent('a')).toBe('won')
  expect(await attempts.attach('a')).toBe('running')
  await mkdir(join(work, 'go'))
  expect(await follow()).toMatchObject({ kind: 'exited', code: 0 })
})

test('a worker that has lost its claim starts nothing, and leaves no folder that would suggest otherwise', async () => {
  await expect(loser().start(spec('touch ran'))).rejects.toBe(refused)
  expect(await readdir(root)).toEqual([])
})

test('a worker that has lost its claim neither stops nor removes a running attempt, even if it seems idle', async () => {
  await attempts.start(spec('while [ ! -e go ]; do sleep 0.02; done'))
  await expect(loser().kill('a')).rejects.toBe(refused)
  await expect(loser().remove('a')).rejects.toBe(refused)
  const watch = { idleMs: 1, onLines: async () => {} }
  await expect(loser().follow('a', watch, never)).rejects.toBe(refused)
  expect(await attempts.attach('a')).toBe('running')
  await mkdir(join(work, 'go'))
  expect(await follow()).toMatchObject({ kind: 'exited', code: 0 })
})

test('checks the claim after making the folder, so that a new holder of the claim also gets the folder', async () => {
  const taken = attempts.guardedBy(async () => {
    expect(existsSync(join(root, 'a'))).toBe(true)
    await attempts.prevent('a')
    await attempts.remove('a')
  })
  await expect(taken.start(spec('touch ran'))).rejects.toThrow('could not write')
  expect(existsSync(join(work, 'ran'))).toBe(false)
})
