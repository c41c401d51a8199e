import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { gitIn, writeFiles } from '../support/repository.ts'
import { type LoopOptions, type OpenLoop, openLoop } from './open-loop.ts'

describe('a commit in git', () => {
  let loop: OpenLoop
  const open = async (options?: LoopOptions) => {
    loop = await openLoop(options)
    loop.write({ 'new.txt': 'new\n' })
    return loop
  }
  const message = () => loop.git('log', '-1', '--format=%B').trim()
  const count = () => Number(loop.git('rev-list', '--count', `${loop.place.baseCommit}..HEAD`))
  afterEach(() => loop?.remove())

  describe('has a message', () => {
    it.each([
      ['# Not a comment', '# Not a comment'],
      ['--amend $(touch evil)', '--amend $(touch evil)'],
      ['two\nlines\tand\u0007bell', 'two lines and bell'],
      ['   ', 'Work of attempt 1/1'],
    ])('for the title %j', async (title, subject) => {
      const { commit } = await open()
      expect((await commit({ message: title })).message).toBe(subject)
      expect(message()).toBe(`${subject}\n\nAttempt: 1/1`)
    })

    it('with a short subject and the whole title below it, if the title is long', async () => {
      const { commit } = await open()
      await commit({ message: 'word '.repeat(2_000) })
      const [subject, body, trailer] = message().split('\n\n')
      expect(subject?.length).toBeLessThanOrEqual(72)
      expect(body).toBe('word '.repeat(2_000).trim())
      expect(trailer).toBe('Attempt: 1/1')
      expect(loop.git('log', '-1', '--format=%(trailers:key=Attempt,valueonly)').trim()).toBe('1/1')
    })
  })

  describe('has as its author', () => {
    it('the person whose identity the repository has', async () => {
      await (await open()).commit()
      expect(loop.git('log', '-1', '--format=%an <%ae> %cn')).toBe(
        'Test Person <person@example.com> Test Person',
      )
    })

    it('Umpire if no identity is configured', async () => {
      await open()
      loop.git('config', '--remove-section', 'user')
      loop.git('config', 'user.useConfigOnly', 'true')
      await loop.commit()
      expect(loop.git('log', '-1', '--format=%an <%ae> %cn')).toBe('Umpire <umpire@localhost> Umpire')
    })
  })

  describe('after a crash', () => {
    it('is found by its trailer, and amended with the files left over', async () => {
      const { commit, write } = await open()
      const first = await commit()
      write({ 'late.txt': 'late\n' })
      const again = await commit()
      expect(count()).toBe(1)
      expect(again.sha).not.toBe(first.sha)
      expect(loop.filesIn(again.tree)).toEqual(['a.txt', 'b.txt', 'late.txt', 'new.txt'])
    })

    it("is not confused with an earlier attempt's commit", async () => {
      const { commit, write } = await open()
      const first = await commit()
      write({ 'new.txt': 'newer\n' })
      const second = await commit({ attempt: '1/2', recorded: first.sha })
      expect(second.from).toBe(first.sha)
      expect(count()).toBe(2)
    })
  })

  describe('honours hooks', () => {
    it.each(['pre-commit', 'commit-msg', 'prepare-commit-msg'])('that refuse (%s)', async (name) => {
      await open({ prepare: ({ hook }) => hook(name, 'echo "no debug output, please" >&2', 'exit 1') })
      expect(await loop.tryCommit()).toEqual({
        kind: 'refused',
        output: 'no debug output, please',
        exitCode: 1,
        timedOut: false,
      })
      expect(count()).toBe(0)
      expect(loop.read('new.txt')).toBe('new\n')
    })

    it('that refuse the reference transaction', async () => {
      const script = ['case "$1" in prepared) grep -q umpire/ && { echo no >&2; exit 1; };; esac', 'exit 0']
      await open()
      loop.repository.hook('reference-transaction', ...script)
      expect(await loop.tryCommit()).toMatchObject({ kind: 'refused', output: expect.stringContaining('no') })
    })

    it('that hang, until the timeout', async () => {
      await open({ prepare: ({ hook }) => hook('pre-commit', 'echo working >&2', 'sleep 600') })
      const outcome = await loop.tryCommit({ hookLimitMs: 1_500 })
      expect(outcome).toEqual({ kind: 'refused', output: 'working', exitCode: null, timedOut: true })
      expect(existsSync(join(loop.gitDir, 'index.lock'))).toBe(false)
      loop.repository.hook('pre-commit', 'exit 0')
      expect((await loop.commit()).empty).toBe(false)
    })

    it('that hang after the commit', async () => {
      await open({ prepare: ({ hook }) => hook('post-commit', 'sleep 600') })
      expect((await loop.commit({ hookLimitMs: 2_000 })).empty).toBe(false)
      expect(count()).toBe(1)
    })

    it('that reformat files and stage them', async () => {
      await open({ prepare: ({ hook }) => hook('pre-commit', 'echo formatted > new.txt', 'git add new.txt') })
      const done = await loop.commit()
      expect(loop.git('show', `${done.sha}:new.txt`)).toBe('formatted')
      expect(count()).toBe(1)
    })

    it('that reformat files and do not stage them', async () => {
      await open({ prepare: ({ hook }) => hook('pre-commit', 'echo formatted > new.txt') })
      const done = await loop.commit()
      expect(loop.git('show', `${done.sha}:new.txt`)).toBe('formatted')
      expect(loop.git('status', '--porcelain')).toBe('')
      expect(count()).toBe(1)
    })

    it('that reformat files and refuse the first try', async () => {
      const script = ['grep -q formatted new.txt && exit 0', 'echo formatted > new.txt', 'exit 1']
      await open({ prepare: ({ hook }) => hook('pre-commit', ...script) })
      const done = await loop.commit()
      expect(loop.git('show', `${done.sha}:new.txt`)).toBe('formatted')
    })

    it('that change files on every run, and leaves the worktree clean', async () => {
      await open({ prepare: ({ hook }) => hook('pre-commit', 'date +%s%N >> new.txt') })
      const done = await loop.commit()
      expect(loop.git('status', '--porcelain')).toBe('')
      expect(loop.git('rev-parse', 'HEAD^{tree}')).toBe(done.tree)
      expect(count()).toBe(1)
    })
  })

  describe('fails and says what to do', () => {
    it('when a lock is left behind', async () => {
      await open({ limits: { lockMs: 100 } })
      writeFileSync(join(loop.gitDir, 'index.lock'), '')
      await expect(loop.tryCommit()).rejects.toMatchObject({
        name: 'VcsError',
        message: expect.stringContaining('index.lock is in the way'),
        fix: expect.stringContaining('delete that file'),
      })
      expect(loop.read('new.txt')).toBe('new\n')
    })

    it('while a merge by hand still has conflicts', async () => {
      await open()
      loop.repository.write({ 'a.txt': 'theirs\n' })
      loop.repository.git('commit', '-q', '-a', '-m', 'Theirs')
      loop.write({ 'a.txt': 'ours\n' })
      await loop.commit()
      expect(() => loop.git('merge', 'main')).toThrow()
      await expect(loop.tryCommit()).rejects.toThrow(
        /^A merge is in progress in .*, with conflicts in a\.txt\.$/,
      )
    })

    it('when it cannot be signed', async () => {
      await open()
      loop.git('config', 'commit.gpgSign', 'true')
      loop.git('config', 'gpg.program', 'false')
      await expect(loop.tryCommit()).rejects.toMatchObject({
        name: 'VcsError',
        message: expect.stringContaining('gpg failed to sign'),
      })
    })

    it('when the worktree is on another branch', async () => {
      await open()
      loop.git('switch', '-q', '-c', 'other')
      await expect(loop.tryCommit()).rejects.toMatchObject({
        message: expect.stringContaining('not on its branch'),
      })
    })

    it("with the abort signal's reason", async () => {
      await open()
      const { vcs, place } = loop
      const request = { message: 'T', attempt: '1/1', session: '1-1', iteration: 1 }
      const aborted = AbortSignal.abort(new Error('stopped by the person'))
      const committing = vcs.commit(
        place,
        { ...request, recorded: place.baseCommit, hookLimitMs: 1_000 },
        aborted,
      )
      await expect(committing).rejects.toThrow('stopped by the person')
    })
  })

  it.each([
    ['2', []],
    ['4', []],
    ['3', ['core.splitIndex=true']],
  ])(
    'includes changes that git was told to overlook, with an index of version %s %j',
    async (version, more) => {
      await open()
      const long = 'x'.repeat(150)
      loop.write({ [`deep/${long}/one.txt`]: '1\n', [`deep/${long}/two.txt`]: '2\n', short: 's\n' })
      loop.git('add', '-A')
      loop.git(...more.flatMap((setting) => ['-c', setting]), 'update-index', '--index-version', version)
      if (more.length > 0) loop.git('update-index', '--split-index')
      loop.git('commit', '-q', '-m', 'Before')
      loop.write({ 'a.txt': 'hidden change\n', 'b.txt': 'hidden too\n' })
      loop.git('update-index', '--assume-unchanged', 'a.txt')
      loop.git('update-index', '--skip-worktree', 'b.txt')
      expect(loop.git('status', '--porcelain')).toBe('')
      const done = await loop.commit()
      expect(loop.git('show', `${done.sha}:a.txt`, `${done.sha}:b.txt`)).toBe('hidden change\nhidden too')
    },
  )

  it('undoes changes that a gate hid from git', async () => {
    const { vcs, place, read, git, write } = await open()
    const done = await loop.commit()
    write({ 'a.txt': 'hidden change\n' })
    git('update-index', '--assume-unchanged', 'a.txt')
    await vcs.discard(place, done.sha)
    expect(read('a.txt')).toBe('a\n')
  })

  it("undoes a gate's commits and branch switches without moving other branches", async () => {
    const { vcs, place, read, git, write } = await open()
    const done = await loop.commit()
    git('switch', '-q', '-c', 'of-the-gate')
    write({ 'a.txt': 'by the gate\n' })
    git('commit', '-q', '-a', '-m', 'By the gate')
    const gates = git('rev-parse', 'of-the-gate')
    await vcs.discard(place, done.sha)
    expect(read('a.txt')).toBe('a\n')
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe(place.branch)
    expect([git('rev-parse', 'HEAD'), git('rev-parse', 'of-the-gate')]).toEqual([done.sha, gates])
  })

  it('contains the files of a nested repository that the developer made', async () => {
    await open()
    const nested = join(loop.path, 'nested')
    mkdirSync(join(nested, 'deep'), { recursive: true })
    gitIn(nested, 'init', '-q')
    gitIn(join(nested, 'deep'), 'init', '-q')
    writeFiles(nested, { 'n.txt': 'n\n', 'deep/d.txt': 'd\n', '.gitignore': 'out\n', out: 'x\n' })
    mkdirSync(join(loop.path, 'empty'))
    gitIn(join(loop.path, 'empty'), 'init', '-q')
    const done = await loop.commit()
    const expected = ['a.txt', 'b.txt', 'nested/.gitignore', 'nested/deep/d.txt', 'nested/n.txt', 'new.txt']
    expect(loop.filesIn(done.tree)).toEqual(expected)
    await loop.vcs.discard(loop.place, done.sha)
    expect(existsSync(join(loop.path, 'empty'))).toBe(false)
    expect(loop.read('nested/deep/d.txt')).toBe('d\n')
  })

  it.each(['ignored', 'not ignored'])(
    'leaves out files that Umpire gave to the checkout and that are %s',
    async (how) => {
      const given = { copy: ['.env', 'copied', 'o[dd*'], link: ['node_modules', 'in/side'] }
      const names = [...given.copy, ...given.link]
      const { commit, filesIn } = await open({
        needs: given,
        prepare({ write, commit }) {
          const ignored = names.map((name) => `/${name.replace(/[[*]/g, '\\$&')}\n`).join('')
          commit('Ignore them', { '.gitignore': how === 'ignored' ? ignored : '\n', 'in/a.txt': 'a\n' })
          write({
            '.env': 'x\n',
            'copied/one': '1\n',
            'o[dd*': 'x\n',
            'node_modules/a': 'a\n',
            'in/side/b': 'b\n',
          })
        },
      })
      // Files with similar names are the developer's own.
      writeFiles(loop.path, { 'in/copied/two': '2\n', 'o[dd2': 'x\n', '.env2': 'x\n' })
      const { sha } = await commit()
      expect(filesIn(sha)).toEqual([
        ...['.env2', '.gitignore', 'a.txt', 'b.txt', 'in/a.txt', 'in/copied/two', 'new.txt', 'o[dd2'],
      ])
    },
  )

  it('handles odd names, file modes, and the deletion of every file', async () => {
    await open()
    const names = ['with space', 'tab\there', 'new\nline', '-dash', 'ünï', '*glob?', ':(top)magic']
    loop.write(Object.fromEntries(names.map((name) => [name, 'x\n'])))
    chmodSync(join(loop.path, 'a.txt'), 0o755)
    const done = await loop.commit()
    const { files } = await loop.vcs.diff(loop.place, done.tree)
    expect(files.map((file) => file.path).sort()).toEqual([...names, 'a.txt', 'new.txt'].sort())
    loop.git('rm', '-q', '-r', '--', '.')
    const gone = await loop.commit({ attempt: '1/2', recorded: done.sha })
    expect(loop.git('ls-tree', gone.tree)).toBe('')
  })
})
