import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openGit } from '../../src/vcs/git/open-git.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { gitIn, makeRepository, writeFiles } from '../support/repository.ts'
import { type LoopOptions, type OpenLoop, openLoop } from './open-loop.ts'

describe('a worktree in git', () => {
  let loop: OpenLoop
  const open = async (options?: LoopOptions) => {
    loop = await openLoop(options)
    return loop
  }
  const reopen = () => loop.vcs.openWorktree(loop.place, noNeeds, never)
  afterEach(() => loop.remove())

  it("does not change the person's checkout, branch or config", async () => {
    const config: string[] = []
    const { repository } = await open({
      prepare: (made) => config.push(made.git('config', '--list', '--local')),
    })
    expect(repository.git('status', '--porcelain', '--', '.', ':!.umpire')).toBe('')
    expect(repository.git('branch', '--show-current')).toBe('main')
    expect(config).toEqual([repository.git('config', '--list', '--local')])
  })

  it('is made for a branch that has none', async () => {
    const { repository, place, path } = await open()
    repository.git('worktree', 'remove', path)
    expect(await reopen()).toMatchObject({ head: place.baseCommit })
    expect(existsSync(join(path, 'a.txt'))).toBe(true)
  })

  it('is recreated when only its folder was deleted, and other missing worktrees stay registered', async () => {
    const { repository, path } = await open()
    const elsewhere = join(repository.folder, 'on-another-disk')
    repository.git('worktree', 'add', '-q', '--detach', elsewhere)
    renameSync(elsewhere, `${elsewhere}-unmounted`)
    rmSync(path, { recursive: true })
    await reopen()
    expect(repository.git('worktree', 'list', '--porcelain')).toContain(elsewhere)
  })

  it('gets its branch back when the branch was deleted', async () => {
    const { repository, place, write, commit, vcs } = await open()
    write({ 'new.txt': 'new\n' })
    const done = await commit()
    repository.git('update-ref', '-d', `refs/heads/${place.branch}`)
    expect(await reopen()).toMatchObject({ head: done.sha, tree: done.tree })
    expect(await vcs.branchHead(place.branch)).toBe(done.sha)
  })

  it('says so when its branch is gone and no log tells where it was', async () => {
    const { repository, place, gitDir } = await open()
    repository.git('update-ref', '-d', `refs/heads/${place.branch}`)
    rmSync(join(gitDir, 'logs'), { recursive: true })
    await expect(reopen()).rejects.toMatchObject({
      name: 'VcsError',
      message: expect.stringContaining(`The branch ${place.branch} of the worktree`),
      fix: expect.stringContaining(`git branch ${place.branch} COMMIT`),
    })
  })

  it('does not touch a foreign folder or file in the way', async () => {
    const { repository, path } = await open()
    repository.git('worktree', 'remove', path)
    const inTheWay = {
      name: 'VcsError',
      message: expect.stringContaining('in the way'),
      fix: expect.any(String),
    }
    writeFiles(path, { 'precious.txt': 'mine\n' })
    await expect(reopen()).rejects.toMatchObject(inTheWay)
    expect(loop.read('precious.txt')).toBe('mine\n')
    rmSync(path, { recursive: true })
    writeFileSync(path, 'a file')
    await expect(reopen()).rejects.toMatchObject(inTheWay)
    rmSync(path)
    mkdirSync(path)
    expect((await reopen()).path).toBe(path)
  })

  it('says where the branch is checked out if a person checked it out', async () => {
    const { repository, place, path } = await open()
    repository.git('worktree', 'remove', path)
    repository.git('switch', '-q', place.branch)
    await expect(reopen()).rejects.toMatchObject({
      message: `The branch ${place.branch} is checked out at ${repository.root}.`,
      fix: expect.stringContaining('Switch that checkout to another branch'),
    })
  })

  it('is found again after the whole repository was moved', async () => {
    const { repository, place, write } = await open()
    write({ 'new.txt': 'unfinished\n' })
    const root = join(repository.folder, 'moved')
    renameSync(repository.root, root)
    const vcs = openGit({ cwd: root, home: join(root, '.umpire') })
    const { path } = await vcs.openWorktree(place, noNeeds, never)
    expect(gitIn(path, 'status', '--porcelain')).toBe('?? new.txt')
  })

  it('is recreated when its creation was killed before all files were written', async () => {
    const { path, gitDir, git } = await open()
    for (const file of ['index', 'umpire-checkout.json']) rmSync(join(gitDir, file))
    rmSync(join(path, 'a.txt'))
    writeFileSync(join(gitDir, 'locked'), 'initializing')
    await reopen()
    expect(git('status', '--porcelain')).toBe('')
    expect(loop.read('a.txt')).toBe('a\n')
  })

  it('is kept when it lost its index after work was done in it', async () => {
    const { gitDir, write, commit } = await open()
    write({ 'new.txt': 'work\n' })
    rmSync(join(gitDir, 'index'))
    await reopen()
    expect(loop.filesIn((await commit()).tree)).toEqual(['a.txt', 'b.txt', 'new.txt'])
  })

  it('honours the post-checkout hook as git does, even one that fails', async () => {
    const { read } = await open({
      prepare: ({ hook }) => hook('post-checkout', 'echo ran > hooked.txt', 'exit 1'),
    })
    expect(read('hooked.txt')).toBe('ran\n')
  })

  it('can be opened in a shallow clone, in a sparse checkout and with submodules', async () => {
    const origin = makeRepository({ 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
    try {
      origin.commit('Second', { 'in/a.txt': 'aa\n' })
      await open({
        prepare({ git, root }) {
          git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin.root, 'sub')
          git('commit', '-q', '-m', 'With a submodule')
          writeFiles(root, { 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
          git('add', '-A', '--', 'in', 'out')
          git('commit', '-q', '-m', 'More')
          git('sparse-checkout', 'set', 'in')
          writeFiles(root, { '.git/shallow': `${git('rev-parse', 'HEAD~1')}\n` })
        },
      })
      loop.write({ 'in/new.txt': 'new\n', 'out/new.txt': 'outside the cone\n' })
      const done = await loop.commit()
      expect(loop.filesIn(done.tree)).toEqual(
        expect.arrayContaining(['in/a.txt', 'in/new.txt', 'out/b.txt', 'out/new.txt', 'sub']),
      )
      const { path, state } = await loop.vcs.openClone('r', loop.place, done.tree)
      expect(gitIn(path, 'log', '--format=%s').split('\n').at(0)).toBe('The work under review')
      expect(await loop.vcs.tampered('r', loop.place, state)).toBeNull()
      await loop.vcs.discard(loop.place, done.sha)
    } finally {
      origin.remove()
    }
  })
})

describe('files given to a checkout', () => {
  let loop: OpenLoop
  afterEach(() => loop.remove())

  it('do not follow a tracked link out of the checkout', async () => {
    const repository = makeRepository()
    const outside = join(repository.folder, 'outside')
    try {
      mkdirSync(outside)
      symlinkSync(outside, join(repository.root, 'conf'))
      repository.commit('A link')
      rmSync(join(repository.root, 'conf'))
      repository.write({ 'conf/secret.txt': 'secret\n' })
      const vcs = openGit({ cwd: repository.root, home: repository.home })
      const place = await vcs.plan({ id: 1, title: 'T' })
      const opening = vcs.openWorktree(place, { ...noNeeds, copy: ['conf/secret.txt'] }, never)
      await expect(opening).rejects.toThrow('would leave the checkout')
      expect(readdirSync(outside)).toEqual([])
    } finally {
      repository.remove()
    }
    loop = await openLoop()
  })

  it('stay out of commits even if the ignore pattern matches only folders', async () => {
    loop = await openLoop({
      files: { 'a.txt': 'a\n', '.gitignore': 'node_modules/\n' },
      prepare: ({ write }) =>
        write({ 'node_modules/m/index.js': 'm\n', '.env': 'KEY=1\n', 'odd [name]*': 'odd\n' }),
      needs: { link: ['node_modules'], copy: ['.env', 'odd [name]*'] },
    })
    expect(loop.git('status', '--porcelain')).toContain('node_modules')
    loop.write({ 'b.txt': 'b\n' })
    const done = await loop.commit()
    expect(loop.filesIn(done.tree)).toEqual(['.gitignore', 'a.txt', 'b.txt'])
    await loop.vcs.discard(loop.place, done.sha)
    expect(loop.read('node_modules/m/index.js') + loop.read('odd [name]*')).toBe('m\nodd\n')
  })

  it('are removed from the tree again after the developer ran git add -A && git commit', async () => {
    loop = await openLoop({
      prepare: ({ write }) => write({ '.env': 'KEY=1\n', 'modules/m.txt': 'm\n' }),
      needs: { link: ['modules'], copy: ['.env'] },
    })
    loop.write({ 'new.txt': 'new\n' })
    loop.git('add', '-A')
    loop.git('commit', '-q', '-m', 'All of it')
    expect(loop.filesIn('HEAD')).toContain('.env')
    const done = await loop.commit()
    expect(loop.filesIn(done.tree)).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(loop.read('.env')).toBe('KEY=1\n')
    // The same if it is only in the index: a discard must not delete it.
    loop.git('add', '-A')
    await loop.vcs.discard(loop.place, done.sha)
    expect(loop.read('.env')).toBe('KEY=1\n')
  })
})
