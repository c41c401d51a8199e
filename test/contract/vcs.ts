/**
 * What every version control adapter must do. An adapter's test calls this with a way to open it on a fresh repository.
 */

import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommitRecord, Place } from '../../src/core/place.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import type { CommitRequest } from '../../src/vcs/worktrees.ts'
import { type Files, writeFiles } from '../support/repository.ts'
import { describeLanding } from './vcs-landing.ts'
import { describeMergingMany } from './vcs-merging-many.ts'
import { describeResolving } from './vcs-resolving.ts'
import { describeReviewing } from './vcs-reviewing.ts'
import {
  commitRequest,
  committed,
  firstFiles,
  never,
  noNeeds,
  type OpenVcs,
  type VcsUnderTest,
} from './vcs-under-test.ts'

export function describeVcs(name: string, open: OpenVcs): void {
  describe(name, () => {
    let under: VcsUnderTest
    let vcs: Vcs
    let place: Place
    const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
    const openIt = (needs = noNeeds) => vcs.openWorktree(place, needs, never)

    beforeEach(async () => {
      under = open(firstFiles)
      vcs = under.vcs
      place = await vcs.plan({ id: 1, title: 'Add it' })
    })
    afterEach(() => under.remove())

    async function work(
      files: Files,
      recorded: string,
      more: Partial<CommitRequest> = {},
    ): Promise<CommitRecord> {
      writeFiles(join(under.home, place.worktree), files)
      return committed(await vcs.commit(place, commitRequest(recorded, more), never))
    }

    describe('a place', () => {
      it('is a branch and a worktree named after the task, for the branch that is checked out', async () => {
        const base = await vcs.base()
        expect(base.branch).toBe('main')
        expect(place).toEqual({
          branch: 'umpire/1-add-it',
          base: 'main',
          baseCommit: base.commit,
          worktree: 'worktrees/1-add-it',
        })
      })

      it('is made once and found again, with the work in it', async () => {
        const first = await openIt()
        expect(first.path).toBe(join(under.home, 'worktrees/1-add-it'))
        expect(first.head).toBe(place.baseCommit)
        expect(read(first.path, 'src/b.txt')).toBe('b\n')
        writeFiles(first.path, { 'new.txt': 'unfinished\n' })
        expect(await openIt()).toEqual(first)
        expect(read(first.path, 'new.txt')).toBe('unfinished\n')
        expect(await vcs.branchHead(place.branch)).toBe(first.head)
        expect(await vcs.branchHead('no-such-branch')).toBeNull()
      })

      it('starts at the recorded commit even if the base branch has moved', async () => {
        under.commitToBase({ 'a.txt': 'changed\n' })
        const { path, head } = await openIt()
        expect(head).toBe(place.baseCommit)
        expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
      })

      it('is recreated from its branch when its folder was deleted by hand', async () => {
        const { path, head } = await openIt()
        const done = await work({ 'new.txt': 'new\n' }, head)
        rmSync(path, { recursive: true })
        expect(await openIt()).toEqual({ path, head: done.sha, tree: done.tree })
        expect(read(path, 'new.txt')).toBe('new\n')
      })

      it('can be opened in parallel with many others', async () => {
        const titles = ['one', 'two', 'three', 'four', 'five', 'six']
        const places = await Promise.all(titles.map((title, at) => vcs.plan({ id: at + 2, title })))
        const opened = await Promise.all(places.map((other) => vcs.openWorktree(other, noNeeds, never)))
        for (const { path } of opened) expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
      })
    })

    describe('files given to a checkout', () => {
      const needs = { ...noNeeds, copy: ['.env', 'settings', 'not-there'], link: ['modules', 'a.txt'] }
      beforeEach(() =>
        writeFiles(under.root, { '.env': 'KEY=1\n', 'settings/own.txt': 'own\n', 'modules/m.txt': 'm\n' }),
      )

      it('are copied and linked, but never replace tracked files', async () => {
        writeFiles(under.root, { 'a.txt': "the person's own\n" })
        const { path } = await openIt(needs)
        expect(read(path, '.env')).toBe('KEY=1\n')
        expect(read(path, 'settings/own.txt')).toBe('own\n')
        expect(lstatSync(join(path, 'modules')).isSymbolicLink()).toBe(true)
        expect(read(path, 'modules/m.txt')).toBe('m\n')
        expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
        expect(existsSync(join(path, 'not-there'))).toBe(false)
      })

      it('are never committed, even if the developer committed them', async () => {
        const { path, head, tree } = await openIt(needs)
        expect(await work({}, head)).toMatchObject({ sha: head, tree, empty: true })
        writeFiles(path, { 'new.txt': 'new\n' })
        under.commitIn(path, 'Everything')
        const done = await work({}, head)
        expect((await vcs.diff(place, done.tree)).files.map((file) => file.path)).toEqual(['new.txt'])
        expect(read(path, '.env')).toBe('KEY=1\n')
        expect(read(path, 'modules/m.txt')).toBe('m\n')
      })

      it('come with a set-up that runs once, and again if it was cut short', async () => {
        const calls: string[] = []
        const failing = async (path: string) => {
          calls.push(path)
          if (calls.length === 1) throw new Error('cut short')
        }
        await expect(openIt({ ...needs, setup: failing })).rejects.toThrow('cut short')
        const { path, head } = await openIt({ ...needs, setup: failing })
        await openIt({ ...needs, setup: failing })
        expect(calls).toEqual([path, path])
        expect((await work({}, head)).sha).toBe(head)
      })

      it('must not be outside the checkout', async () => {
        for (const copy of ['../outside', '/etc/passwd', '.git/config', '.umpire/umpire.db', '.']) {
          await expect(openIt({ ...noNeeds, copy: [copy] })).rejects.toThrow("can't be copied or linked")
        }
      })
    })

    describe('a commit', () => {
      it('includes every change and says what it was made from', async () => {
        const { head, path } = await openIt()
        rmSync(join(path, 'src/b.txt'))
        const done = await work({ 'a.txt': 'ONE\n', 'deep/new.txt': 'new\n' }, head, {
          message: 'Add it',
          iteration: 4,
        })
        expect(done).toMatchObject({
          from: head,
          session: '1-1',
          iteration: 4,
          empty: false,
          message: 'Add it',
        })
        expect(await vcs.branchHead(place.branch)).toBe(done.sha)
        const { files } = await vcs.diff(place, done.tree)
        expect(files.map((file) => file.path).sort()).toEqual(['a.txt', 'deep/new.txt', 'src/b.txt'])
      })

      it('is not made twice, and not without a change', async () => {
        const { head } = await openIt()
        expect(await work({}, head)).toMatchObject({ sha: head, empty: true })
        const done = await work({ 'new.txt': 'new\n' }, head)
        expect(await work({}, head)).toEqual(done)
      })

      it("includes the developer's own commits", async () => {
        const { path, head } = await openIt()
        writeFiles(path, { 'new.txt': 'new\n' })
        under.commitIn(path, 'My own words')
        expect(await vcs.restoreBranch(place, head)).toEqual({ kind: 'fine' })
        expect(await work({}, head)).toMatchObject({ from: head, empty: false, message: 'My own words' })
      })

      it('of undone work leaves the branch without a difference from its base', async () => {
        const { head, tree } = await openIt()
        const done = await work({ 'a.txt': 'changed\n' }, head)
        const undone = await work({ 'a.txt': 'one\ntwo\nthree\n' }, done.sha, { attempt: '1/2' })
        expect(undone).toMatchObject({ tree, empty: true })
        expect(undone.sha).not.toBe(done.sha)
      })
    })

    it('takes a snapshot that is the tree a commit would have, without moving the branch', async () => {
      writeFiles(under.root, { '.env': 'KEY=1\n' })
      const { path, head, tree } = await openIt({ ...noNeeds, copy: ['.env'] })
      expect(await vcs.snapshot(place, never)).toBe(tree)
      rmSync(join(path, 'src/b.txt'))
      writeFiles(path, { 'a.txt': 'ONE\n', 'deep/new.txt': 'new\n', ignored: 'not seen\n' })
      const seen = await vcs.snapshot(place, never)
      expect(await vcs.branchHead(place.branch)).toBe(head)
      expect((await work({}, head)).tree).toBe(seen)
      writeFiles(path, { ignored: 'still not seen\n' })
      expect(await vcs.snapshot(place, never)).toBe(seen)
    })

    it('restores the recorded commit when the developer removed it from the branch, and keeps the files', async () => {
      const { path, head } = await openIt()
      const done = await work({ 'a.txt': 'changed\n' }, head)
      under.rewindIn(path)
      writeFiles(path, { 'new.txt': 'new\n' })
      expect(await vcs.restoreBranch(place, done.sha)).toMatchObject({
        kind: 'restored',
        what: expect.any(String),
      })
      expect(await vcs.branchHead(place.branch)).toBe(done.sha)
      expect(read(path, 'new.txt')).toBe('new\n')
      expect(await vcs.restoreBranch(place, done.sha)).toEqual({ kind: 'fine' })
    })

    it('discards what a gate left behind, but not ignored files or files given to the checkout', async () => {
      writeFiles(under.root, { '.env': 'KEY=1\n' })
      const { path, head } = await openIt({ ...noNeeds, copy: ['.env'] })
      writeFiles(path, { 'a.txt': 'overwritten\n', 'report/out.txt': 'out\n', ignored: 'kept\n' })
      rmSync(join(path, 'src/b.txt'))
      await vcs.discard(place, head)
      expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
      expect(read(path, 'src/b.txt')).toBe('b\n')
      expect(existsSync(join(path, 'report'))).toBe(false)
      expect(read(path, 'ignored')).toBe('kept\n')
      expect(read(path, '.env')).toBe('KEY=1\n')
      await vcs.discard(place, head)
    })

    it('saves what differs from the commit, so that discarding loses nothing', async () => {
      const { path, head } = await openIt()
      expect(await vcs.keepAside(place, head, '1-1')).toBeNull()
      writeFiles(path, { 'a.txt': 'by somebody\n', 'new.txt': 'new\n' })
      expect(await vcs.keepAside(place, head, '1-1')).toEqual(expect.stringContaining('1-1'))
      await vcs.discard(place, head)
      expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
      expect(existsSync(join(path, 'new.txt'))).toBe(false)
    })
  })
  describeReviewing(name, open)
  describeLanding(name, open)
  describeMergingMany(name, open)
  describeResolving(name, open)
}
