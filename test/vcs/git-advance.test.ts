/** Moves the base branch to a merged result, and the person's checkout with it when nothing is in the way. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Advance } from '../../src/vcs/landings.ts'
import { type FakeGit, makeFakeGit } from '../support/fake-git.ts'
import { gitIn, writeFiles, writeScript } from '../support/repository.ts'
import { until } from '../support/umpire.ts'
import { type Landing, openLanding, type Work } from './open-landing.ts'

let landing: Landing
let one: Work

beforeEach(async () => {
  landing = openLanding()
  one = await landing.work(1, { 'a.txt': 'one\n', 'new.txt': 'new\n' })
})
afterEach(() => landing.remove())

const git = (...args: string[]) => landing.repository.git(...args)
const status = () => git('status', '--porcelain', '--', '.', ':!.umpire')
const head = (revision = 'main') => git('rev-parse', revision)
const landedIs = () => git('for-each-ref', '--format=%(objectname)', 'refs/heads/umpire/landed')
const read = (file: string) => readFileSync(join(landing.repository.root, file), 'utf8')
const into = { branch: 'main' }
const advance = (from = one.place.baseCommit, to = one.head) => landing.vcs.advance(into, from, to)

describe('a clean checkout of the base', () => {
  it('moves with the base and keeps its untracked files', async () => {
    landing.repository.write({ 'notes.txt': 'mine\n' })
    expect(await advance()).toEqual({ kind: 'advanced', checkout: landing.repository.root })
    expect(head()).toBe(one.head)
    expect(status()).toBe('?? notes.txt')
    expect([read('a.txt'), read('new.txt')]).toEqual(['one\n', 'new\n'])
    expect(git('reflog', '-1', '--format=%gs')).toBe('umpire: Fast-forward')
  })

  it('does not change when the same advance runs again, also after newer commits on the base', async () => {
    await advance()
    const before = landing.state()
    expect(await advance()).toEqual({ kind: 'advanced', checkout: landing.repository.root })
    expect(landing.state()).toEqual(before)
    const later = landing.repository.commit('More', { 'b.txt': 'more\n' })
    expect(await advance()).toMatchObject({ kind: 'advanced' })
    expect(head()).toBe(later)
  })

  it('moves when it is a linked worktree, and the main checkout is left alone', async () => {
    git('switch', '-q', '-c', 'elsewhere')
    const second = join(landing.repository.folder, 'second tree')
    git('worktree', 'add', '-q', second, 'main')
    landing.repository.write({ 'a.txt': 'dirty here\n' })
    expect(await advance()).toEqual({ kind: 'advanced', checkout: second })
    expect(gitIn(second, 'status', '--porcelain')).toBe('')
    expect(readFileSync(join(second, 'new.txt'), 'utf8')).toBe('new\n')
    expect(read('a.txt')).toBe('dirty here\n')
  })

  it('runs none of its hooks', async () => {
    const mark = join(landing.repository.folder, 'hook ran')
    for (const name of ['post-merge', 'reference-transaction', 'post-checkout'])
      landing.repository.hook(name, `touch '${mark}'`)
    await advance()
    expect(existsSync(mark)).toBe(false)
    expect(head()).toBe(one.head)
  })

  it.each([
    'merge.ff=false',
    'merge.autoStash=true',
    'merge.verifySignatures=true',
    'submodule.recurse=true',
  ])('moves with the base whatever the person has configured: %s', async (setting) => {
    const [key = '', value = ''] = setting.split('=')
    git('config', key, value)
    expect(await advance()).toMatchObject({ kind: 'advanced' })
    expect(head()).toBe(one.head)
  })

  it('is completed after git was killed between writing the files and moving the branch', async () => {
    git('read-tree', '-m', '-u', 'main', one.head)
    expect(status()).not.toBe('')
    expect(await advance()).toMatchObject({ kind: 'advanced' })
    expect([head(), status()]).toEqual([one.head, ''])
  })
})

it('lets only one of two concurrent attempts move a base that is checked out', async () => {
  const { head: other } = await landing.work(2, { 'a.txt': 'two\n' })
  const answers = await Promise.all([
    advance(),
    landing.openAnother().advance(into, one.place.baseCommit, other),
  ])
  expect(answers.map(({ kind }) => kind).sort()).toEqual(['advanced', 'moved'])
  expect([head(), status()]).toEqual([answers[0]?.kind === 'advanced' ? one.head : other, ''])
})

describe('a base that is not checked out', () => {
  it('moves without touching any checkout', async () => {
    git('switch', '-q', '--detach')
    const before = landing.state()
    expect(await advance()).toEqual({ kind: 'advanced', checkout: null })
    expect(head()).toBe(one.head)
    expect({ ...landing.state(), 'refs/heads/main': before['refs/heads/main'] }).toEqual(before)
  })

  it('moves even if its ref is packed', async () => {
    git('switch', '-q', '-c', 'elsewhere')
    git('pack-refs', '--all')
    expect(await advance()).toEqual({ kind: 'advanced', checkout: null })
    expect(head()).toBe(one.head)
  })

  it('is moved by one of two concurrent attempts; the other has to merge again', async () => {
    git('switch', '-q', '-c', 'elsewhere')
    const other = git('commit-tree', `${one.head}^{tree}`, '-p', one.place.baseCommit, '-m', 'Other')
    const answers = await Promise.all([
      advance(),
      landing.openAnother().advance(into, one.place.baseCommit, other),
    ])
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['advanced', 'moved'])
    expect(head()).toBe(answers[0]?.kind === 'advanced' ? one.head : other)
  })
})

describe('a base that has moved', () => {
  it('is left where it is', async () => {
    const moved = landing.repository.commit('Meanwhile', { 'b.txt': 'more\n' })
    const before = landing.state()
    expect(await advance()).toEqual({ kind: 'moved' })
    expect(head()).toBe(moved)
    expect(landing.state()).toEqual(before)
  })

  it('is merged again until the landing succeeds', async () => {
    landing.repository.commit('Meanwhile', { 'b.txt': 'more\n' })
    expect(await landing.land(one)).toEqual({ kind: 'advanced', checkout: landing.repository.root })
    expect(landing.filesIn('main')).toContain('new.txt')
    expect([read('b.txt'), status()]).toEqual(['more\n', ''])
    expect(await landing.land(one)).toEqual({ kind: 'contained', base: head() })
  })

  it('is never moved to a commit that is not based on it; if it is gone, the error says what to do', async () => {
    await expect(advance(one.place.baseCommit, git('commit-tree', 'main^{tree}', '-m', 'x'))).rejects.toThrow(
      'is not based on',
    )
    git('switch', '-q', '-c', 'other')
    git('branch', '-q', '-D', 'main')
    await expect(advance()).rejects.toMatchObject({ name: 'VcsError', fix: expect.any(String) })
  })
})

describe('a race with the person', () => {
  let fake: FakeGit
  const slow = () => landing.openAnother(fake.env).advance(into, one.place.baseCommit, one.head)
  beforeEach(() => {
    fake = makeFakeGit(landing.repository.folder)
  })
  /** Runs shell lines between the inspection of the checkout and the fast-forward. `before` takes another git call. */
  const meanwhile = (...lines: string[]) => before('--ff-only', ...lines)
  const before = (call: string, ...lines: string[]) => {
    const once = join(landing.repository.folder, 'once')
    const root = landing.repository.root
    fake.when(call, `if mkdir ${once}; then`, `cd ${root}`, 'unset GIT_DIR', ...lines, 'fi')
  }
  /** The real git, not the stand-in that is first on the PATH. */
  const real = `PATH="\${PATH#*:}" git`

  it('reports a moved base when they commit', async () => {
    meanwhile('echo theirs >b.txt', `${real} commit -qam Theirs`)
    expect(await slow()).toEqual({ kind: 'moved' })
    expect(git('log', '-1', '--format=%s', 'main')).toBe('Theirs')
    expect(status()).toBe('')
  })

  it('waits, and keeps the edit, when they edit a file that would change', async () => {
    git('config', 'merge.autoStash', 'true')
    meanwhile('echo edited >a.txt')
    expect(await slow()).toMatchObject({ kind: 'waits', why: expect.stringContaining('a.txt') })
    expect(read('a.txt')).toBe('edited\n')
    expect([head(), landedIs()]).toEqual([one.place.baseCommit, one.head])
  })

  it('reports a moved base when they commit just before the result is stored to wait', async () => {
    landing.repository.write({ 'b.txt': 'mine\n' })
    before('update-ref', `${real} commit -qam Theirs`)
    expect(await slow()).toEqual({ kind: 'moved' })
    expect([git('log', '-1', '--format=%s', 'main'), landedIs()]).toEqual(['Theirs', ''])
  })

  it('moves only the base when they switch to another branch', async () => {
    git('branch', 'unrelated', git('commit-tree', 'main^{tree}', '-m', 'Unrelated'))
    meanwhile(`${real} switch -q unrelated`)
    expect(await slow()).toEqual({ kind: 'advanced', checkout: null })
    expect([head(), head('HEAD')]).toEqual([one.head, head('unrelated')])
  })
})

describe('a checkout in use', () => {
  const scenes: [string, () => void, RegExp][] = [
    [
      'an unstaged change',
      () => landing.repository.write({ 'b.txt': 'mine\n' }),
      /uncommitted changes: b\.txt$/,
    ],
    [
      'a staged change',
      () => {
        landing.repository.write({ 'b.txt': 'mine\n' })
        git('add', 'b.txt')
      },
      /uncommitted changes: b\.txt$/,
    ],
    ['a deleted file', () => rmSync(join(landing.repository.root, 'b.txt')), /uncommitted changes: b\.txt$/],
    [
      'an untracked file in the way',
      () => landing.repository.write({ 'new.txt': 'mine\n' }),
      /overwritten: new\.txt$/,
    ],
    [
      'an ignored file in the way',
      () => {
        writeFiles(join(landing.repository.root, '.git/info'), { exclude: 'new.txt\n' })
        landing.repository.write({ 'new.txt': 'secret\n' })
      },
      /overwritten: new\.txt$/,
    ],
    [
      'a change that git was told to overlook',
      () => {
        git('update-index', '--assume-unchanged', 'a.txt')
        landing.repository.write({ 'a.txt': 'hidden\n' })
      },
      /overwritten: a\.txt$/,
    ],
    [
      'a merge under way',
      () => {
        git('branch', 'side', git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Side'))
        git('merge', '-q', '--no-ff', '--no-commit', 'side')
      },
      /a merge is in progress/,
    ],
    [
      'a rebase of the base under way',
      () => {
        git('commit', '-q', '--allow-empty', '-m', 'To be rebased')
        expect(() => git('rebase', '-q', '-f', '-x', 'false', 'HEAD~1')).toThrow()
        git('branch', '-f', 'unused')
      },
      /a rebase is in progress/,
    ],
    [
      'a search for a bad commit under way',
      () => {
        git('bisect', 'start')
        git('checkout', '-q', '--detach')
      },
      /a bisect is in progress/,
    ],
    [
      'a lock of another git',
      () => writeFileSync(join(landing.repository.root, '.git/index.lock'), ''),
      /another git process is running in .*index\.lock/,
    ],
    [
      'a second checkout of the same branch',
      () => git('worktree', 'add', '-q', '-f', join(landing.repository.folder, 'second'), 'main'),
      /checked out twice/,
    ],
    [
      'a checkout on a disk that is not there',
      () => {
        git('switch', '-q', '-c', 'elsewhere')
        git('worktree', 'add', '-q', join(landing.repository.folder, 'second'), 'main')
        renameSync(join(landing.repository.folder, 'second'), join(landing.repository.folder, 'unmounted'))
      },
      /second does not exist .*git worktree prune/,
    ],
  ]

  it.each(scenes)('is left alone while the result waits: %s', async (_, prepare, why) => {
    prepare()
    const base = head()
    const to = git('commit-tree', `${one.head}^{tree}`, '-p', base, '-m', 'Landed')
    const before = landing.state()
    const waits = await landing.vcs.advance(into, base, to)
    expect(waits).toEqual({
      kind: 'waits',
      checkout: expect.any(String),
      branch: 'umpire/landed',
      ref: expect.stringMatching(/^refs\/umpire\/landed-for\//),
      why: expect.stringMatching(why),
    })
    const { 'refs/heads/umpire/landed': landed, ...after } = landing.state()
    expect(landed).toBeDefined()
    for (const ref of Object.keys(after).filter((path) => path.startsWith('refs/umpire/'))) delete after[ref]
    expect(after).toEqual(before)
    expect([head(), landedIs()]).toEqual([base, to])
    // Again, as after a crash.
    expect(await landing.vcs.advance(into, base, to)).toEqual(waits)
  })

  it('is reported with only its first changed files, without control characters in their names', async () => {
    const names = ['\u001b[31mred\nline.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
    const base = landing.repository.commit('Files', Object.fromEntries(names.map((name) => [name, 'x\n'])))
    landing.repository.write(Object.fromEntries(names.map((name) => [name, 'y\n'])))
    const to = git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'x')
    const waits = await landing.vcs.advance(into, base, to)
    expect(waits.kind === 'waits' && waits.why).toBe(
      `${landing.repository.root} has uncommitted changes: red line.txt, b.txt, c.txt and 2 more`,
    )
  })

  it('is left half updated, and reported, when git was killed during the fast-forward', async () => {
    const begun = join(landing.repository.folder, 'begun')
    landing.repository.commit('Filter', { '.gitattributes': '*.slow filter=slow\n' })
    one = await landing.work(3, { 'a.txt': 'three\n', 'z.slow': 'z\n' })
    const filter = join(landing.repository.folder, 'filter')
    writeScript(filter, `echo $PPID $$ >${begun}.new; mv ${begun}.new ${begun}; exec sleep 600`)
    git('config', 'filter.slow.smudge', filter)
    const left = advance().catch((error: Error) => error)
    await until(() => existsSync(begun), 'the filter')
    for (const pid of readFileSync(begun, 'utf8').trim().split(' ')) process.kill(Number(pid), 'SIGKILL')
    expect(await left).toMatchObject({ name: 'VcsError', message: expect.stringContaining('SIGKILL') })
    git('config', '--unset', 'filter.slow.smudge')

    const before = landing.state()
    const lock = join(landing.repository.root, '.git/index.lock')
    expect(await advance()).toMatchObject({
      kind: 'waits',
      why: expect.stringContaining(`killed there (${lock})`),
    })
    expect([head(), landedIs()]).toEqual([one.place.baseCommit, one.head])
    expect(landing.state()).toMatchObject(before)
    // The person removes the leftovers, and the next attempt lands the work.
    rmSync(join(landing.repository.root, '.git/index.lock'), { force: true })
    git('checkout', '-q', '--', '.')
    rmSync(join(landing.repository.root, 'z.slow'), { force: true })
    expect(await landing.land(one)).toMatchObject({ kind: 'advanced' })
    expect([head(), landedIs(), status()]).toEqual([one.head, '', ''])
  })
})

describe('waiting results', () => {
  const dirty = () => landing.repository.write({ 'b.txt': 'mine\n' })
  const tidy = () => git('checkout', '-q', '--', 'b.txt')
  const waits = (answer: unknown) => expect(answer).toMatchObject({ kind: 'waits', branch: 'umpire/landed' })

  it('gather on one branch and land together once the checkout is clean', async () => {
    const two = await landing.work(2, { 'two.txt': '2\n' })
    const three = await landing.work(3, { 'three.txt': '3\n' })
    dirty()
    waits(await landing.land(one))
    waits(await landing.land(two, [one]))
    expect(landing.filesIn('umpire/landed')).toEqual(expect.arrayContaining(['new.txt', 'two.txt']))
    tidy()
    expect(await landing.land(three, [one, two])).toMatchObject({ kind: 'advanced' })
    expect(landing.filesIn('main')).toEqual(expect.arrayContaining(['new.txt', 'two.txt', 'three.txt']))
    expect([landedIs(), git('for-each-ref', 'refs/umpire/'), status()]).toEqual(['', '', ''])
    expect(await landing.integrate(one)).toMatchObject({ kind: 'contained' })
    expect(await landing.integrate(two)).toMatchObject({ kind: 'contained' })
  })

  it('land on a retry, or when the person merges them', async () => {
    dirty()
    waits(await landing.land(one))
    waits(await landing.land(one))
    tidy()
    expect(await landing.land(one)).toMatchObject({ kind: 'advanced' })

    const two = await landing.work(2, { 'two.txt': '2\n' })
    dirty()
    waits(await landing.land(two))
    tidy()
    git('merge', '-q', '--ff-only', 'umpire/landed')
    expect(await landing.land(two)).toMatchObject({ kind: 'contained' })
    expect(landedIs()).toBe('')
  })

  it('are merged with what the person has committed since', async () => {
    const two = await landing.work(2, { 'two.txt': '2\n' })
    dirty()
    waits(await landing.land(one))
    const mine = landing.repository.commit('Mine', {})
    expect(await landing.land(two, [one])).toMatchObject({ kind: 'advanced' })
    expect(landing.filesIn('main')).toEqual(expect.arrayContaining(['new.txt', 'two.txt']))
    for (const commit of [mine, one.head, two.head]) git('merge-base', '--is-ancestor', commit, 'main')
    expect(git('log', '--merges', '--format=%s', 'main')).toBe('Merge umpire/1-task-1\nMerge umpire/2-task-2')
    expect([landedIs(), read('b.txt')]).toEqual(['', 'mine\n'])
  })

  it('are left out when they conflict with a commit of the person, and hold up no other result', async () => {
    const two = await landing.work(2, { 'two.txt': '2\n' })
    dirty()
    waits(await landing.land(one))
    const base = landing.repository.commit('Mine', { 'a.txt': 'mine\n' })
    expect(await landing.land(two, [one])).toMatchObject({ kind: 'advanced' })
    expect(landing.filesIn('main')).toContain('two.txt')
    git('merge-base', '--is-ancestor', base, 'main')
    expect(await landing.land(one)).toMatchObject({ kind: 'conflict', files: ['a.txt'] })
  })

  it('are only copied to their branch: foreign commits on it never get into the base', async () => {
    dirty()
    waits(await landing.land(one))
    const evil = git('commit-tree', `${one.head}^{tree}`, '-p', one.head, '-m', 'Nobody reviewed this')
    git('update-ref', 'refs/heads/umpire/landed', evil)
    const record = git('for-each-ref', '--format=%(refname)', 'refs/umpire/landed-for')
    const two = await landing.work(2, { 'two.txt': '2\n' })
    // The branch has a foreign commit, so Umpire no longer uses it.
    expect(await landing.land(two, [one])).toMatchObject({ kind: 'waits', branch: 'umpire/landed-main' })
    git('update-ref', record, evil)
    tidy()
    expect(await landing.land(two, [one])).toMatchObject({ kind: 'advanced' })
    expect(git('log', '--format=%s', 'main')).not.toContain('Nobody reviewed this')
  })

  it('lose their branch when one of them is withdrawn', async () => {
    dirty()
    waits(await landing.land(one))
    expect(await landing.vcs.isWaiting(one.place, one.head)).toBe(true)
    await landing.vcs.withdrawWaiting(one.place)
    expect(await landing.vcs.isWaiting(one.place, one.head)).toBe(false)
    expect([landedIs(), git('for-each-ref', 'refs/umpire/')]).toEqual(['', ''])
    await landing.vcs.withdrawWaiting(one.place)
  })

  it('are stored by only one of two concurrent attempts', async () => {
    dirty()
    const other = git('commit-tree', `${one.head}^{tree}`, '-p', one.place.baseCommit, '-m', 'Other')
    // Both read the state before either of them writes.
    const looked = new Set<string>()
    const together = (name: string) => async () => {
      looked.add(name)
      await until(() => looked.size === 2, 'the other one')
    }
    const answers = await Promise.all([
      landing.vcs.guardedBy(together('one')).advance(into, one.place.baseCommit, one.head),
      landing.openAnother().guardedBy(together('other')).advance(into, one.place.baseCommit, other),
    ])
    expect(answers.map(({ kind }: Advance) => kind).sort()).toEqual(['moved', 'waits'])
  })

  it('stay on their branch, which does not move while a worktree has it checked out', async () => {
    dirty()
    waits(await landing.land(one))
    const viewer = join(landing.repository.folder, 'viewer')
    git('worktree', 'add', '-q', viewer, 'umpire/landed')
    const two = await landing.work(2, { 'two.txt': '2\n' })
    await expect(landing.land(two)).rejects.toMatchObject({
      name: 'VcsError',
      message: expect.stringContaining(`checked out at ${viewer}`),
      fix: expect.any(String),
    })
    tidy()
    await landing.vcs.removeCheckout(two.name)
    expect(await landing.land(two, [one])).toMatchObject({ kind: 'advanced' })
    expect(gitIn(viewer, 'status', '--porcelain', '--branch')).toBe('## umpire/landed')
    git('worktree', 'remove', viewer)
    expect(await landing.land(two)).toMatchObject({ kind: 'contained' })
    expect(landedIs()).toBe('')
  })

  it('for another base wait on their own branch, and never get into this base', async () => {
    dirty()
    waits(await landing.land(one))
    git('stash', '-q')
    git('switch', '-q', '-c', 'feature/x', one.place.baseCommit)
    const two = await landing.work(2, { 'two.txt': '2\n' })
    dirty()
    expect(await landing.land(two)).toMatchObject({ kind: 'waits', branch: 'umpire/landed-feature/x' })
    expect(landing.filesIn('umpire/landed-feature/x')).not.toContain('new.txt')
    tidy()
    expect(await landing.land(two)).toMatchObject({ kind: 'advanced' })
    expect(landing.filesIn('feature/x')).not.toContain('new.txt')
    // `main` is no longer checked out, so the result that waited for it lands.
    expect(await landing.land(one)).toEqual({ kind: 'advanced', checkout: null })
    expect([head(), git('for-each-ref', 'refs/heads/umpire/landed*', 'refs/umpire')]).toEqual([one.head, ''])
  })

  it('do not touch a branch of the same name that a person made', async () => {
    git('branch', 'umpire/landed')
    dirty()
    expect(await landing.land(one)).toMatchObject({ kind: 'waits', branch: 'umpire/landed-main' })
    expect(landedIs().split('\n')[0]).toBe(one.place.baseCommit)
  })

  it('are stored again after a person deleted their branch', async () => {
    dirty()
    waits(await landing.land(one))
    git('branch', '-q', '-D', 'umpire/landed')
    git('switch', '-q', '-c', 'other')
    const two = await landing.work(2, { 'two.txt': '2\n' })
    waits(await landing.land(two))
    git('switch', '-q', 'main')
    expect(await landing.land(one)).toMatchObject({ kind: 'waits', branch: 'umpire/landed-main' })
  })
})

it('does not mistake a nested folder named like the branch for a checkout', async () => {
  mkdirSync(join(landing.repository.root, 'main'))
  expect(await advance()).toMatchObject({ kind: 'advanced' })
})
