/** Removes the branch and worktree of a loop that has ended, but nothing that exists only there. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noNeeds } from '../contract/vcs-under-test.ts'
import { gitIn, writeFiles } from '../support/repository.ts'
import { hashes, type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
let one: Work
const git = (...args: string[]) => landing.repository.git(...args)
const remove = (how: 'merged' | 'cancelled') => landing.vcs.removeWork(one.place, how)
const branches = () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads/').split('\n')
const kept = () => git('for-each-ref', '--format=%(refname)', 'refs/umpire/kept/')
const everything = () => ({
  ...landing.state(),
  ...(existsSync(one.path) && hashes(one.path, [])),
})

beforeEach(async () => {
  landing = openLanding()
  one = await landing.work(1, { 'new.txt': 'new\n' })
})
afterEach(() => landing.remove())

describe('merged work', () => {
  it("is removed with its folder, and nothing of the person's changes", async () => {
    await landing.land(one)
    writeFileSync(join(one.path, 'ignored'), 'built\n')
    git('config', `branch.${one.place.branch}.remote`, 'origin')
    expect(await remove('merged')).toEqual({ kind: 'removed', was: one.head, kept: null })
    expect(branches()).toEqual(['main'])
    expect(existsSync(join(landing.repository.home, 'worktrees'))).toBe(false)
    expect(git('worktree', 'list')).not.toContain('.umpire')
    expect(git('config', '--list', '--local')).not.toContain('umpire')
    expect(git('status', '--porcelain', '--', '.', ':!.umpire')).toBe('')
    expect(await remove('merged')).toEqual({ kind: 'absent' })
  })

  it('is removed even if a person merged it, and the worktrees of other loops stay', async () => {
    const two = await landing.work(2, { 'two.txt': '2\n' })
    git('merge', '-q', '--no-ff', '--no-edit', one.place.branch)
    expect(await remove('merged')).toMatchObject({ kind: 'removed' })
    expect([existsSync(two.path), existsSync(one.path)]).toEqual([true, false])
  })

  it('is removed when only part of it is left, as after a crash', async () => {
    await landing.land(one)
    git('worktree', 'remove', one.path)
    expect(await remove('merged')).toEqual({ kind: 'removed', was: one.head, kept: null })
    one = await landing.work(2, { 'two.txt': '2\n' })
    await landing.land(one)
    rmSync(one.path, { recursive: true })
    mkdirSync(one.path)
    expect(await remove('merged')).toMatchObject({ kind: 'removed' })
    expect([branches(), git('worktree', 'list').split('\n').length]).toEqual([['main'], 1])
  })

  it('does not include copied or linked files, and its removal follows no link', async () => {
    landing.repository.write({ '.env': 'SECRET\n', 'modules/m.js': 'm\n' })
    const place = await landing.vcs.plan({ id: 2, title: 'Two' })
    const needs = { ...noNeeds, copy: ['.env'], link: ['modules'] }
    const { path } = await landing.vcs.openWorktree(place, needs, new AbortController().signal)
    expect(existsSync(join(path, 'modules/m.js'))).toBe(true)
    expect(await landing.vcs.removeWork(place, 'merged')).toMatchObject({ kind: 'removed', kept: null })
    expect(existsSync(join(landing.repository.root, 'modules/m.js'))).toBe(true)
  })

  it('is removed together with a waiting branch that the base contains', async () => {
    landing.repository.write({ 'b.txt': 'mine\n' })
    expect(await landing.land(one)).toMatchObject({ kind: 'waits' })
    expect(await remove('merged')).toMatchObject({ kind: 'kept' })
    git('stash', '-q')
    git('merge', '-q', '--ff-only', 'umpire/landed')
    expect(await remove('merged')).toMatchObject({ kind: 'removed' })
    expect(branches()).toEqual(['main'])
  })
})

describe('keeps the work and says why', () => {
  const scenes: [string, () => unknown, RegExp][] = [
    [
      'the base has not all of it',
      () => {},
      /^the branch umpire\/1-task-1 has commits that main does not have$/,
    ],
    [
      'it only waits',
      () => {
        landing.repository.write({ 'b.txt': 'mine\n' })
        return landing.land(one)
      },
      /has commits that main does not have/,
    ],
    [
      'a change is not committed',
      async () => {
        await landing.land(one)
        writeFiles(one.path, { 'a.txt': 'more\n', 'untracked.txt': 'more\n' })
      },
      /uncommitted changes: 2 files in /,
    ],
    [
      'a change is hidden from git',
      async () => {
        await landing.land(one)
        gitIn(one.path, 'update-index', '--assume-unchanged', 'a.txt')
        writeFiles(one.path, { 'a.txt': 'more\n' })
      },
      /uncommitted changes: 1 file in /,
    ],
    [
      'there is a repository in it',
      async () => {
        await landing.land(one)
        git('init', '-q', join(one.path, 'nested'))
        writeFiles(one.path, { 'nested/file.txt': 'x\n' })
      },
      /uncommitted changes: 1 file in /,
    ],
    [
      'its worktree is on another branch',
      async () => {
        await landing.land(one)
        gitIn(one.path, 'switch', '-q', '-c', 'mine')
      },
      /is not on the branch umpire\/1-task-1$/,
    ],
    [
      'a merge is in progress in it',
      async () => {
        await landing.land(one)
        const side = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Side')
        gitIn(one.path, 'merge', '-q', '--no-ff', '--no-commit', side)
      },
      /^a merge is in progress in /,
    ],
    [
      'a person has the branch checked out',
      async () => {
        await landing.land(one)
        git('worktree', 'remove', one.path)
        git('worktree', 'add', '-q', join(landing.repository.folder, 'second'), one.place.branch)
      },
      /^the branch is checked out at .*second$/,
    ],
    [
      'the worktree is locked',
      async () => {
        await landing.land(one)
        git('worktree', 'lock', one.path)
      },
      /^the worktree is locked/,
    ],
    [
      'the worktree has become a repository of its own',
      async () => {
        await landing.land(one)
        rmSync(join(one.path, '.git'))
        git('init', '-q', one.path)
      },
      /is no longer the loop’s worktree$/,
    ],
    [
      'the worktree was replaced by a link',
      async () => {
        await landing.land(one)
        renameSync(one.path, join(landing.repository.folder, 'elsewhere'))
        symlinkSync(join(landing.repository.folder, 'elsewhere'), one.path)
      },
      /is no longer the loop’s worktree$/,
    ],
    [
      'the folder of all worktrees was replaced by a link',
      async () => {
        await landing.land(one)
        const folder = join(landing.repository.home, 'worktrees')
        renameSync(folder, join(landing.repository.folder, 'elsewhere'))
        symlinkSync(join(landing.repository.folder, 'elsewhere'), folder)
      },
      /is no longer the loop’s worktree$/,
    ],
    [
      'a submodule may have commits of its own',
      async () => {
        await landing.land(one)
        const gitDir = gitIn(one.path, 'rev-parse', '--absolute-git-dir')
        mkdirSync(join(gitDir, 'modules/sub'), { recursive: true })
      },
      /has its own submodules/,
    ],
  ]

  it.each(scenes)('when %s', async (_, prepare, why) => {
    await prepare()
    const before = everything()
    expect(await remove('merged')).toEqual({ kind: 'kept', why: expect.stringMatching(why) })
    expect(everything()).toEqual(before)
    expect(await landing.vcs.branchHead(one.place.branch)).toBe(one.head)
  })

  it('when a person locked or moved the worktree, even of a cancelled loop', async () => {
    git('worktree', 'lock', one.path)
    expect(await remove('cancelled')).toMatchObject({ kind: 'kept' })
    git('worktree', 'unlock', one.path)
    renameSync(one.path, join(landing.repository.folder, 'elsewhere'))
    symlinkSync(join(landing.repository.folder, 'elsewhere'), one.path)
    expect(await remove('cancelled')).toMatchObject({ kind: 'kept' })
    expect(existsSync(join(landing.repository.folder, 'elsewhere/new.txt'))).toBe(true)
    expect(branches()).toContain(one.place.branch)
  })
})

describe('cancelled work', () => {
  it('is kept under a ref, with its uncommitted changes, and removed', async () => {
    writeFiles(one.path, { 'a.txt': 'half\n', 'untracked.txt': 'x\n', ignored: 'built\n' })
    const removed = await remove('cancelled')
    expect(removed).toEqual({ kind: 'removed', was: one.head, kept: 'refs/umpire/kept/1-task-1' })
    expect(landing.filesIn('refs/umpire/kept/1-task-1')).toEqual([
      '.gitignore',
      'a.txt',
      'b.txt',
      'new.txt',
      'untracked.txt',
    ])
    expect(git('show', 'refs/umpire/kept/1-task-1:a.txt')).toBe('half')
    git('merge-base', '--is-ancestor', one.head, 'refs/umpire/kept/1-task-1')
    expect([branches(), existsSync(one.path)]).toEqual([['main'], false])
    expect(await remove('cancelled')).toEqual({ kind: 'absent' })
  })

  it('needs no ref when the base has all of it, or when nothing was done', async () => {
    await landing.land(one)
    expect(await remove('cancelled')).toEqual({ kind: 'removed', was: one.head, kept: null })
    expect(kept()).toBe('')
  })

  it('is kept whole when the worktree was on another commit', async () => {
    gitIn(one.path, 'switch', '-q', '--detach', 'HEAD~1')
    writeFiles(one.path, { 'apart.txt': 'apart\n' })
    gitIn(one.path, 'add', '-A')
    gitIn(one.path, 'commit', '-q', '-m', 'Apart')
    const apart = gitIn(one.path, 'rev-parse', 'HEAD')
    expect(await remove('cancelled')).toMatchObject({ kind: 'removed', kept: 'refs/umpire/kept/1-task-1' })
    for (const commit of [apart, one.head])
      git('merge-base', '--is-ancestor', commit, 'refs/umpire/kept/1-task-1')
  })

  it('is kept only once after a crash, and never replaces work that was kept before', async () => {
    writeFiles(one.path, { 'untracked.txt': 'x\n' })
    const branch = `refs/heads/${one.place.branch}`
    await remove('cancelled')
    const first = git('rev-parse', 'refs/umpire/kept/1-task-1')
    // The branch still exists, as after a worker was killed before deleting it.
    git('update-ref', branch, one.head)
    expect(await remove('cancelled')).toMatchObject({ kept: 'refs/umpire/kept/1-task-1' })
    expect(git('rev-parse', 'refs/umpire/kept/1-task-1')).toBe(first)
    // Another loop of the same name, with other work.
    git('update-ref', branch, git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Other'))
    expect(await remove('cancelled')).toMatchObject({ kept: 'refs/umpire/kept/1-task-1-2' })
    expect(git('rev-parse', 'refs/umpire/kept/1-task-1')).toBe(first)
  })

  it('is kept even if its base is gone', async () => {
    git('switch', '-q', '-c', 'other')
    git('branch', '-q', '-D', 'main')
    expect(await landing.vcs.isMerged(one.place, one.head)).toBe(false)
    expect(await remove('cancelled')).toMatchObject({ kind: 'removed', kept: 'refs/umpire/kept/1-task-1' })
  })
})
