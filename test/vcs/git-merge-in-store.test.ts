/**
 * A merge in git's object store alone equals `git merge` in a checkout. Where it might differ, Umpire uses a checkout.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import type { TestRepository } from '../support/repository.ts'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
afterEach(() => landing.remove())

const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`)
const changed = (at: number) => lines.map((line, place) => (place === at ? 'changed\n' : line)).join('')

function integrate(works: Work[]) {
  const parts = works.map(({ place, head }, at) => ({
    key: String(at + 1),
    commit: head,
    branch: place.branch,
    message: `  Merge ${place.branch}: it's "done"\n\n# so\n\n\nand so  \n`,
  }))
  const request = { name: '1-land', into: { branch: 'main' }, parts, hookLimitMs: 60_000 }
  return landing.vcs.integrateParts({ ...request, inCheckout: false }, noNeeds, never)
}

/**
 * The work of the same three tasks each time: one renames a file that another changes, and two change the same file.
 */
async function threeWorks(prepare?: (repository: TestRepository) => void): Promise<Work[]> {
  landing = openLanding({
    files: { 'shared.txt': lines.join(''), 'old.txt': lines.join(''), 'b.txt': 'b\n' },
    ...(prepare && { prepare }),
  })
  const works = [
    await landing.work(1, { 'shared.txt': changed(2), 'deep/new.txt': 'new\n' }),
    await landing.work(2, { 'shared.txt': changed(15), 'old.txt': changed(4) }),
    await landing.work(3, { 'moved.txt': lines.join('') }, ['old.txt']),
  ]
  landing.repository.commit('Meanwhile', { 'b.txt': 'other\n' })
  return works
}

const told = (commit: string) =>
  landing.repository.git('log', '--first-parent', '--format=%T %P%n%an %ae %cn %ce%n%B', `main..${commit}`)

/** The history without commit hashes, which depend on the second of the commit. */
const shapeOf = (commit: string) => told(commit).replace(/ [0-9a-f]{40}/g, ' parent')

it('makes the same trees, messages and authors as a merge in a checkout', async () => {
  const inStore = await integrate(await threeWorks())
  expect(inStore).toMatchObject({ path: null, unprepared: null })
  expect(inStore.parts.map(({ kind }) => kind)).toEqual(['merged', 'merged', 'merged'])
  expect(landing.repository.git('show', `${inStore.commit}:moved.txt`)).toBe(changed(4).trim())
  const shape = shapeOf(inStore.commit)
  landing.remove()

  const works = await threeWorks((repository) => repository.git('config', 'pull.twohead', 'ort'))
  const inCheckout = await integrate(works)
  expect(inCheckout.path).not.toBeNull()
  expect(shapeOf(inCheckout.commit)).toBe(shape)
})

it('fast-forwards if the branch has not moved, and does nothing if it already has the work', async () => {
  landing = openLanding()
  const one = await landing.work(1, { 'one.txt': 'one\n' })
  expect(await integrate([one, one])).toMatchObject({
    commit: one.head,
    path: null,
    parts: [
      { kind: 'merged', commit: one.head },
      { kind: 'contained', commit: one.head },
    ],
  })
})

describe('still makes a checkout', () => {
  const put = ({ root }: TestRepository, path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    appendFileSync(join(root, path), text)
  }
  it.each<[string, (repository: TestRepository) => void]>([
    ['a hook has a say', (repository) => repository.hook('commit-msg', 'exit 0')],
    ['hooks are elsewhere', (repository) => repository.git('config', 'core.hooksPath', 'none')],
    ['another strategy is set', (repository) => repository.git('config', 'pull.twohead', 'ours')],
    ['another driver is set', (repository) => repository.git('config', 'merge.default', 'union')],
    [
      'a file has a rule that is not in the tree',
      (repository) => put(repository, '.git/info/attributes', '*.txt merge=union\n'),
    ],
    [
      'a file has a rule',
      (repository) => {
        put(repository, 'deep/.gitattributes', 'new.txt filter=none\n')
        repository.git('add', '.')
        repository.git('commit', '-qm', 'A rule')
      },
    ],
    [
      'a file has a rule by another name',
      (repository) => {
        put(repository, '.git/info/attributes', '[attr]frozen merge=union\n')
        put(repository, '.gitattributes', 'shared.txt frozen\n')
        repository.git('add', '.')
        repository.git('commit', '-qm', 'A rule')
      },
    ],
    [
      'settings depend on the place',
      (repository) => repository.git('config', 'includeIf.onbranch:main.path', 'none'),
    ],
  ])('if %s', async (_, prepare) => {
    const done = await integrate(await threeWorks(prepare))
    expect(done.path).not.toBeNull()
    expect(done.parts.map(({ kind }) => kind)).toEqual(['merged', 'merged', 'merged'])
  })

  it('if commits are signed', async () => {
    const works = await threeWorks()
    const signer = join(landing.repository.folder, 'signer')
    writeFileSync(signer, '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho signature\n', {
      mode: 0o755,
    })
    landing.repository.git('config', 'gpg.program', signer)
    landing.repository.git('config', 'commit.gpgSign', 'true')
    const done = await integrate(works)
    expect(done.path).not.toBeNull()
    expect(landing.repository.git('cat-file', 'commit', done.commit)).toContain('gpgsig signature')
  })

  it('if a part adds an attribute rule and removes it again', async () => {
    const works = await threeWorks()
    const [ruled] = await Promise.all([landing.work(4, { '.gitattributes': '*.txt merge=union\n' })])
    landing.repository.git('-C', ruled.path, 'rm', '-q', '.gitattributes')
    landing.repository.git('-C', ruled.path, 'commit', '-qm', 'Without it')
    const head = landing.repository.git('-C', ruled.path, 'rev-parse', 'HEAD')
    const done = await integrate([...works, { ...ruled, head }])
    expect(done.path).not.toBeNull()
  })

  it('if a submodule changed', async () => {
    const works = await threeWorks()
    const [first] = works
    if (!first) throw new Error('there is no work')
    const { git } = landing.repository
    git('-C', first.path, 'update-index', '--add', '--cacheinfo', `160000,${first.head},sub`)
    git('-C', first.path, 'commit', '-qm', 'A submodule')
    const head = git('-C', first.path, 'rev-parse', 'HEAD')
    const done = await integrate([{ ...first, head }, ...works.slice(1)])
    expect(done.path).not.toBeNull()
    expect(done.parts.map(({ kind }) => kind)).toEqual(['merged', 'merged', 'merged'])
  })

  it('if a part cannot be checked out; only that part is left out', async () => {
    const [first, second, third] = await threeWorks()
    if (!first || !second || !third) throw new Error('there is no work')
    const { git } = landing.repository
    const blob = git('-C', second.path, 'rev-parse', 'HEAD:b.txt')
    const cached = ['update-index', '--add', '--cacheinfo', `100644,${blob},git~1`]
    git('-C', second.path, '-c', 'core.protectNTFS=false', ...cached)
    git('-C', second.path, '-c', 'core.protectNTFS=false', 'commit', '-qm', 'An odd name')
    const head = git('-C', second.path, 'rev-parse', 'HEAD')
    const { parts } = await integrate([first, { ...second, head }, third])
    expect(parts.map(({ kind }) => kind)).toEqual(['merged', 'damaged', 'merged'])
  })

  it('if a part conflicts; only that part is left out', async () => {
    const works = await threeWorks()
    landing.repository.commit('Against it', { 'shared.txt': changed(2).replace('changed', 'otherwise') })
    const { path, parts } = await integrate(works)
    expect(path).not.toBeNull()
    expect(parts.map(({ kind }) => kind)).toEqual(['conflict', 'merged', 'merged'])
  })
})

it('needs no checkout if signing is turned off in the settings', async () => {
  const works = await threeWorks((repository) => repository.git('config', 'commit.gpgSign', 'no'))
  expect((await integrate(works)).path).toBeNull()
})
