import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../../src/core/errors.ts'
import { openGit } from '../../src/vcs/git/open-git.ts'
import { excludeHome, findRepository } from '../../src/vcs/git/repository.ts'
import { gitIn, makeRepository, type TestRepository } from '../support/repository.ts'

describe('finding the repository', () => {
  let repository: TestRepository
  beforeEach(() => {
    repository = makeRepository({ 'src/deep/a.txt': 'a\n' })
  })
  afterEach(() => repository.remove())

  it('gives the same home from the top, from a folder inside and from a linked worktree', async () => {
    const { root, home, folder } = repository
    const common = join(root, '.git')
    repository.git('worktree', 'add', '-q', join(folder, 'linked'))
    expect(await findRepository(root)).toEqual({ root, common, home })
    expect(await findRepository(join(root, 'src/deep'))).toEqual({ root, common, home })
    const linked = { root: join(folder, 'linked'), common, home }
    expect(await findRepository(join(folder, 'linked/src'))).toEqual(linked)
  })

  it('ignores the variables that git sets for a hook', async () => {
    const other = makeRepository()
    try {
      const env = {
        ...process.env,
        GIT_DIR: join(other.root, '.git'),
        GIT_WORK_TREE: other.root,
        GIT_INDEX_FILE: '/x',
      }
      expect((await findRepository(repository.root, env)).root).toBe(repository.root)
      const vcs = openGit({ cwd: repository.root, home: repository.home, env })
      expect((await vcs.base()).commit).toBe(repository.git('rev-parse', 'HEAD'))
    } finally {
      other.remove()
    }
  })

  it('finds the home of a submodule in the submodule', async () => {
    const { folder, root } = repository
    gitIn(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'sub')
    const sub = join(root, 'sub')
    expect(await findRepository(sub)).toMatchObject({ root: sub, home: join(sub, '.umpire') })
    gitIn(sub, 'worktree', 'add', '-q', join(folder, 'linked'))
    expect((await findRepository(join(folder, 'linked'))).home).toBe(join(sub, '.umpire'))
    expect((await openGit({ cwd: sub, home: join(sub, '.umpire') }).base()).branch).toBe('main')
  })

  it('excludes the home once, even if the info folder is missing', async () => {
    const common = join(repository.root, '.git')
    rmSync(join(common, 'info'), { recursive: true, force: true })
    await excludeHome(common)
    await excludeHome(common)
    expect(readFileSync(join(common, 'info/exclude'), 'utf8')).toBe('/.umpire/\n')
    mkdirSync(repository.home)
    repository.write({ '.umpire/umpire.db': 'x', 'sub/.umpire/kept.txt': 'x', '.git/info/exclude': '*.log' })
    await excludeHome(common)
    expect(readFileSync(join(common, 'info/exclude'), 'utf8')).toBe('*.log\n/.umpire/\n')
    expect(repository.git('status', '--porcelain', '-uall')).toBe('?? sub/.umpire/kept.txt')
  })

  describe('says what is wrong and what to do', () => {
    async function complaint(doing: Promise<unknown>): Promise<string> {
      const error = await doing.then(
        () => null,
        (thrown: unknown) => thrown,
      )
      if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${error}`)
      return `${error.message} ${error.fix}`
    }

    it('outside of any repository', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-no-repository-')))
      try {
        expect(await complaint(findRepository(folder))).toBe(
          `${folder} is not in a git repository. Change to your repository, or create one with git init.`,
        )
      } finally {
        rmSync(folder, { recursive: true })
      }
    })

    it('in a bare repository and in a worktree of one', async () => {
      const bare = join(repository.folder, 'bare.git')
      const words = /^This is a bare repository\. .* Clone it without --bare/
      gitIn(repository.folder, 'clone', '-q', '--bare', repository.root, bare)
      expect(await complaint(findRepository(bare))).toMatch(words)
      gitIn(bare, 'worktree', 'add', '-q', join(repository.folder, 'linked'))
      expect(await complaint(findRepository(join(repository.folder, 'linked')))).toMatch(words)
    })

    it("in a repository's git folder", async () => {
      expect(await complaint(findRepository(join(repository.root, '.git')))).toContain(
        'Change to the checkout first',
      )
    })

    it('without git', async () => {
      const env = { PATH: join(repository.folder, 'empty') }
      expect(await complaint(findRepository(repository.root, env))).toBe(
        'Umpire needs git, but git is not on the PATH. Install git, then try again.',
      )
    })

    it('without a commit', async () => {
      const empty = join(repository.folder, 'empty')
      gitIn(repository.folder, 'init', '-q', '-b', 'main', empty)
      const vcs = openGit({ cwd: empty, home: join(empty, '.umpire') })
      expect(await complaint(vcs.base())).toMatch(/has no commits yet\. Commit something first/)
    })

    it('on a detached HEAD', async () => {
      repository.git('checkout', '-q', '--detach')
      const vcs = openGit({ cwd: repository.root, home: repository.home })
      expect(await complaint(vcs.base())).toMatch(/^HEAD is detached at .* git switch BRANCH/)
    })
  })
})
