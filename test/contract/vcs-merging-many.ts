/** The part of the contract about the approved work of several loops: merged together, collected, and built on. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Place } from '../../src/core/place.ts'
import type { Into, Part } from '../../src/vcs/merges.ts'
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

interface Work extends Part {
  place: Place
  path: string
}

export function describeMergingMany(name: string, open: OpenVcs): void {
  describe(`${name}, merging the work of several tasks`, () => {
    let under: VcsUnderTest
    let vcs: Vcs
    const main: Into = { branch: 'main' }
    const hash = expect.stringMatching(/^[0-9a-f]{40}/)

    beforeEach(() => {
      under = open(firstFiles)
      vcs = under.vcs
    })
    afterEach(() => under.remove())

    async function work(id: number, files: Files, begins: Partial<Place> = {}): Promise<Work> {
      const place = { ...(await vcs.plan({ id, title: `Task ${id}` })), ...begins }
      const { path, head: recorded } = await vcs.openWorktree(place, noNeeds, never)
      writeFiles(path, files)
      const request = commitRequest(recorded, { attempt: `${id}/1` })
      const { sha: commit } = committed(await vcs.commit(place, request, never))
      return { key: `${id}`, commit, branch: place.branch, place, path }
    }
    const integrate = (works: Work[], into = main, needs = noNeeds) => {
      const parts = works.map(({ key, commit, branch }) => ({
        key,
        commit,
        branch,
        message: `Merge ${branch}`,
      }))
      return vcs.integrateParts(
        { name: '1-land', into, parts, hookLimitMs: 60_000, inCheckout: true },
        needs,
        never,
      )
    }
    const startFrom = (works: Work[]) =>
      vcs.startFrom(
        { name: '9-start', parts: works.map(({ key, commit, branch }) => ({ key, commit, branch })) },
        never,
      )
    const read = (path: string, file: string) => readFileSync(join(path, file), 'utf8')

    it('merges in order in one prepared checkout, reports each result, and can go back to any of them', async () => {
      const works = [
        await work(1, { 'one.txt': '1\n' }),
        await work(2, { 'two.txt': '2\n' }),
        await work(3, { 'three.txt': '3\n' }),
      ]
      const base = (await vcs.base()).commit
      const seen: boolean[] = []
      const setup = async (path: string) => void seen.push(existsSync(join(path, 'three.txt')))
      const done = await integrate(works, main, { ...noNeeds, setup })
      if (done.path === null) throw new Error('nothing merged')
      expect(seen).toEqual([true])
      const [first, second, third] = done.parts
      if (first?.kind !== 'merged' || second?.kind !== 'merged') throw new Error('not merged')
      // The first one needs no merge commit, because nothing else had happened.
      expect(first).toEqual({ key: '1', kind: 'merged', commit: works[0]?.commit, tree: hash })
      expect(third).toEqual({ key: '3', kind: 'merged', commit: done.commit, tree: done.tree })
      expect(new Set([first.tree, second.tree, done.tree]).size).toBe(3)

      await vcs.restoreScratch('1-land', second.commit)
      expect(read(done.path, 'two.txt')).toBe('2\n')
      expect(existsSync(join(done.path, 'three.txt'))).toBe(false)
      // Up to the second, because the third may be the one that fails a gate.
      expect(await vcs.advance(main, done.base, second.commit)).toMatchObject({ kind: 'advanced' })
      expect([done.base, (await vcs.base()).commit]).toEqual([base, second.commit])
      await vcs.removeCheckout('1-land')
      const again = await integrate(works)
      expect(again.parts.map(({ kind }) => kind)).toEqual(['contained', 'contained', 'merged'])
    })

    it('leaves out work that conflicts, says with what, and merges the rest', async () => {
      const works = [
        await work(1, { 'a.txt': 'first\n' }),
        await work(2, { 'a.txt': 'second\n' }),
        await work(3, { 'src/b.txt': 'mine\n' }),
        await work(4, { 'four.txt': '4\n' }),
      ]
      under.commitToBase({ 'src/b.txt': 'theirs\n' })
      const done = await integrate(works)
      expect(done.parts).toMatchObject([
        { key: '1', kind: 'merged' },
        { key: '2', kind: 'conflict', files: ['a.txt'], with: ['1'] },
        { key: '3', kind: 'conflict', files: ['src/b.txt'], with: ['main'] },
        { key: '4', kind: 'merged', commit: done.commit },
      ])
      expect(read(done.path ?? '', 'a.txt')).toBe('first\n')
      expect(read(done.path ?? '', 'four.txt')).toBe('4\n')
      for (const { branch, commit } of works) expect(await vcs.branchHead(branch)).toBe(commit)
    })

    it('leaves no checkout when nothing is merged', async () => {
      const one = await work(1, { 'a.txt': 'mine\n' })
      under.commitToBase({ 'a.txt': 'theirs\n' })
      const base = (await vcs.base()).commit
      expect(await integrate([one])).toMatchObject({ base, commit: base, path: null })
      expect(await integrate([])).toMatchObject({ base, commit: base, path: null, parts: [] })
      expect(await vcs.checkouts()).toEqual([])
    })

    it('gathers the work of a group on a new branch, and moves it only from the expected commit', async () => {
      const [one, two] = [await work(1, { 'one.txt': '1\n' }), await work(2, { 'two.txt': '2\n' })]
      const base = await vcs.base()
      const group = { branch: 'umpire/run-3/group-1', from: base.commit }
      const first = await integrate([one], group)
      expect(first.base).toBe(base.commit)
      expect(await vcs.branchHead(group.branch)).toBeNull()
      const beside = await integrate([two], group)
      const advanced = { kind: 'advanced', checkout: null }
      expect(await vcs.advance(group, first.base, first.commit)).toEqual(advanced)
      expect(await vcs.advance(group, first.base, first.commit)).toEqual(advanced)
      expect(await vcs.advance(group, beside.base, beside.commit)).toEqual({ kind: 'moved' })
      expect(await vcs.branchHead(group.branch)).toBe(first.commit)

      const second = await integrate([one, two], group)
      expect(second.parts.map(({ kind }) => kind)).toEqual(['contained', 'merged'])
      expect(await vcs.advance(group, second.base, second.commit)).toEqual(advanced)
      expect(await vcs.branchHead(group.branch)).toBe(second.commit)
      expect([await vcs.base(), existsSync(join(under.root, 'one.txt'))]).toEqual([base, false])
    })

    it('starts a dependent task from everything it depends on, the same each time, and shows only its own work', async () => {
      const [one, two] = [await work(1, { 'one.txt': '1\n' }), await work(2, { 'two.txt': '2\n' })]
      expect(await startFrom([one])).toEqual({ kind: 'commit', commit: one.commit })
      const start = await startFrom([one, two])
      if (start.kind !== 'commit') throw new Error('conflict')
      expect(await startFrom([one, two])).toEqual(start)
      expect(await startFrom([one, { ...two, key: '3', commit: start.commit }, two])).toEqual(start)
      expect(await vcs.checkouts()).toEqual([])

      const root = start.commit
      const three = await work(3, { 'three.txt': '3\n' }, { start: root, root })
      expect(read(three.path, 'one.txt') + read(three.path, 'two.txt')).toBe('1\n2\n')
      const files = async () => (await vcs.diff(three.place, three.commit)).files.map(({ path }) => path)
      expect(await files()).toEqual(['three.txt'])
      // Even after the work it was built on has landed, and after other work has.
      const done = await integrate([one, two])
      await vcs.advance(main, done.base, done.commit)
      expect(await files()).toEqual(['three.txt'])
      under.commitToBase({ 'later.txt': 'later\n' })
      expect(await files()).toEqual(['three.txt'])
    })

    it('says when a task built on others has changed nothing', async () => {
      const one = await work(1, { 'one.txt': '1\n' })
      const place = {
        ...(await vcs.plan({ id: 2, title: 'Task 2' })),
        start: one.commit,
        root: one.commit,
      }
      const { head } = await vcs.openWorktree(place, noNeeds, never)
      const request = commitRequest(head, { attempt: '2/1' })
      expect(committed(await vcs.commit(place, request, never)).empty).toBe(true)
    })

    it('reports which dependency conflicts, and what was merged before it', async () => {
      const works = [
        await work(1, { 'one.txt': '1\n' }),
        await work(2, { 'a.txt': 'second\n' }),
        await work(3, { 'a.txt': 'third\n' }),
      ]
      const [, , third] = works
      const found = await startFrom(works)
      expect(found).toMatchObject({
        kind: 'conflict',
        merged: hash,
        files: ['a.txt'],
        with: { key: '3', commit: third?.commit },
      })
      expect(await vcs.checkouts()).toEqual([])
    })
  })
}
