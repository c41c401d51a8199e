/** Merging many approved branches at once with git: hooks, a damaged branch, and the branches of groups. */

import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { SetupError } from '../../src/core/errors.ts'
import type { Into } from '../../src/vcs/merges.ts'
import type { CheckoutNeeds } from '../../src/vcs/worktrees.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { gitIn } from '../support/repository.ts'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
afterEach(() => landing.remove())
const open = () => {
  landing = openLanding()
  return landing
}

function integrate(works: Work[], into: Into = { branch: 'main' }, needs: CheckoutNeeds = noNeeds) {
  const parts = works.map(({ place: { branch }, head, name }) => ({
    key: name,
    commit: head,
    branch,
    message: `Merge ${branch}`,
  }))
  return landing.vcs.integrateParts(
    { name: 'run-land', into, parts, hookLimitMs: 60_000, inCheckout: true },
    needs,
    never,
  )
}

async function three(): Promise<Work[]> {
  const { work } = landing
  return [
    await work(1, { 'one.txt': '1\n' }),
    await work(2, { 'two.txt': '2\n' }),
    await work(3, { 'three.txt': '3\n' }),
  ]
}

describe('parts', () => {
  it('produce the same trees as plain merges, one after the other', async () => {
    const { work, repository } = open()
    const works = [
      await work(1, { 'a.txt': 'changed\n' }),
      await work(2, { 'moved.txt': 'b\n' }, ['b.txt']),
      await work(3, { 'b.txt': 'b\nmore\n', 'c.txt': 'c\n' }),
    ]
    const done = await integrate(works)
    const beside = join(repository.folder, 'beside')
    repository.git('worktree', 'add', '-q', '--detach', beside, 'main')
    const trees = works.map(({ head }) => {
      gitIn(beside, 'merge', '-q', '-m', 'Bare', head)
      return gitIn(beside, 'rev-parse', 'HEAD^{tree}')
    })
    expect(done.parts.map((part) => part.kind === 'merged' && part.tree)).toEqual(trees)
  })

  it('that a hook refuses are left out, and the checkout is set up for the rest', async () => {
    const { repository } = open()
    const works = await three()
    repository.hook('commit-msg', 'if grep -q task-2 "$1"; then echo "not this one"; exit 1; fi')
    const prepared: string[][] = []
    const setup = async (path: string) => {
      prepared.push(gitIn(path, 'ls-files').split('\n'))
    }
    const done = await integrate(works, undefined, { ...noNeeds, setup })
    expect(done.parts).toMatchObject([
      { kind: 'merged' },
      { key: '2-land', kind: 'refused', output: expect.stringContaining('not this one'), exitCode: 1 },
      { kind: 'merged', commit: done.commit },
    ])
    expect(prepared.at(-1)).toEqual(['.gitignore', 'a.txt', 'b.txt', 'one.txt', 'three.txt'])
    expect(gitIn(done.path ?? '', 'rev-parse', 'HEAD')).toBe(done.commit)
    expect(gitIn(done.path ?? '', 'status', '--porcelain')).toBe('')
  })

  it('that git cannot merge are the only ones left out', async () => {
    const { repository } = open()
    const works = await three()
    repository.commit('Attributes', { '.gitattributes': 'two.txt filter=picky\n' })
    repository.git('config', 'filter.picky.smudge', 'false')
    repository.git('config', 'filter.picky.required', 'true')
    const { parts, path } = await integrate(works)
    expect(parts.map(({ kind }) => kind)).toEqual(['merged', 'damaged', 'merged'])
    expect(path).not.toBeNull()
  })

  it('that conflict count as contained if a later part has their resolution', async () => {
    const { work, repository } = open()
    const [one, two] = [await work(1, { 'a.txt': 'one\n' }), await work(2, { 'a.txt': 'two\n' })]
    const both = await work(3, { 'a.txt': 'both\n' })
    gitIn(both.path, 'merge', '-q', '-s', 'ours', '-m', 'Resolved', one.head, two.head)
    const head = gitIn(both.path, 'rev-parse', 'HEAD')
    const done = await integrate([one, two, { ...both, head }])
    expect(done.parts.map(({ kind }) => kind)).toEqual(['merged', 'contained', 'merged'])
    expect(done.parts[1]).toMatchObject({ commit: done.commit })
    expect(repository.git('show', `${done.commit}:a.txt`)).toBe('both')
  })

  it('are still merged if the checkout cannot be set up, and the reason is reported', async () => {
    open()
    const works = await three()
    const error = new SetupError('no network', 'Plug it in.')
    const done = await integrate(works, undefined, { ...noNeeds, setup: () => Promise.reject(error) })
    expect(done.unprepared).toBe(error)
    expect(done.parts.map(({ kind }) => kind)).toEqual(['merged', 'merged', 'merged'])
    expect(landing.filesIn(done.commit)).toContain('three.txt')
  })

  it('that are damaged are the only ones left out', async () => {
    const { repository } = open()
    const works = await three()
    const name = repository.git('rev-parse', `${works[1]?.head}:two.txt`)
    const file = join(repository.root, '.git/objects', name.slice(0, 2), name.slice(2))
    chmodSync(file, 0o644)
    writeFileSync(file, deflateSync(Buffer.from('blob 5\0evil\n')))
    const done = await integrate(works)
    expect(done.parts).toMatchObject([
      { kind: 'merged' },
      { key: '2-land', kind: 'damaged', why: expect.stringContaining(name) },
      { kind: 'merged' },
    ])
  })
})

describe('the branch of a group', () => {
  const group = () => ({ branch: 'umpire/run-1/group-1', from: landing.repository.git('rev-parse', 'main') })
  const gather = async (works: Work[]) => {
    const into = group()
    const done = await integrate(works, into)
    expect(await landing.vcs.advance(into, done.base, done.commit)).toMatchObject({ kind: 'advanced' })
    await landing.vcs.removeCheckout('run-land')
    return done.commit
  }

  it('is never built on foreign commits, which are kept under a ref', async () => {
    const { repository } = open()
    const [one, two, last] = await three()
    if (!one || !two || !last) throw new Error('three')
    await gather([one])
    repository.git('update-ref', `refs/heads/${group().branch}`, last.head)
    const commit = await gather([one, two])
    expect(repository.git('rev-parse', group().branch)).toBe(commit)
    expect(landing.filesIn(commit)).not.toContain('three.txt')
    expect(repository.git('rev-parse', `refs/umpire/kept/run-1/group-1/${last.head}`)).toBe(last.head)
  })

  it('does not move another branch after it was replaced by a link to that one', async () => {
    const { repository } = open()
    const [one, two] = await three()
    if (!one || !two) throw new Error('two')
    const { branch, from } = group()
    await gather([one])
    repository.git('symbolic-ref', `refs/heads/${branch}`, 'refs/heads/main')
    const commit = await gather([one, two])
    expect([repository.git('rev-parse', 'main'), repository.git('rev-parse', branch)]).toEqual([from, commit])
    expect(() => repository.git('symbolic-ref', '-q', `refs/heads/${branch}`)).toThrow()
  })

  it("neither replaces a person's branch nor moves while it is checked out", async () => {
    const { repository, vcs } = open()
    const [one, two] = await three()
    if (!one || !two) throw new Error('two')
    const into = group()
    repository.git('branch', into.branch, two.head)
    const done = await integrate([one], into)
    await expect(vcs.advance(into, done.base, done.commit)).rejects.toThrow('already exists')
    expect(repository.git('rev-parse', into.branch)).toBe(two.head)
    repository.git('branch', '-D', into.branch)
    await gather([one])
    repository.git('worktree', 'add', '-q', join(repository.folder, 'look'), into.branch)
    const more = await integrate([two], into)
    await expect(vcs.advance(into, more.base, more.commit)).rejects.toThrow('checked out at')
  })

  it('hides nothing from the reviewer when a developer moves it to the work under review', async () => {
    const { repository, vcs } = open()
    const [one, two] = await three()
    if (!one || !two) throw new Error('two')
    await gather([one])
    const place = { ...two.place, target: group().branch }
    repository.git('update-ref', `refs/heads/${place.target}`, two.head)
    writeFileSync(join(two.path, 'more.txt'), 'more\n')
    gitIn(two.path, 'add', '-A')
    gitIn(two.path, 'commit', '-q', '-m', 'More')
    const { files } = await vcs.diff(place, gitIn(two.path, 'rev-parse', 'HEAD'))
    expect(files.map(({ path }) => path)).toEqual(['more.txt', 'two.txt'])
  })
})

it('keeps a start commit under a ref until a branch has it, so that git cannot prune it', async () => {
  const { repository, vcs } = open()
  const works = await three()
  const parts = works.map(({ place: { branch }, head: commit, name: key }) => ({ key, commit, branch }))
  const start = await vcs.startFrom({ name: '4-start', parts }, never)
  if (start.kind !== 'commit') throw new Error(start.kind)
  const kept = () => repository.git('for-each-ref', '--format=%(objectname)', 'refs/umpire/starts')
  expect(kept()).toBe(start.commit)
  expect(repository.git('log', '-1', '--format=%an %cn', start.commit)).toBe('Umpire Umpire')
  const place = { ...(await vcs.plan({ id: 4, title: 'Next' })), start: start.commit, root: start.commit }
  const { head } = await vcs.openWorktree(place, noNeeds, never)
  expect([head, kept()]).toEqual([start.commit, ''])
})
