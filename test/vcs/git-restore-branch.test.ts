import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../src/core/place.ts'
import { gitIn, writeFiles } from '../support/repository.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

describe('restoring the branch after a developer used git', () => {
  let loop: OpenLoop
  let done: CommitRecord
  beforeEach(async () => {
    loop = await openLoop()
    loop.write({ 'a.txt': 'recorded\n', 'new.txt': 'recorded\n' })
    done = await loop.commit()
  })
  afterEach(() => loop.remove())

  const restore = () => loop.vcs.restoreBranch(loop.place, done.sha)
  async function expectRestored(words: string | RegExp): Promise<void> {
    expect(await restore()).toEqual({ kind: 'restored', what: expect.stringMatching(words) })
    expect(loop.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${loop.place.branch}`)
    expect(loop.git('rev-parse', 'HEAD')).toBe(done.sha)
    expect(await restore()).toEqual({ kind: 'fine' })
  }
  const commitByHand = (message: string, ...more: string[]) => {
    loop.git('add', '-A')
    loop.git('commit', '-q', '-m', message, ...more)
  }

  it("accepts uncommitted work and the developer's own commits", async () => {
    loop.write({ 'more.txt': 'more\n' })
    expect(await restore()).toEqual({ kind: 'fine' })
    commitByHand('My own')
    loop.git('commit', '-q', '--allow-empty', '-m', 'And another')
    expect(await restore()).toEqual({ kind: 'fine' })
  })

  it('undoes an amended commit and keeps its files', async () => {
    loop.write({ 'a.txt': 'amended\n' })
    commitByHand('Better words', '--amend')
    await expectRestored(
      /no longer contains the recorded commit [0-9a-f]{10}: it was amended, rebased or reset/,
    )
    expect(loop.git('status', '--porcelain')).toBe(' M a.txt')
    expect(loop.read('a.txt')).toBe('amended\n')
  })

  it('undoes a reset and keeps files that were not committed', async () => {
    loop.git('reset', '-q', '--soft', 'HEAD~1')
    loop.write({ 'new.txt': 'changed\n' })
    await expectRestored('amended, rebased or reset')
    expect(loop.git('status', '--porcelain')).toBe(' M new.txt')
  })

  it('returns from another branch and keeps the work done there', async () => {
    loop.git('switch', '-q', '-c', 'my-feature')
    loop.write({ 'feature.txt': 'work\n' })
    commitByHand('On my own branch')
    await expectRestored(/^my-feature \(at [0-9a-f]{10}\) was checked out instead of umpire\/1-add-it$/)
    expect(loop.read('feature.txt')).toBe('work\n')
    expect((await loop.commit({ recorded: done.sha, attempt: '1/2' })).from).toBe(done.sha)
    expect(loop.filesIn('HEAD')).toContain('feature.txt')
  })

  it('returns from a detached HEAD and keeps the work done there', async () => {
    loop.git('checkout', '-q', '--detach')
    loop.write({ 'detached.txt': 'work\n' })
    commitByHand('Nowhere')
    await expectRestored(/^HEAD was detached at [0-9a-f]{10}/)
    expect(loop.git('status', '--porcelain')).toBe('?? detached.txt')
  })

  it('recreates the branch when the developer deleted it', async () => {
    loop.git('update-ref', '-d', `refs/heads/${loop.place.branch}`)
    await expectRestored('no longer has a commit')
  })

  describe('in the middle of an operation', () => {
    /** The base branch changes the same line. */
    beforeEach(() => {
      loop.repository.commit('Elsewhere', { 'a.txt': 'of somebody else\n' })
    })
    const collide = (...args: string[]) => expect(() => loop.git(...args)).toThrow()

    it.each([
      ['rebase', ['rebase', '-q', 'main'], 'rebase-merge'],
      ['rebase', ['rebase', '-q', '--apply', 'main'], 'rebase-apply'],
      ['merge', ['merge', '-q', 'main'], 'MERGE_HEAD'],
      ['cherry-pick', ['cherry-pick', 'main'], 'CHERRY_PICK_HEAD'],
      ['revert', ['revert', '--no-edit', 'HEAD~1'], 'REVERT_HEAD'],
    ])('clears a half-done %s (git %j)', async (name, args, file) => {
      if (name === 'revert') loop.git('reset', '-q', '--hard', done.sha)
      loop.write({ 'untracked.txt': 'work\n' })
      if (name === 'revert') {
        loop.write({ 'a.txt': 'once more\n' })
        commitByHand('Once more')
      }
      collide(...args)
      expect(existsSync(join(loop.gitDir, file))).toBe(true)
      await expectRestored(`a ${name} was left half done`)
      expect(existsSync(join(loop.gitDir, file))).toBe(false)
      expect(loop.read('untracked.txt')).toBe('work\n')
      const next = await loop.commit({ recorded: done.sha, attempt: '1/2' })
      expect(loop.git('rev-list', '--parents', '-1', next.sha).split(' ')).toHaveLength(2)
    })

    it('saves what a rebase had stashed', async () => {
      loop.write({ 'b.txt': 'not committed\n' })
      collide('rebase', '-q', '--autostash', 'main')
      await expectRestored('a rebase was left half done')
      expect(loop.git('stash', 'show', '-p')).toContain('+not committed')
    })
  })

  describe("when the worktree's link to the repository is damaged", () => {
    it('writes it again if it was deleted', async () => {
      loop.write({ 'more.txt': 'more\n' })
      rmSync(join(loop.path, '.git'))
      await expectRestored('link to the repository')
      expect(loop.git('status', '--porcelain')).toBe('?? more.txt')
    })

    it('moves aside a repository that the developer made in its place', async () => {
      rmSync(join(loop.path, '.git'))
      gitIn(loop.path, 'init', '-q')
      writeFiles(loop.path, { 'more.txt': 'more\n' })
      await expectRestored('link to the repository')
      expect(loop.git('status', '--porcelain')).toBe('?? more.txt')
    })

    it("never works on the person's checkout instead", async () => {
      loop.repository.git('worktree', 'remove', '--force', loop.path)
      writeFiles(loop.path, { 'more.txt': 'more\n' })
      const before = loop.repository.git('rev-parse', 'HEAD')
      const gone = { name: 'VcsError', fix: expect.stringContaining('umpire retry') }
      await expect(restore()).rejects.toMatchObject(gone)
      await expect(loop.tryCommit()).rejects.toMatchObject(gone)
      await expect(loop.vcs.discard(loop.place, done.sha)).rejects.toMatchObject(gone)
      expect(loop.repository.git('rev-parse', 'HEAD')).toBe(before)
    })
  })
})
