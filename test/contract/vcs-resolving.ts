/** The part of the contract about a conflict that an agent resolves in its loop's worktree. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../src/core/place.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
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

export function describeResolving(name: string, open: OpenVcs): void {
  describe(`${name}, resolving a conflict`, () => {
    let under: VcsUnderTest
    let vcs: Vcs
    let place: Place
    let path: string
    /** The approved commit, and the commit that it is merged with. */
    let recorded: string
    let other: string

    const prepare = async (mine: Files, theirs: Files) => {
      place = await vcs.plan({ id: 1, title: 'Add it' })
      const opened = await vcs.openWorktree(place, noNeeds, never)
      path = opened.path
      writeFiles(path, mine)
      const request = commitRequest(opened.head)
      recorded = committed(await vcs.commit(place, request, never)).sha
      under.commitToBase(theirs)
      other = (await vcs.base()).commit
    }
    const begin = () => vcs.beginMerge(place, { recorded, other }, noNeeds, never)
    const finish = () =>
      vcs.finishMerge(place, { ...commitRequest(recorded, { attempt: '1/2' }), other }, never)
    /** The file on the base after the result was merged into it. */
    const landed = async () => {
      const done = await finish()
      if (done.kind !== 'committed') throw new Error(done.kind)
      const moved = await vcs.advance({ branch: 'main' }, other, done.commit.sha)
      expect([moved.kind, await vcs.isMerged(place, recorded)]).toEqual(['advanced', true])
      return readFileSync(join(under.root, 'a.txt'), 'utf8')
    }
    const read = (file: string) => readFileSync(join(path, file), 'utf8')

    beforeEach(() => {
      under = open(firstFiles)
      vcs = under.vcs
    })
    afterEach(() => under.remove())

    it('puts conflict markers into the files, commits both sides once they are gone, and finds that commit again', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'src/new.txt': 'new\n' })
      expect(await begin()).toEqual({ kind: 'conflict', files: ['a.txt'] })
      expect(read('a.txt')).toMatch(/mine\n=+\ntheirs/)
      expect(read('src/new.txt')).toBe('new\n')
      expect(await vcs.branchHead(place.branch)).toBe(recorded)
      expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
      expect(await vcs.branchHead(place.branch)).toBe(recorded)

      writeFiles(path, { 'a.txt': 'both\n' })
      expect(await vcs.restoreBranch(place, recorded)).toEqual({ kind: 'fine' })
      const done = await finish()
      if (done.kind !== 'committed') throw new Error(done.kind)
      expect(done.commit).toMatchObject({ from: recorded, empty: false })
      expect(await finish()).toEqual(done)
      expect(await vcs.restoreBranch(place, recorded)).toEqual({ kind: 'fine' })
      // Changes from the other side are not the task's own.
      const { files } = await vcs.diff(place, done.commit.tree)
      expect(files.map((file) => file.path)).toEqual(['a.txt'])
      expect(await begin()).toEqual({ kind: 'clean' })
      expect(await vcs.branchHead(place.branch)).toBe(done.commit.sha)
      recorded = done.commit.sha
      expect(await begin()).toEqual({ kind: 'contained' })
    })

    it('continues with what was resolved so far, and starts over if that was discarded', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n' })
      await begin()
      writeFiles(path, { 'a.txt': 'half resolved\n' })
      expect(await begin()).toEqual({ kind: 'conflict', files: ['a.txt'] })
      expect(read('a.txt')).toBe('half resolved\n')
      await vcs.discard(place, recorded)
      expect(read('a.txt')).toBe('mine\n')
      expect(await finish()).toEqual({ kind: 'unresolved', files: ['a.txt'] })
      expect(await begin()).toEqual({ kind: 'conflict', files: ['a.txt'] })
      expect(read('a.txt')).toMatch(/mine\n=+\ntheirs/)
    })

    it('makes a merge even if the agent committed its changes', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n' })
      await begin()
      writeFiles(path, { 'a.txt': 'both\n' })
      under.commitIn(path, 'Resolved')
      expect(await vcs.restoreBranch(place, recorded)).toEqual({ kind: 'fine' })
      expect(await landed()).toBe('both\n')
    })

    it('makes a merge even if the agent took its own side', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n' })
      await begin()
      writeFiles(path, { 'a.txt': 'mine\n' })
      expect(await landed()).toBe('mine\n')
    })

    it('only has to be finished if there is no conflict', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'src/b.txt': 'theirs\n' })
      expect(await begin()).toEqual({ kind: 'clean' })
      expect(await finish()).toMatchObject({ kind: 'committed' })
      expect([read('a.txt'), read('src/b.txt')]).toEqual(['mine\n', 'theirs\n'])
    })

    it('can be abandoned without losing anything of the approved side', async () => {
      await prepare({ 'a.txt': 'mine\n' }, { 'a.txt': 'theirs\n', 'src/new.txt': 'new\n' })
      await begin()
      writeFiles(path, { 'a.txt': 'both\n', 'more.txt': 'more\n' })
      under.commitIn(path, 'Resolved')
      await vcs.abandonMerge(place, recorded)
      expect([await vcs.branchHead(place.branch), read('a.txt')]).toEqual([recorded, 'mine\n'])
      expect((await vcs.diff(place, await vcs.snapshot(place, never))).files).toHaveLength(1)
      await expect(finish()).rejects.toThrow('never started')
      await vcs.abandonMerge(place, recorded)
    })
  })
}
