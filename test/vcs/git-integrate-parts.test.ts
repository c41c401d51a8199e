/** Merges approved work with the current base, without using any of the person's checkouts. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { integrateOne } from '../contract/vcs-under-test.ts'
import { gitIn, writeScript } from '../support/repository.ts'
import { isRunning, until } from '../support/umpire.ts'
import { type Landing, type LandingOptions, openLanding } from './open-landing.ts'

let landing: Landing
const open = (options?: LandingOptions) => {
  landing = openLanding(options)
  return landing
}
afterEach(() => landing.remove())

describe('merging with the base', () => {
  it('uses the approved commit itself if the base has not moved', async () => {
    const { work, merge, vcs, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const merged = await merge(one)
    expect(merged).toEqual({
      kind: 'merged',
      base: one.place.baseCommit,
      commit: one.head,
      tree: repository.git('rev-parse', `${one.head}^{tree}`),
      path: join(repository.home, 'scratch/1-land'),
    })
    expect(gitIn(merged.path, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)')
    expect(await vcs.checkouts()).toEqual(['1-land'])
  })

  it('makes a merge commit of both sides if the base has moved, and changes nothing else', async () => {
    const { work, merge, state, repository, filesIn } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const moved = repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    const before = state()
    const merged = await merge(one)
    expect(merged.base).toBe(moved)
    expect(repository.git('show', '-s', '--format=%P|%an|%cn|%B', merged.commit)).toBe(
      `${moved} ${one.head}|Test Person|Test Person|Merge umpire/1-task-1`,
    )
    expect(filesIn(merged.tree)).toEqual(['.gitignore', 'a.txt', 'b.txt', 'new.txt'])
    expect(gitIn(merged.path, 'rev-parse', 'HEAD')).toBe(merged.commit)
    expect(gitIn(merged.path, 'status', '--porcelain')).toBe('')
    expect(state()).toEqual(before)
  })

  it('says so when the base already has the work, even if a person merged it', async () => {
    const { work, integrate, vcs, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    expect(await vcs.isMerged(one.place, one.head)).toBe(false)
    repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    repository.git('merge', '-q', '--no-edit', one.place.branch)
    const base = repository.git('rev-parse', 'main')
    expect(await integrate(one)).toEqual({ kind: 'contained', base })
    expect(await vcs.isMerged(one.place, one.head)).toBe(true)
    expect(await vcs.checkouts()).toEqual([])
  })

  it('merges the approved commit, not later commits on the branch', async () => {
    const { work, merge, filesIn } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    writeFileSync(join(one.path, 'later.txt'), 'later\n')
    gitIn(one.path, 'add', '-A')
    gitIn(one.path, 'commit', '-q', '-m', 'Not reviewed')
    expect(filesIn((await merge(one)).commit)).not.toContain('later.txt')
  })

  it('can be repeated even if the checkout still exists', async () => {
    const { work, merge } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const first = await merge(one)
    writeFileSync(join(first.path, 'left.txt'), 'by a gate\n')
    expect(await merge(one)).toEqual(first)
    expect(existsSync(join(first.path, 'left.txt'))).toBe(false)
  })

  it('fails when the base or the commit is gone, and says what to do', async () => {
    const { work, integrate, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    await expect(integrate({ ...one, head: '1'.repeat(40) })).rejects.toMatchObject({ name: 'VcsError' })
    repository.git('switch', '-q', '-c', 'other')
    repository.git('branch', '-q', '-D', 'main')
    await expect(integrate(one)).rejects.toMatchObject({
      name: 'VcsError',
      message: 'The branch main, into which the work should be merged, is gone.',
      fix: expect.stringContaining('git branch main COMMIT'),
    })
  })

  it('works in a repository with submodules, a filter and a sparse checkout', async () => {
    const { work, merge, repository, filesIn } = open({
      files: {
        'a.txt': 'a\n',
        'in/b.txt': 'b\n',
        'out/c.txt': 'c\n',
        '.gitattributes': '*.big filter=upper\n',
      },
      prepare: ({ git }) => {
        git('config', 'filter.upper.clean', 'tr a-z A-Z')
        git('config', 'filter.upper.smudge', 'tr A-Z a-z')
        git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`)
        git('commit', '-q', '-m', 'A submodule that is nowhere')
        git('sparse-checkout', 'set', 'in')
      },
    })
    const one = await work(1, { 'in/big.big': 'words\n' })
    repository.git('commit', '-q', '--allow-empty', '-m', 'Meanwhile')
    const merged = await merge(one)
    expect(filesIn(merged.commit)).toContain('in/big.big')
    expect(readFileSync(join(merged.path, 'in/big.big'), 'utf8')).toBe('words\n')
    expect(gitIn(merged.path, 'status', '--porcelain')).toBe('')
  })
})

describe('the checkout of a merge', () => {
  it('is set up for the merged tree, keeps copied and installed files, and resets tracked ones', async () => {
    const { work, merge, repository } = open()
    writeFileSync(join(repository.root, '.env'), 'SECRET=1\n')
    const one = await work(1, { 'deps.txt': 'two\n' })
    repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    repository.git('rm', '-q', '--cached', '.env')
    repository.git('commit', '-q', '-m', 'Not for everybody')
    const seen: string[] = []
    const merged = await merge(one, {
      copy: ['.env'],
      setup: async (path) => {
        seen.push(readFileSync(join(path, 'deps.txt'), 'utf8'), readFileSync(join(path, 'b.txt'), 'utf8'))
        writeFileSync(join(path, 'ignored'), 'installed\n')
        writeFileSync(join(path, 'a.txt'), 'changed by the set-up\n')
      },
    })
    expect(seen).toEqual(['two\n', 'other\n'])
    const read = (file: string) => readFileSync(join(merged.path, file), 'utf8')
    expect([read('.env'), read('ignored'), read('a.txt')]).toEqual(['SECRET=1\n', 'installed\n', 'a\n'])
    expect(gitIn(merged.path, 'status', '--porcelain')).toBe('?? .env')
  })

  it('is reset to the merged commit after a gate ran in it', async () => {
    const { work, merge, vcs, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const { path, commit } = await merge(one)
    // A gate may even switch to a person's branch, which must not move.
    repository.git('branch', 'theirs')
    gitIn(path, 'switch', '-q', 'theirs')
    writeFileSync(join(path, 'a.txt'), 'changed\n')
    writeFileSync(join(path, 'left.txt'), 'left\n')
    writeFileSync(join(path, 'ignored'), 'stays\n')
    await vcs.restoreScratch('1-land', commit)
    expect(gitIn(path, 'status', '--porcelain', '--branch')).toBe('## HEAD (no branch)')
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(commit)
    expect(existsSync(join(path, 'ignored'))).toBe(true)
    expect(repository.git('rev-parse', 'theirs')).toBe(one.place.baseCommit)
  })

  it('is removed when its set-up fails', async () => {
    const { work, integrate, vcs } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const setup = () => Promise.reject(new Error('no network'))
    await expect(integrate(one, {}, { setup })).rejects.toThrow('no network')
    expect(await vcs.checkouts()).toEqual([])
  })

  it('is not made for a worker that has lost its claim, even halfway through', async () => {
    const { work, vcs, state, merge, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    const refused = new Error('not yours any more')
    const before = state()
    const request = { name: one.name, head: one.head, message: 'Merge', also: [], hookLimitMs: 1_000 }
    const needs = { copy: [], link: [], setup: async () => {} }
    const allowing = (times: number) => {
      let asked = 0
      return vcs.guardedBy(() => (++asked > times ? Promise.reject(refused) : Promise.resolve()))
    }
    for (const times of [0, 1]) {
      const late = allowing(times)
      await expect(integrateOne(late, one.place, request, needs)).rejects.toBe(refused)
      await expect(late.advance({ branch: 'main' }, one.place.baseCommit, one.head)).rejects.toBe(refused)
      await expect(late.removeWork(one.place, 'cancelled')).rejects.toBe(refused)
    }
    expect(state()).toEqual(before)
    expect((await merge(one)).commit).toBe(one.head)

    repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    const moved = state()
    for (const times of [0, 1, 2, 3])
      await expect(integrateOne(allowing(times), one.place, request, needs)).rejects.toBe(refused)
    expect(state()).toEqual(moved)
  })
})

describe('a conflict', () => {
  it('names the files, and leaves nothing but both sides on their branches', async () => {
    const { work, integrate, state, vcs, repository } = open()
    const one = await work(1, { 'a.txt': 'mine\n', 'new.txt': 'new\n' })
    const base = repository.commit('Meanwhile', { 'a.txt': 'theirs\n' })
    repository.git('config', 'rerere.enabled', 'true')
    const before = state()
    const conflict = { kind: 'conflict', base, files: ['a.txt'] }
    expect(await integrate(one)).toEqual(conflict)
    expect(state()).toEqual(before)
    expect(await vcs.checkouts()).toEqual([])
    expect(repository.git('worktree', 'list')).not.toContain('scratch')
    expect(await vcs.branchHead(one.place.branch)).toBe(one.head)
  })

  it('is found between a deletion and a change, a rename and a deletion, and in binary files', async () => {
    const { work, integrate, repository } = open({
      files: { 'gone.txt': 'x\n', 'old.txt': 'many\nlines\nof\ntext\n', 'bin.dat': 'a\0b\n' },
    })
    const one = await work(1, { 'moved.txt': 'many\nlines\nof\ntext\n', 'bin.dat': 'a\0c\n' }, [
      'gone.txt',
      'old.txt',
    ])
    repository.git('rm', '-q', 'old.txt')
    repository.commit('Meanwhile', { 'gone.txt': 'y\n', 'bin.dat': 'a\0d\n' })
    expect(await integrate(one)).toMatchObject({
      kind: 'conflict',
      files: ['bin.dat', 'gone.txt', 'moved.txt'],
    })
  })

  it('names files exactly, whatever characters their names contain', async () => {
    const names = ['line\nbreak.txt', 'quo"te\'s.txt', 'tab\there.txt', 'ü.txt']
    const files = (text: string) => Object.fromEntries(names.map((name) => [name, `${text}\n`]))
    const { work, integrate, repository } = open({ files: files('old') })
    const one = await work(1, files('mine'))
    repository.commit('Meanwhile', files('theirs'))
    const found = await integrate(one)
    expect(found.kind === 'conflict' && found.files.sort()).toEqual(names.sort())
  })

  it('is not resolved with a resolution that git recorded when the person merged by hand', async () => {
    const { work, integrate, repository } = open()
    const one = await work(1, { 'a.txt': 'mine\n' })
    const base = repository.commit('Meanwhile', { 'a.txt': 'theirs\n' })
    repository.git('config', 'rerere.enabled', 'true')
    repository.git('config', 'rerere.autoUpdate', 'true')
    expect(() => repository.git('merge', '-q', one.place.branch)).toThrow()
    repository.commit('By hand', { 'a.txt': 'both\n' })
    repository.git('reset', '-q', '--hard', base)
    expect(await integrate(one)).toMatchObject({ kind: 'conflict', files: ['a.txt'] })
  })
})

describe("the person's settings", () => {
  it.each([
    'merge.ff=only',
    'merge.ff=false',
    'merge.log=true',
    'merge.verifySignatures=true',
    'merge.autoStash=true',
  ])('do not get in the way: %s', async (setting) => {
    const { work, merge, land, repository } = open()
    const [key = '', value = ''] = setting.split('=')
    repository.git('config', key, value)
    const [one, two] = [await work(1, { 'one.txt': '1\n' }), await work(2, { 'two.txt': '2\n' })]
    expect((await merge(one)).commit).toBe(one.head)
    expect(await land(one)).toMatchObject({ kind: 'advanced' })
    expect(await land(two)).toMatchObject({ kind: 'advanced' })
    expect(repository.git('show', '-s', '--format=%B', 'main')).toBe('Merge umpire/2-task-2')
  })

  it('sign the merge commit if they say so, and a signing program that hangs is stopped', async () => {
    const { work, integrate, merge, repository } = open()
    const one = await work(1, { 'new.txt': 'new\n' })
    repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    const signer = join(repository.folder, 'signer')
    repository.git('config', 'commit.gpgSign', 'true')
    repository.git('config', 'gpg.program', signer)
    writeScript(signer, 'cat >/dev/null', 'echo "[GNUPG:] SIG_CREATED x" >&2', 'echo signed')
    const merged = await merge(one)
    expect(repository.git('cat-file', 'commit', merged.commit)).toContain('gpgsig signed')

    writeScript(signer, 'exec sleep 600')
    expect(await integrate(one, { hookLimitMs: 300 })).toMatchObject({ kind: 'refused', timedOut: true })
    writeScript(signer, 'exit 1')
    await expect(integrate(one)).rejects.toMatchObject({
      name: 'VcsError',
      message: expect.stringContaining('git merge failed'),
    })
  })

  it('may lack an identity: the merge commit is still made', async () => {
    const { work, merge, repository } = open({
      prepare: ({ git }) => {
        git('config', '--remove-section', 'user')
        git('config', 'user.useConfigOnly', 'true')
      },
      env: { ...process.env, GIT_AUTHOR_NAME: undefined, GIT_COMMITTER_NAME: undefined },
    })
    const one = await work(1, { 'new.txt': 'new\n' })
    const tree = repository.git('rev-parse', 'main^{tree}')
    const who = ['-c', 'user.name=P', '-c', 'user.email=p@example.com']
    repository.git(
      'update-ref',
      'refs/heads/main',
      repository.git(...who, 'commit-tree', tree, '-p', 'main', '-m', 'M'),
    )
    const { commit } = await merge(one)
    expect(repository.git('show', '-s', '--format=%an <%ae>', commit)).toBe('Umpire <umpire@localhost>')
  })

  it('decide how a file is merged', async () => {
    const { work, merge, repository } = open({
      files: { 'log.txt': 'begin\n', '.gitattributes': 'log.txt merge=union\n' },
    })
    const one = await work(1, { 'log.txt': 'begin\nmine\n' })
    repository.commit('Meanwhile', { 'log.txt': 'begin\ntheirs\n' })
    const { path } = await merge(one)
    expect(readFileSync(join(path, 'log.txt'), 'utf8')).toBe('begin\ntheirs\nmine\n')
  })
})

describe('the hooks of the repository', () => {
  const moved = async (options?: LandingOptions) => {
    const { work, repository } = open(options)
    const one = await work(1, { 'new.txt': 'new\n' })
    repository.commit('Meanwhile', { 'b.txt': 'other\n' })
    return one
  }

  it.each(['pre-merge-commit', 'commit-msg'])('can refuse a merge commit: %s', async (name) => {
    const one = await moved()
    landing.repository.hook(name, 'echo "we do not do this" >&2; exit 1')
    const before = landing.state()
    const found = await landing.integrate(one)
    expect(found).toMatchObject({ kind: 'refused', exitCode: 1, timedOut: false })
    expect(found.kind === 'refused' && found.output).toContain('we do not do this')
    expect(landing.state()).toEqual(before)
    expect(await landing.vcs.checkouts()).toEqual([])
  })

  it('find what the set-up installed', async () => {
    const one = await moved()
    landing.repository.hook('commit-msg', 'test -e ignored && echo "checked" >>"$1"')
    const setup = async (path: string) => writeFileSync(join(path, 'ignored'), 'installed\n')
    const { commit } = await landing.merge(one, { setup })
    expect(landing.repository.git('show', '-s', '--format=%B', commit)).toBe('Merge umpire/1-task-1\nchecked')
  })

  it('are stopped at their timeout', async () => {
    const one = await moved()
    landing.repository.hook('pre-merge-commit', 'exec sleep 600')
    expect(await landing.integrate(one, { hookLimitMs: 300 })).toMatchObject({
      kind: 'refused',
      timedOut: true,
    })
    expect(await landing.vcs.checkouts()).toEqual([])
  })

  it('cannot undo a merge by hanging after it', async () => {
    const one = await moved()
    landing.repository.hook('post-merge', 'exec sleep 600')
    expect(await landing.integrate(one, { hookLimitMs: 500 })).toMatchObject({ kind: 'merged' })
  })

  it('cannot remove the approved work from the result', async () => {
    const one = await moved()
    landing.repository.hook('post-merge', 'git update-ref HEAD HEAD~1')
    await expect(landing.integrate(one)).rejects.toMatchObject({ name: 'VcsError' })
  })

  it('leave no change in the checkout', async () => {
    const one = await moved()
    landing.repository.hook('post-merge', 'echo more >>a.txt; echo new >left.txt')
    const { path } = await landing.merge(one)
    expect(gitIn(path, 'status', '--porcelain')).toBe('')
  })

  it('do not keep running in the new checkout after their worker was killed', async () => {
    const one = await moved()
    const { folder } = landing.repository
    const hook = join(folder, 'hook')
    landing.repository.hook(
      'pre-merge-commit',
      `echo $$ >${hook}.new; mv ${hook}.new ${hook}; exec sleep 600`,
    )
    let isKilled = false
    const killed = landing.vcs.guardedBy(async () => {
      if (isKilled) throw new Error('it was killed')
    })
    const left = landing.integrate(one, {}, {}, killed).catch(() => null)
    await until(() => existsSync(hook), 'the hook')
    isKilled = true
    rmSync(join(landing.repository.root, '.git/hooks/pre-merge-commit'))
    const merged = await landing.merge(one)
    expect(isRunning(readFileSync(hook, 'utf8').trim())).toBe(false)
    expect(gitIn(landing.repository.root, 'show', '-s', '--format=%P', merged.commit)).toContain(one.head)
    await left
  })
})

it('writes only plain text into the commit message, whatever the title contains', async () => {
  const { work, integrate, repository } = open()
  const one = await work(1, { 'new.txt': 'new\n' })
  repository.commit('Meanwhile', { 'b.txt': 'other\n' })
  const merged = await integrate(one, { message: '-m \u001b[31mred\u0000\n\n# not a comment\n' })
  if (merged.kind !== 'merged') throw new Error(merged.kind)
  expect(repository.git('show', '-s', '--format=%B', merged.commit)).toBe('-m  [31mred\n\n# not a comment')
  const empty = await integrate(one, { message: '\u0007' })
  expect(empty.kind === 'merged' && repository.git('show', '-s', '--format=%B', empty.commit)).toBe(
    'Merge approved work',
  )
})
