import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openGit } from '../../src/vcs/git/open-git.ts'
import { slugOf } from '../../src/vcs/git/plan-place.ts'
import type { Vcs } from '../../src/vcs/vcs.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { fc } from '../support/random.ts'
import { makeRepository, type TestRepository } from '../support/repository.ts'

describe('the name of a branch', () => {
  it.each([
    ['Add a login page', 'add-a-login-page'],
    ['--upload-pack=evil', 'upload-pack-evil'],
    ['$(rm -rf /) `id` "quoted" \'too\'', 'rm-rf-id-quoted-too'],
    ['two\nlines\r\n\0', 'two-lines'],
    ['Ünïcödé Straße', 'unicode-stra-e'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a..b@{1}.lock', 'a-b-1-lock'],
    ['🎉🎉', 'task'],
    ['日本語', 'task'],
    ['', 'task'],
    ['-', 'task'],
  ])('for the title %j is made of plain letters', (title, slug) => expect(slugOf(title)).toBe(slug))

  it('is short, plain and never empty, whatever the title', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (title) => {
        expect(slugOf(title)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slugOf(title).length).toBeLessThanOrEqual(40)
      }),
    )
    expect(slugOf('word '.repeat(2_000))).toBe('word-word-word-word-word-word-word-word')
  })
})

describe('planning a place', () => {
  let repository: TestRepository
  let vcs: Vcs
  beforeEach(() => {
    repository = makeRepository()
    vcs = openGit({ cwd: repository.root, home: repository.home })
  })
  afterEach(() => repository.remove())

  it('gives a place that git accepts for hostile titles', async () => {
    const titles = ['--force', '$(touch evil); `x`', '"\n\'', '..', 'x.lock', '@{-1}', 'é'.repeat(10_000)]
    for (const [at, title] of titles.entries()) {
      const place = await vcs.plan({ id: at + 1, title })
      const { head } = await vcs.openWorktree(place, noNeeds, never)
      expect(await vcs.branchHead(place.branch)).toBe(head)
    }
  })

  it('starts from the branch that is checked out where Umpire was started', async () => {
    repository.git('switch', '-q', '-c', 'feature/x')
    const commit = repository.commit('On the feature')
    expect(await vcs.plan({ id: 3, title: 'T' })).toMatchObject({ base: 'feature/x', baseCommit: commit })
  })

  it('refuses a branch name that is taken', async () => {
    repository.git('branch', 'umpire/1-add-it')
    await expect(vcs.plan({ id: 1, title: 'Add it' })).rejects.toMatchObject({
      name: 'UserError',
      message: 'A branch umpire/1-add-it already exists.',
      fix: expect.stringContaining('git branch -m umpire/1-add-it OTHER-NAME'),
    })
    await vcs.plan({ id: 10, title: 'Add it' })
  })

  it.each(['umpire', 'umpire/1-add-it/more'])('refuses when a branch %s blocks the name', async (rival) => {
    repository.git('branch', rival)
    await expect(vcs.plan({ id: 1, title: 'Add it' })).rejects.toMatchObject({
      name: 'UserError',
      message: `Git can't create the branch umpire/1-add-it, because there is a branch ${rival}.`,
      fix: expect.stringContaining(`git branch -m ${rival}`),
    })
  })
})
