import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReviewedState } from '../../src/core/session/session.ts'
import { never, noNeeds } from '../contract/vcs-under-test.ts'
import { gitIn, makeRepository, writeFiles, writeScript } from '../support/repository.ts'
import { type OpenLoop, openLoop } from './open-loop.ts'

describe("a reviewer's clone in git", () => {
  let loop: OpenLoop
  let clone: string
  let state: ReviewedState
  beforeEach(async () => {
    loop = await openLoop({
      files: { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitattributes': '*.txt text eol=crlf filter=evil\n' },
      prepare: ({ write }) => write({ '.env': 'KEY=1\n' }),
      needs: { copy: ['.env'] },
    })
    loop.write({ 'new.txt': 'new\n' })
    const { tree } = await loop.commit({ message: 'Trust me' })
    const opened = await loop.vcs.openClone('r-1', loop.place, tree)
    clone = opened.path
    state = opened.state
  })
  afterEach(() => loop.remove())

  const tampered = () => loop.vcs.tampered('r-1', loop.place, state)

  it("is one commit on top of the base, without the developer's message", () => {
    expect(gitIn(clone, 'log', '--format=%s').split('\n')).toEqual(['The work under review', 'First commit'])
    expect(gitIn(clone, 'rev-parse', 'HEAD^{tree}')).toBe(state.tree)
    expect(gitIn(clone, 'rev-parse', 'HEAD^{tree}')).toBe(state.tree)
    expect(gitIn(clone, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/review')
    expect(gitIn(clone, 'remote')).toBe('')
    expect(gitIn(clone, 'status', '--porcelain')).toBe('')
    expect(gitIn(clone, 'diff', '--name-only', 'HEAD~1')).toBe('new.txt')
    expect(existsSync(join(clone, '.env'))).toBe(false)
  })

  it('does not run the hooks of the repository', () => {
    loop.repository.hook('post-checkout', 'touch hooked')
    gitIn(clone, 'checkout', '-q', '--detach')
    expect(existsSync(join(clone, 'hooked'))).toBe(false)
  })

  it('counts as untampered while the reviewer reads and builds, and the person works', async () => {
    gitIn(clone, 'status')
    gitIn(clone, 'log', '-p')
    writeFiles(clone, { 'build/out.js': 'x\n', 'node_modules/m.js': 'm\n' })
    const { repository } = loop
    repository.git('branch', 'other')
    repository.git('config', 'branch.main.remote', 'origin')
    repository.write({ 'a.txt': 'a change of the person\n', '.env': 'KEY=2\n' })
    expect(await tampered()).toBeNull()
  })

  const inWorktree = (...args: string[]) => loop.git(...args)
  const cases: [string, () => void, RegExp][] = [
    [
      "moves the loop's branch",
      () => inWorktree('commit', '-q', '--allow-empty', '-m', 'x'),
      /^The branch umpire\/1-add-it was moved/,
    ],
    [
      'switches the worktree',
      () => inWorktree('switch', '-q', '--detach'),
      /^The branch umpire\/1-add-it was moved/,
    ],
    ['edits a file in the worktree', () => loop.write({ 'a.txt': 'x\n' }), /^Files in the loop's worktree/],
    ['adds a file to the worktree', () => loop.write({ 'more.txt': 'x\n' }), /^Files in the loop's worktree/],
    [
      'edits a file in the worktree and has git overlook it',
      () => {
        inWorktree('update-index', '--assume-unchanged', 'a.txt')
        loop.write({ 'a.txt': 'x\n' })
      },
      /^Files in the loop's worktree/,
    ],
    ['deletes the worktree', () => rmSync(loop.path, { recursive: true }), /worktree/],
    [
      'adds a hook',
      () => loop.repository.hook('pre-commit', 'exit 0'),
      /^The repository's hooks were changed/,
    ],
    [
      "gives the loop's worktree settings of its own",
      () => writeFiles(loop.gitDir, { 'config.worktree': '[core]\n\thooksPath = evil\n' }),
      /^The repository's config was changed/,
    ],
    [
      'changes the config',
      () => loop.repository.git('config', 'core.pager', 'evil'),
      /^The repository's config was changed/,
    ],
    [
      'hides a setting behind a branch section on the same line',
      () => {
        const file = join(loop.repository.root, '.git/config')
        writeFiles(loop.repository.root, {
          '.git/config': `${readFileSync(file, 'utf8')}[branch "x"][core]pager = evil\n`,
        })
      },
      /^The repository's config was changed/,
    ],
    [
      'edits a file of the clone',
      () => writeFiles(clone, { 'a.txt': 'x\n' }),
      /^The file "a.txt" in the reviewer's clone/,
    ],
    [
      'edits a file of the clone, with the same size and time, and has git overlook it',
      () => {
        gitIn(clone, 'update-index', '--assume-unchanged', 'a.txt')
        writeFiles(clone, { 'a.txt': 'x\n' })
        utimesSync(join(clone, 'a.txt'), 1, 1)
      },
      /^The file "a.txt" in the reviewer's clone/,
    ],
    ['makes a file executable', () => chmodSync(join(clone, 'dir/b.txt'), 0o755), /^The file "dir\/b.txt"/],
    [
      'replaces a file by a link to the same content',
      () => {
        renameSync(join(clone, 'a.txt'), join(clone, 'aside'))
        symlinkSync('aside', join(clone, 'a.txt'))
      },
      /^The file "a.txt"/,
    ],
    [
      'replaces a folder by a link to the same content',
      () => {
        renameSync(join(clone, 'dir'), join(clone, 'aside'))
        symlinkSync('aside', join(clone, 'dir'))
      },
      /^The file "dir\/b.txt"/,
    ],
    [
      'commits in the clone',
      () =>
        gitIn(clone, '-c', 'user.name=r', '-c', 'user.email=r@x', 'commit', '-q', '--allow-empty', '-m', 'x'),
      /^The refs, config or attributes of the reviewer's clone/,
    ],
    ['makes a branch in the clone', () => gitIn(clone, 'branch', 'other'), /^The refs, config or attributes/],
    [
      'detaches the clone',
      () => gitIn(clone, 'checkout', '-q', '--detach'),
      /^The refs, config or attributes/,
    ],
    [
      'puts a program into the config of the clone',
      () => gitIn(clone, 'config', 'filter.x.clean', 'cat'),
      /^The refs, config/,
    ],
    [
      'changes the attributes of the clone',
      () => writeFiles(clone, { '.git/info/attributes': '' }),
      /^The refs, config/,
    ],
    [
      "deletes the clone's git folder",
      () => rmSync(join(clone, '.git'), { recursive: true }),
      /^The reviewer's clone is gone/,
    ],
  ]
  it.each(cases)('reveals a reviewer that %s', async (_, tamper, sentence) => {
    tamper()
    expect(await tampered()).toMatch(sentence)
  })

  it('runs no program that the reviewer put into the clone', async () => {
    const ran = join(loop.repository.folder, 'ran')
    const evil = join(loop.repository.folder, 'evil.sh')
    writeScript(evil, `touch ${ran}`)
    for (const key of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge'])
      gitIn(clone, 'config', key, evil)
    expect(await tampered()).not.toBeNull()
    expect(existsSync(ran)).toBe(false)
  })

  it('watches the hooks folder from the settings, in the person’s checkout and in the worktree', async () => {
    loop.repository.git('config', 'core.hooksPath', '.husky/_')
    writeFiles(loop.path, { '.husky/_/.gitignore': '*\n', '.husky/_/pre-commit': 'exit 0\n' })
    state = (await loop.vcs.openClone('r-1', loop.place, state.tree)).state
    expect(await tampered()).toBeNull()
    writeFiles(loop.path, { '.husky/_/pre-commit': 'evil\n' })
    expect(await tampered()).toMatch(/^The repository's hooks/)
  })
})

describe('checkouts by name', () => {
  it('are refused outside their folders', async () => {
    const loop = await openLoop()
    try {
      for (const name of ['../worktrees/1-add-it', '..', '', 'a/b', '-x']) {
        await expect(loop.vcs.removeCheckout(name)).rejects.toThrow('is not a valid name for a checkout')
      }
      expect(existsSync(loop.path)).toBe(true)
    } finally {
      loop.remove()
    }
  })

  it('are never removed through a link', async () => {
    const loop = await openLoop()
    const precious = makeRepository({ 'precious.txt': 'mine\n' })
    const kept = join(precious.root, 'precious.txt')
    try {
      mkdirSync(join(loop.repository.home, 'clones'))
      symlinkSync(precious.root, join(loop.repository.home, 'clones/c'))
      await loop.vcs.removeCheckout('c')
      expect(existsSync(kept)).toBe(true)
      rmSync(join(loop.repository.home, 'clones'), { recursive: true })
      for (const kind of ['clones', 'scratch']) symlinkSync(precious.folder, join(loop.repository.home, kind))
      await loop.vcs.removeCheckout('checkout')
      expect(existsSync(kept)).toBe(true)
    } finally {
      precious.remove()
      loop.remove()
    }
  })

  it('leave no entry in the list of worktrees, even if their folder was deleted by hand', async () => {
    const loop = await openLoop()
    const { vcs, place, repository } = loop
    try {
      const path = await vcs.openScratch('s', place.baseCommit, noNeeds, never)
      expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(place.baseCommit)
      rmSync(path, { recursive: true })
      await vcs.openScratch('s', place.baseCommit, noNeeds, never)
      rmSync(path, { recursive: true })
      expect(await vcs.checkouts()).toEqual(['s'])
      await vcs.removeCheckout('s')
      expect(repository.git('worktree', 'list')).not.toContain('scratch')
      expect(await vcs.checkouts()).toEqual([])
      await expect(vcs.openScratch('s', 'f'.repeat(40), noNeeds, never)).rejects.toMatchObject({
        name: 'VcsError',
      })
    } finally {
      loop.remove()
    }
  })
})
