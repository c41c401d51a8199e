/** The part of the contract about showing the work to others: diffs, reviewers' clones and scratch checkouts. */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommitRecord, Place } from '../../src/core/place.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import type { CheckoutNeeds, CommitRequest } from '../../src/vcs/worktrees.ts'
import { type Files, writeFiles } from '../support/repository.ts'
import {
  commitRequest,
  committed,
  firstFiles,
  never,
  noNeeds,
  type OpenVcs,
  type VcsUnderTest,
} from './vcs-under-test.ts'

export function describeReviewing(name: string, open: OpenVcs): void {
  describe(`${name}, showing the work`, () => {
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

    describe('a diff', () => {
      it('is against the point where the branch left its base, wherever the base is now', async () => {
        const { head } = await openIt()
        const done = await work({ 'a.txt': 'one\n2\nthree\n' }, head)
        under.commitToBase({ 'other.txt': 'of somebody else\n' })
        const { text, files, against } = await vcs.diff(place, done.tree)
        expect(against).toBe(place.baseCommit)
        expect(files).toEqual([{ path: 'a.txt', added: 1, removed: 1 }])
        expect(text).toContain('-two\n+2\n')
        expect(text).not.toContain('somebody else')
      })

      it('of two trees names the lines that changed on the new side', async () => {
        const { head, tree } = await openIt()
        const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`)
        const before = await work({ 'long.txt': lines.join('') }, head)
        lines[4] = 'changed\nand longer\n'
        lines.splice(10, 2)
        const after = await work({ 'long.txt': lines.join(''), 'spaced name.txt': 'x\n' }, before.sha, {
          attempt: '1/2',
        })
        expect(await vcs.changedLines(before.tree, after.tree)).toEqual({
          'long.txt': [
            [5, 6],
            [11, 12],
          ],
          'spaced name.txt': [[1, 1]],
        })
        expect(await vcs.diffTrees(before.tree, after.tree)).toContain('+and longer\n')
        expect(await vcs.diffTrees(tree, tree)).toBe('')
      })
    })

    describe("a reviewer's clone", () => {
      let done: CommitRecord
      beforeEach(async () => {
        const { head } = await openIt()
        done = await work({ 'new.txt': 'new\n' }, head, { message: 'Trust me, it is perfect' })
      })

      it('contains the tree under review, and counts as untampered after a session that only reads', async () => {
        const { path, state } = await vcs.openClone('r-1', place, done.tree)
        expect(state.tree).toBe(done.tree)
        expect(read(path, 'new.txt')).toBe('new\n')
        expect(await vcs.tampered('r-1', place, state)).toBeNull()
        writeFiles(path, { 'residue/notes.txt': 'left behind\n' })
        expect(await vcs.tampered('r-1', place, state)).toBeNull()
      })

      it.each([
        [
          'a changed file in the clone',
          (clone: string) => writeFiles(clone, { 'new.txt': 'not\n' }),
          'new.txt',
        ],
        ['a deleted file in the clone', (clone: string) => rmSync(join(clone, 'a.txt')), 'a.txt'],
        ['a deleted clone', (clone: string) => rmSync(clone, { recursive: true }), 'clone is gone'],
      ])('reveals %s', async (_, tamper, words) => {
        const { path, state } = await vcs.openClone('r-1', place, done.tree)
        tamper(path)
        expect(await vcs.tampered('r-1', place, state)).toContain(words)
      })

      it("reveals a change in the loop's worktree and on its branch", async () => {
        const { state } = await vcs.openClone('r-1', place, done.tree)
        const worktree = join(under.home, place.worktree)
        writeFiles(worktree, { 'a.txt': 'changed\n' })
        expect(await vcs.tampered('r-1', place, state)).toContain('worktree')
        under.commitIn(worktree, 'By the reviewer')
        expect(await vcs.tampered('r-1', place, state)).toContain(place.branch)
      })

      it('ignores changes elsewhere in the repository', async () => {
        const { state } = await vcs.openClone('r-1', place, done.tree)
        under.commitToBase({ 'other.txt': 'meanwhile\n' })
        const other = await vcs.plan({ id: 2, title: 'Another loop' })
        await vcs.openWorktree(other, noNeeds, never)
        expect(await vcs.tampered('r-1', place, state)).toBeNull()
      })

      it('is empty for a role that needs no files, and tampering is still noticed', async () => {
        const { path, state } = await vcs.openClone('p-1', place, null)
        expect(readdirSync(path)).toEqual(['.git'])
        expect(state.tree).not.toBe(done.tree)
        expect(await vcs.tampered('p-1', place, state)).toBeNull()
        writeFiles(join(under.home, place.worktree), { 'a.txt': 'spoiled\n' })
        expect(await vcs.tampered('p-1', place, state)).toContain('worktree')
        await vcs.removeCheckout('p-1')
        expect(existsSync(path)).toBe(false)
      })

      it('is replaced under the same name, and removed by its name', async () => {
        const { path } = await vcs.openClone('r-1', place, done.tree)
        writeFiles(path, { 'residue.txt': 'left behind\n' })
        await vcs.openClone('r-1', place, done.tree)
        expect(existsSync(join(path, 'residue.txt'))).toBe(false)
        await vcs.removeCheckout('r-1')
        await vcs.removeCheckout('r-1')
        expect(existsSync(path)).toBe(false)
      })
    })

    it('opens a fresh scratch checkout of a commit each time, with what it needs', async () => {
      writeFiles(under.root, { '.env': 'KEY=1\n' })
      const setUp: string[] = []
      const needs: CheckoutNeeds = { copy: ['.env'], link: [], setup: async (path) => void setUp.push(path) }
      const path = await vcs.openScratch('s-1', place.baseCommit, needs, never)
      expect(read(path, 'a.txt') + read(path, '.env')).toBe('one\ntwo\nthree\nKEY=1\n')
      writeFiles(path, { 'a.txt': 'used\n', 'left.txt': 'left\n' })
      expect(await vcs.openScratch('s-1', place.baseCommit, needs, never)).toBe(path)
      expect(read(path, 'a.txt')).toBe('one\ntwo\nthree\n')
      expect(existsSync(join(path, 'left.txt'))).toBe(false)
      expect(setUp).toEqual([path, path])
      await vcs.removeCheckout('s-1')
      expect(existsSync(path)).toBe(false)
      await vcs.openScratch('s-1', place.baseCommit, needs, never)
    })

    it('opens a scratch checkout of an uncommitted tree, and does not move the branch', async () => {
      const { path: worktree, head } = await openIt()
      writeFiles(worktree, { 'a.txt': 'as it is now\n' })
      const commit = await vcs.commitTree(await vcs.snapshot(place, never), head)
      const path = await vcs.openScratch('s-1', commit, noNeeds, never)
      expect(read(path, 'a.txt')).toBe('as it is now\n')
      writeFiles(path, { 'a.txt': 'used\n' })
      await vcs.restoreScratch('s-1', commit)
      expect(read(path, 'a.txt')).toBe('as it is now\n')
      expect(await vcs.branchHead(place.branch)).toBe(head)
    })
  })
}
