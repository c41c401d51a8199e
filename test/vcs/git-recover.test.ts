/** A worktree whose worker died during a git command, or goes on after it lost its claim. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isRunning, until } from '../support/umpire.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

let loop: OpenLoop

beforeEach(async () => {
  loop = await openLoop()
})
afterEach(() => loop.remove())

const locks = () => [
  join(loop.gitDir, 'index.lock'),
  join(loop.gitDir, 'HEAD.lock'),
  join(loop.repository.root, '.git/refs/heads', `${loop.place.branch}.lock`),
]

it('removes the lock files of a killed git, but only those of the loop', async () => {
  const others = join(loop.repository.root, '.git/index.lock')
  for (const lock of [...locks(), others]) writeFileSync(lock, '')
  await loop.vcs.recover(loop.place)
  expect([...locks(), others].map((lock) => existsSync(lock))).toEqual([false, false, false, true])
  loop.write({ 'a.txt': 'changed\n' })
  expect((await loop.commit()).empty).toBe(false)
})

it('stops a git that outlived its worker, and its hook', async () => {
  const { folder } = loop.repository
  loop.repository.hook(
    'pre-commit',
    `echo $$ >${folder}/hook.new; mv ${folder}/hook.new ${folder}/hook; sleep 600`,
  )
  loop.write({ 'a.txt': 'changed\n' })
  const committing = loop.tryCommit().catch(() => null)
  await until(() => existsSync(join(folder, 'hook')), 'the hook')
  await loop.vcs.recover(loop.place)
  await committing
  expect(isRunning(readFileSync(join(folder, 'hook'), 'utf8').trim())).toBe(false)
  expect(locks().filter((lock) => existsSync(lock))).toEqual([])
  loop.repository.hook('pre-commit', 'exit 0')
  expect((await loop.commit()).message).toBe('Add it')
  expect(loop.git('rev-list', '--count', 'main..HEAD')).toBe('1')
})

it('also removes the lock file that a developer left, once the developer has ended', async () => {
  writeFileSync(join(loop.gitDir, 'index.lock'), '')
  expect(await loop.vcs.restoreBranch(loop.place, loop.place.baseCommit)).toEqual({ kind: 'fine' })
  expect(existsSync(join(loop.gitDir, 'index.lock'))).toBe(false)
})

it('changes nothing for a worker that has lost its claim, even in the middle of an operation', async () => {
  const { place } = loop
  const refused = new Error('not yours any more')
  loop.write({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
  const loser = loop.vcs.guardedBy(() => Promise.reject(refused))
  await expect(loser.discard(place, place.baseCommit)).rejects.toBe(refused)
  await expect(loser.recover(place)).rejects.toBe(refused)
  await expect(loser.removeCheckout('1-1')).rejects.toBe(refused)
  await expect(loser.openClone('1-1', place, loop.git('rev-parse', 'HEAD^{tree}'))).rejects.toBe(refused)
  expect(loop.git('status', '--porcelain')).toBe(' M a.txt\n?? new.txt')

  // Allowed to reset, but no longer to clean.
  let asked = 0
  const late = loop.vcs.guardedBy(() => (++asked > 1 ? Promise.reject(refused) : Promise.resolve()))
  await expect(late.discard(place, place.baseCommit)).rejects.toBe(refused)
  expect(loop.git('status', '--porcelain')).toBe('?? new.txt')
})

it('lists the checkouts that exist', async () => {
  expect(await loop.vcs.checkouts()).toEqual([])
  await loop.vcs.openClone('1-2', loop.place, loop.git('rev-parse', 'HEAD^{tree}'))
  expect(await loop.vcs.checkouts()).toEqual(['1-2'])
  await loop.vcs.removeCheckout('1-2')
  expect(await loop.vcs.checkouts()).toEqual([])
})
