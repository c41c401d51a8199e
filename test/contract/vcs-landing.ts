/** The part of the contract about what happens to approved work: it is merged into its base and cleaned up. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../src/core/place.ts'
import type { Advance } from '../../src/vcs/landings.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import { type Files, writeFiles } from '../support/repository.ts'
import {
  commitRequest,
  committed,
  firstFiles,
  type Integration,
  integrateOne,
  never,
  noNeeds,
  type OpenVcs,
  type VcsUnderTest,
} from './vcs-under-test.ts'

interface Work {
  place: Place
  head: string
  path: string
}

export function describeLanding(name: string, open: OpenVcs): void {
  describe(`${name}, landing the work`, () => {
    let under: VcsUnderTest
    let vcs: Vcs
    const inBase = (file: string) => readFileSync(join(under.root, file), 'utf8')

    beforeEach(() => {
      under = open(firstFiles)
      vcs = under.vcs
    })
    afterEach(() => under.remove())

    async function work(id: number, files: Files): Promise<Work> {
      const place = await vcs.plan({ id, title: `Task ${id}` })
      const { path, head: recorded } = await vcs.openWorktree(place, noNeeds, never)
      writeFiles(path, files)
      const request = commitRequest(recorded, { attempt: `${id}/1` })
      return { place, path, head: committed(await vcs.commit(place, request, never)).sha }
    }
    const integrate = ({ place, head }: Work, needs = noNeeds, waiting: Work[] = []) => {
      const also = waiting.map((other) => ({
        branch: other.place.branch,
        commit: other.head,
        message: 'Merge that, too',
      }))
      const request = { name: '1-land', head, message: 'Merge it', also, hookLimitMs: 60_000 }
      return integrateOne(vcs, place, request, needs)
    }

    async function land(done: Work, waiting: Work[] = []): Promise<Advance | Integration> {
      const merged = await integrate(done, noNeeds, waiting)
      if (merged.kind !== 'merged') return merged
      return vcs.advance({ branch: done.place.base }, merged.base, merged.commit)
    }

    it('merges with the current base in a prepared checkout, and moves no branch', async () => {
      const done = await work(1, { 'new.txt': 'new\n' })
      under.commitToBase({ 'src/b.txt': 'changed\n' })
      const base = (await vcs.base()).commit
      const seen: string[] = []
      const setup = async (path: string) => void seen.push(readFileSync(join(path, 'new.txt'), 'utf8'))
      const merged = await integrate(done, { ...noNeeds, setup })
      if (merged.kind !== 'merged') throw new Error(merged.kind)
      expect(merged.base).toBe(base)
      expect(seen).toEqual(['new\n'])
      expect(readFileSync(join(merged.path, 'src/b.txt'), 'utf8')).toBe('changed\n')
      expect((await vcs.base()).commit).toBe(base)
      expect(existsSync(join(under.root, 'new.txt'))).toBe(false)
      expect(await vcs.isMerged(done.place, done.head)).toBe(false)

      writeFiles(merged.path, { 'new.txt': 'changed by a gate\n', 'left.txt': 'left\n' })
      await vcs.restoreScratch('1-land', merged.commit)
      expect(readFileSync(join(merged.path, 'new.txt'), 'utf8')).toBe('new\n')
      expect(existsSync(join(merged.path, 'left.txt'))).toBe(false)
      await vcs.removeCheckout('1-land')
      expect(await vcs.checkouts()).toEqual([])
    })

    it('moves the base once, and a clean checkout with it', async () => {
      const done = await work(1, { 'new.txt': 'new\n' })
      under.commitToBase({ 'src/b.txt': 'changed\n' })
      expect(await land(done)).toEqual({ kind: 'advanced', checkout: under.root })
      expect([inBase('new.txt'), inBase('src/b.txt')]).toEqual(['new\n', 'changed\n'])
      expect(await vcs.isMerged(done.place, done.head)).toBe(true)
      expect(await land(done)).toEqual({ kind: 'contained', base: (await vcs.base()).commit })
    })

    it('does not move a base that has moved since the merge', async () => {
      const done = await work(1, { 'new.txt': 'new\n' })
      const merged = await integrate(done)
      if (merged.kind !== 'merged') throw new Error(merged.kind)
      under.commitToBase({ 'src/b.txt': 'changed\n' })
      const { commit } = await vcs.base()
      expect(await vcs.advance({ branch: 'main' }, merged.base, merged.commit)).toEqual({ kind: 'moved' })
      expect((await vcs.base()).commit).toBe(commit)
    })

    it('reports the files of a conflict, and changes neither side', async () => {
      const done = await work(1, { 'a.txt': 'mine\n' })
      under.commitToBase({ 'a.txt': 'theirs\n' })
      const { commit: base } = await vcs.base()
      const conflict = { kind: 'conflict', base, files: ['a.txt'] }
      expect(await integrate(done)).toEqual(conflict)
      expect(await vcs.checkouts()).toEqual([])
      expect([inBase('a.txt'), (await vcs.base()).commit]).toEqual(['theirs\n', base])
      expect(await vcs.branchHead(done.place.branch)).toBe(done.head)
    })

    it('keeps results waiting while the checkout is dirty, and loses none of them', async () => {
      const [one, two] = [await work(1, { 'one.txt': '1\n' }), await work(2, { 'two.txt': '2\n' })]
      const base = await vcs.base()
      writeFiles(under.root, { 'a.txt': 'mine\n' })
      const text = expect.any(String)
      const waits = { kind: 'waits', checkout: under.root, branch: 'umpire/landed', ref: text, why: text }
      expect(await land(one)).toEqual(waits)
      expect(await land(two, [one])).toEqual(waits)
      expect([await vcs.base(), inBase('a.txt')]).toEqual([base, 'mine\n'])
      expect(existsSync(join(under.root, 'one.txt'))).toBe(false)
      expect(await vcs.removeWork(one.place, 'merged')).toMatchObject({ kind: 'kept' })
      under.commitToBase({})
      expect(await land(two, [one])).toMatchObject({ kind: 'advanced' })
      expect([inBase('one.txt'), inBase('two.txt'), inBase('a.txt')]).toEqual(['1\n', '2\n', 'mine\n'])
      expect(await vcs.branchHead('umpire/landed')).toBeNull()
    })

    it('removes merged work, keeps unmerged work, and saves cancelled work under a name', async () => {
      const [one, two] = [await work(1, { 'one.txt': '1\n' }), await work(2, { 'two.txt': '2\n' })]
      await land(one)
      expect(await vcs.removeWork(one.place, 'merged')).toEqual({
        kind: 'removed',
        was: one.head,
        kept: null,
      })
      expect([existsSync(one.path), await vcs.branchHead(one.place.branch)]).toEqual([false, null])
      expect(await vcs.removeWork(one.place, 'merged')).toEqual({ kind: 'absent' })

      expect(await vcs.removeWork(two.place, 'merged')).toEqual({ kind: 'kept', why: expect.any(String) })
      expect([existsSync(two.path), await vcs.branchHead(two.place.branch)]).toEqual([true, two.head])
      writeFiles(two.path, { 'half.txt': 'half\n' })
      const removed = await vcs.removeWork(two.place, 'cancelled')
      expect(removed).toEqual({ kind: 'removed', was: two.head, kept: expect.any(String) })
      expect([existsSync(two.path), await vcs.branchHead(two.place.branch)]).toEqual([false, null])
    })
  })
}
