/** Umpire drops the worktree of merged work by itself, but nothing that exists only there. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { gitIn, writeFiles } from '../support/repository.ts'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
let one: Work
const drop = () => landing.vcs.dropWorktree(one.place, one.head)

beforeEach(async () => {
  landing = openLanding()
  one = await landing.work(1, { 'new.txt': 'new\n' })
})
afterEach(() => landing.remove())

it('drops a worktree with its ignored files, and keeps its branch', async () => {
  await landing.land(one)
  writeFiles(one.path, { 'ignored/deep/er/built.txt': 'built\n' })
  expect(await drop()).toBe('dropped')
  expect(existsSync(one.path)).toBe(false)
  expect(await landing.vcs.branchHead(one.place.branch)).toBe(one.head)
  expect(await drop()).toBe('absent')
})

it('keeps a worktree with a repository in an ignored folder, and cleaning says so', async () => {
  await landing.land(one)
  const nested = join(one.path, 'ignored/deep/lib')
  mkdirSync(nested, { recursive: true })
  execFileSync('git', ['init', '-q', nested])
  writeFileSync(join(nested, 'precious.txt'), 'precious\n')
  expect(await drop()).toBe('kept')
  expect(await landing.vcs.removeWork(one.place, 'merged')).toEqual({
    kind: 'kept',
    why: expect.stringContaining('ignored/deep/lib is a separate repository'),
  })
  expect(existsSync(join(nested, 'precious.txt'))).toBe(true)
})

it('keeps a worktree if only its reflog knows a commit', async () => {
  await landing.land(one)
  gitIn(one.path, 'commit', '-q', '--allow-empty', '-m', 'Aside')
  const aside = gitIn(one.path, 'rev-parse', 'HEAD').trim()
  gitIn(one.path, 'reset', '-q', '--hard', one.head)
  expect(await drop()).toBe('kept')
  landing.repository.git('branch', 'aside', aside)
  expect(await drop()).toBe('dropped')
})
