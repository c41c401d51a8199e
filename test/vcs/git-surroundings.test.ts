import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareSurroundings } from '../../src/core/session/surroundings.ts'
import { openGit } from '../../src/vcs/git/open-git.ts'
import { withoutPassing } from '../../src/vcs/git/review/surroundings.ts'
import { makeRepository, type TestRepository } from '../support/repository.ts'

let repository: TestRepository
beforeEach(() => {
  repository = makeRepository({ 'README.md': '# Example\n', '.gitignore': 'ignored\n.umpire\n' })
})
afterEach(() => repository.remove())

async function changedBy(change: () => void): Promise<string[]> {
  const vcs = openGit({ cwd: repository.root, home: repository.home })
  const before = await vcs.surroundings()
  change()
  const now = await vcs.surroundings()
  const elsewhere = { home: {}, agents: {}, umpire: {} }
  const changes = compareSurroundings({ ...before, ...elsewhere }, { ...now, ...elsewhere })
  return changes.map(({ area, name, how }) => `${area} ${name} ${how}`)
}

function put(path: string, text = 'put\n'): void {
  mkdirSync(dirname(join(repository.root, path)), { recursive: true })
  appendFileSync(join(repository.root, path), text)
}

describe('shows', () => {
  test.each<[string, () => void, string[]]>([
    ['a tracked file', () => put('README.md'), ['checkout README.md changed']],
    ['an untracked file', () => put('deep/new.txt'), ['checkout deep/new.txt added']],
    ['a branch', () => repository.git('branch', 'other'), ['refs other added']],
    ['a tag', () => repository.git('tag', 'v1'), ['refs tags changed']],
    ['a stash', stash, ['refs stash added']],
    [
      'another branch checked out',
      () => repository.git('switch', '-qc', 'b'),
      ['refs HEAD changed', 'refs b added'],
    ],
    ['a hook', () => put('.git/hooks/pre-commit'), ['hooks pre-commit added']],
    ['a hook in a folder', () => put('.git/hooks/pre-commit.d/one'), ['hooks pre-commit.d/one added']],
    ['a setting', () => repository.git('config', 'core.pager', 'evil'), ['config config changed']],
  ])('%s', async (_, change, expected) => {
    expect(await changedBy(change)).toEqual(expected)
  })

  function stash(): void {
    put('README.md')
    repository.git('stash', '-q')
  }

  test.each([
    ['settings', 'config.worktree', '[core]\n\thooksPath = evil\n'],
    ['another repository', 'commondir', '/tmp/evil\n'],
  ])('%s in the git folder of a worktree', async (_, file, text) => {
    repository.git('worktree', 'add', '-q', '../side', '-b', 'side')
    const path = `worktrees/side/${file}`
    const change = () => writeFileSync(join(repository.root, '.git', path), text)
    try {
      expect(await changedBy(change)).toEqual([`config ${path} added`])
    } finally {
      rmSync(join(repository.root, '../side'), { recursive: true })
    }
  })

  test('no change for a new worktree with the settings of the main checkout', async () => {
    repository.git('config', 'extensions.worktreeConfig', 'true')
    repository.git('config', '--worktree', 'core.pager', 'mine')
    const added = () => repository.git('worktree', 'add', '-q', '--detach', '.umpire/side')
    expect(await changedBy(added)).toEqual([])
  })

  test('another change to a file that had changed before', async () => {
    put('README.md')
    put('mine.txt')
    expect(await changedBy(() => [put('README.md'), put('mine.txt')])).toEqual([
      ...['checkout README.md changed', 'checkout mine.txt changed'],
    ])
  })
})

test.each<[string, () => void]>([
  ['what git ignores', () => put('ignored')],
  ['Umpire’s own branches', () => repository.git('branch', 'umpire/1-first')],
  ['branches of other places', () => repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD')],
  ['refs that were only packed', () => repository.git('pack-refs', '--all')],
  ['a sample of a hook', () => put('.git/hooks/pre-commit.sample')],
  ['what a push writes of a branch', () => repository.git('config', 'branch.main.remote', 'origin')],
  ['looking', () => repository.git('status')],
])('does not count as a change: %s', async (_, change) => {
  repository.git('branch', 'other')
  repository.git('tag', 'v1')
  expect(await changedBy(change)).toEqual([])
})

test('does not count a worktree that another git is adding or removing as a change', async () => {
  repository.git('worktree', 'add', '-q', '--detach', '.umpire/side')
  const vcs = openGit({ cwd: repository.root, home: repository.home })
  const link = join(repository.root, '.git/worktrees/side/commondir')
  const coming = `const { renameSync: move } = require('node:fs')
    for (let turn = 0; turn < 30_000; turn += 1) { move(${JSON.stringify(link)}, 'aside'); move('aside', ${JSON.stringify(link)}) }`
  const other = spawn(process.execPath, ['-e', coming], { cwd: repository.root, stdio: 'inherit' })
  const ended = new Promise((resolve) => other.on('exit', resolve))
  const seen: string[] = []
  while (other.exitCode === null) seen.push(...Object.keys((await vcs.surroundings()).config))
  expect(await ended).toBe(0)
  expect([...new Set(seen)]).toEqual(['config'])
})

test('asks git for the refs of a repository that keeps them in reftables', async () => {
  // Git itself does not read this folder unless its config names reftables.
  mkdirSync(join(repository.root, '.git/reftable'))
  expect(await changedBy(() => repository.git('branch', 'other'))).toEqual(['refs other added'])
})

test('ignores config entries that everyday use writes, unless they say something else', () => {
  const core = '[core]\n\tbare = false\n'
  const branch = '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n'
  const others =
    '[submodule "lib"]\n\tactive = true\n\turl = /x\n[lfs]\n\trepositoryformatversion = 0\n[lfs "https://x"]\n\taccess = basic\n'
  const alias = '[alias]\n\tx = !evil\n'
  const who = '[user]\n\tname = A\n\temail = a@b\n[advice]\n\tdetachedHead = false\n'
  expect(withoutPassing(core + who + alias)).toBe(core + alias)
  expect(withoutPassing(core + branch + others + alias)).toBe(core + alias)
  expect(withoutPassing(`${core}[branch "a"]\n\tremote = b [core] pager = evil\n`)).toBe(core)
  for (const hidden of [
    '[branch "a"] [core] pager = evil\n',
    '[branch "a"]\n[core] pager = evil\n',
    '[branch "a"]\n\tremote = \\\n[core] pager = evil\n',
    '[branch "a"]\n\tremote = x\n  [core] pager = evil\n',
    '[submodule "a"]\n\turl = x\n\tupdate = !pager = evil\n',
    '[submodule "a"]\n\turl = x\n\t[core] pager = evil\n',
    '[lfs]\n\taccess = basic\n\tcustomtransfer.x.path = pager = evil\n',
    '[user]\n\tname = A\n\tsigningKey = pager = evil\n',
  ])
    expect(withoutPassing(hidden)).toContain('pager = evil')
})

test('lets a commit in the worktree write what it needs, but nothing that ties the worktree to the repository', async () => {
  const vcs = openGit({ cwd: repository.root, home: repository.home })
  const place = await vcs.plan({ id: 1, title: 'First' })
  const needs = { copy: [], link: [], setup: async () => {} }
  const { path } = await vcs.openWorktree(place, needs, new AbortController().signal)
  repository.git('pack-refs', '--all', '--prune')
  const { writable, kept } = await vcs.writable(place)
  const common = join(repository.root, '.git')
  expect(writable).toEqual(
    expect.arrayContaining([path, join(common, 'worktrees/1-first'), join(common, 'objects')]),
  )
  expect(existsSync(join(common, 'refs/heads/umpire'))).toBe(true)
  expect(writable).not.toContain(common)
  expect(writable.filter((each) => /(hooks|config|refs|heads|checkout|reftable)$/.test(each))).toEqual([])
  const own = join(common, 'worktrees/1-first')
  const files = ['commondir', 'gitdir', 'config.worktree', 'umpire-checkout.json'].map((name) =>
    join(own, name),
  )
  expect(kept).toEqual([join(path, '.git'), ...files, join(common, 'objects/info')])
  // Only existing files can be made read-only.
  for (const each of kept) expect(existsSync(each)).toBe(true)
  expect(readFileSync(join(own, 'config.worktree'), 'utf8')).toBe('')
  writeFileSync(join(path, 'work.txt'), '')
})
