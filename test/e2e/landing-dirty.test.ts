/**
 * The person's checkout of the base is in use: Umpire touches nothing in it, the result waits on its own branch, and
 * the printed commands finish the landing.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutState } from '../support/checkout-state.ts'
import { gitIn } from '../support/repository.ts'
import { typed } from '../support/typed.ts'
import { type Bench, openBench } from '../support/umpire.ts'

const lands = { config: { land: 'base' } }
const landedBranch = ({ git }: Bench) =>
  git('branch', '--list', '--format=%(refname:short)', 'umpire/landed*')

/** What is in the way, how it got there, how the person makes room, and which of their files must survive. */
const dirt: [string, (bench: Bench) => void, string, string][] = [
  [
    'changes that are not staged',
    ({ write }) => write({ 'README.md': 'not staged\n' }),
    'git stash -q',
    'README.md',
  ],
  [
    'changes that are staged',
    ({ write, git }) => {
      write({ 'mine.txt': 'staged\n', 'README.md': 'staged\n' })
      git('add', '-A')
      write({ 'mine.txt': 'and more\n' })
    },
    'git commit -q -a -m Mine',
    'mine.txt',
  ],
  [
    'an untracked file of the same name',
    ({ write }) => write({ 'work-1.txt': 'precious\n' }),
    'mv work-1.txt kept.txt',
    'kept.txt',
  ],
]

test.each(dirt)(
  'does not touch a checkout with %s, and the printed commands finish the landing',
  async (_, soil, makeRoom, file) => {
    const bench = openBench(lands)
    soil(bench)
    const before = checkoutState(bench)
    const main = bench.git('rev-parse', 'main')
    await bench.add('Land it')
    const work = await bench.umpire('work')
    expect(work).toMatchObject({ code: 3, stderr: '' })
    expect(checkoutState(bench)).toEqual(before)
    expect(bench.git('rev-parse', 'main')).toBe(main)
    expect(bench.git('rev-parse', 'umpire/landed')).toBe(bench.git('rev-parse', 'umpire/1-land-it'))

    const shown = await bench.show(1)
    expect(shown).toMatchObject({
      status: 'blocked',
      verdict: 'APPROVED',
      reason: 'checkout_dirty',
      landed: null,
    })
    expect(shown.detail).toMatch(/^The merged result waits on umpire\/landed, because main is checked out: /)
    const ref = bench.git('for-each-ref', '--format=%(refname)', 'refs/umpire/landed-for')
    expect(bench.git('rev-parse', ref)).toBe(bench.git('rev-parse', 'umpire/landed'))
    const finish = `git -C ${bench.root} merge --ff-only ${ref}`
    expect(shown.recovery).toEqual([finish, 'umpire merge 1'])
    expect(work.stdout).toContain(`next: ${finish}`)
    const blocked = (await bench.events()).find(({ type }) => type === 'loop.blocked')
    expect(blocked?.data).toMatchObject({ reason: 'checkout_dirty', recovery: shown.recovery })

    // A second merge without any change in between has the same result.
    expect((await bench.umpire('merge', '1')).code).toBe(3)
    expect(checkoutState(bench)).toEqual(before)
    expect(landedBranch(bench)).toBe('umpire/landed')

    expect(await typed(bench, makeRoom)).toEqual({ code: 0, output: '' })
    // The person's own commit rules out a fast-forward; the next command merges.
    const ownCommit = makeRoom.startsWith('git commit')
    expect((await typed(bench, finish)).code === 0).toBe(!ownCommit)
    const merge = await typed(bench, shown.recovery[1] ?? '')
    expect(merge).toMatchObject({ code: 0 })
    expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED', recovery: [] })
    expect(readFileSync(join(bench.root, 'work-1.txt'), 'utf8')).toBe('iteration 1\n')
    expect(landedBranch(bench)).toBe('')
    if (makeRoom.startsWith('git stash')) bench.git('stash', 'pop', '-q')
    expect(existsSync(join(bench.root, file))).toBe(true)
    expect(
      bench
        .git('log', '--format=%s', 'main')
        .split('\n')
        .filter((line) => line === 'Land it'),
    ).toHaveLength(1)
  },
)

test('several tasks wait for the checkout together, and no work is lost', async () => {
  const bench = openBench(lands)
  bench.write({ 'README.md': 'mine\n' })
  const before = checkoutState(bench)
  for (const title of ['one', 'two', 'three']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  expect(checkoutState(bench)).toEqual(before)
  for (const id of [1, 2, 3])
    expect(await bench.show(id)).toMatchObject({ status: 'blocked', reason: 'checkout_dirty' })
  expect(bench.git('ls-tree', '--name-only', 'umpire/landed').split('\n')).toEqual([
    ...['README.md', 'umpire.yaml', 'work-1.txt', 'work-2.txt', 'work-3.txt'],
  ])
  // Once the checkout is clean, the next merge lands each task, even without the printed command.
  bench.git('stash', '-q')
  expect(await bench.umpire('merge', '2', '1', '3')).toMatchObject({ code: 0, stderr: '' })
  const subjects = bench.git('log', '--format=%s', 'main').split('\n')
  for (const title of ['one', 'two', 'three'])
    expect(subjects.filter((subject) => subject === title)).toHaveLength(1)
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  expect(landedBranch(bench)).toBe('')
  bench.git('stash', 'pop', '-q')
  expect(readFileSync(join(bench.root, 'README.md'), 'utf8')).toBe('mine\n')
})

test('the command printed for the last task brings in all of them, and merge then only records that', async () => {
  const bench = openBench(lands)
  bench.write({ 'README.md': 'mine\n' })
  for (const title of ['one', 'two']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  const { recovery } = await bench.show(2)
  bench.git('stash', '-q')
  expect((await typed(bench, recovery[0] ?? '')).code).toBe(0)
  const main = bench.git('rev-parse', 'main')
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('rev-parse', 'main')).toBe(main)
  for (const id of [1, 2]) {
    const { status, verdict, landed } = await bench.show(id)
    expect([status, verdict]).toEqual(['completed', 'APPROVED'])
    expect(bench.git('branch', '--contains', landed ?? '')).toContain('main')
  }
})

test.each([
  ['rejected by the person', ['edit', '1', '--verdict', 'REJECTED']],
  ['cancelled', ['cancel', '1']],
])('waiting work that is %s lands neither by the printed command nor with another task', async (_, move) => {
  const bench = openBench(lands)
  bench.write({ 'README.md': 'mine\n' })
  for (const title of ['one', 'two']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(3)
  const [finish = '', merge = ''] = (await bench.show(2)).recovery
  expect((await bench.umpire(...move)).code).toBe(0)
  bench.git('stash', '-q')
  expect((await typed(bench, finish)).code).not.toBe(0)
  expect(existsSync(join(bench.root, 'work-1.txt'))).toBe(false)
  expect(await typed(bench, merge)).toMatchObject({ code: 0 })
  expect(bench.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
    'README.md',
    'umpire.yaml',
    'work-2.txt',
  ])
  expect(landedBranch(bench)).toBe('')
  // The work is only out of the way, not lost.
  expect(bench.git('show', 'umpire/1-one:work-1.txt')).toBe('iteration 1')
})

test('after a retry, the next run lands the work', async () => {
  const bench = openBench(lands)
  bench.write({ 'README.md': 'mine\n' })
  await bench.add('Land it')
  expect((await bench.umpire('work')).code).toBe(3)
  bench.git('checkout', '-q', '--', 'README.md')
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(await bench.show(1)).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    iteration: 1,
    cycle: 1,
  })
  expect(existsSync(join(bench.root, 'work-1.txt'))).toBe(true)
  expect(bench.played()).toHaveLength(2)
})

test('does not land commits made on the branch since its approval', async () => {
  const bench = openBench(lands)
  bench.write({ 'README.md': 'mine\n' })
  await bench.add('Land it')
  expect((await bench.umpire('work')).code).toBe(3)
  bench.git('checkout', '-q', '--', 'README.md')
  const main = bench.git('rev-parse', 'main')
  gitIn(join(bench.home, 'worktrees/1-land-it'), 'commit', '-q', '--allow-empty', '-m', 'Unreviewed')
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect((await bench.umpire('work')).code).toBe(1)
  const { status, reason, detail } = await bench.show(1)
  expect([status, reason]).toEqual(['failed', 'vcs'])
  expect(detail).toContain('The branch umpire/1-land-it is at ')
  expect(detail).toContain('Have its current state reviewed (umpire review 1)')
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect((await bench.umpire('review', '1')).code).toBe(0)
  expect(bench.git('log', '-1', '--format=%s', 'main')).toBe('Unreviewed')
})

test('does not disturb a merge that the person has in progress in the checkout', async () => {
  const bench = openBench(lands)
  await bench.add('Land it')
  bench.git('branch', 'theirs')
  bench.commit('Mine', { 'README.md': 'mine\n' })
  bench.git('switch', '-q', 'theirs')
  bench.commit('Theirs', { 'README.md': 'theirs\n' })
  bench.git('switch', '-q', 'main')
  expect(() => bench.git('merge', '-q', 'theirs')).toThrow()
  const before = checkoutState(bench)
  expect((await bench.umpire('work')).code).toBe(3)
  expect(checkoutState(bench)).toEqual(before)
  expect((await bench.show(1)).detail).toContain('a merge is in progress in')
  bench.write({ 'README.md': 'both\n' })
  bench.git('commit', '-q', '-a', '--no-edit')
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(bench.git('log', '--format=%s', 'main')).toContain('Mine')
  expect(bench.git('log', '--format=%s', 'main')).toContain('Theirs')
  expect(existsSync(join(bench.root, 'work-1.txt'))).toBe(true)
})

test('prints a path with quotes and spaces so that a shell accepts it', async () => {
  const bench = openBench()
  await bench.add('Land it')
  await bench.umpire('work')
  const own = join(bench.folder, "an odd 'own'")
  bench.git('switch', '-q', '-c', 'mine')
  bench.git('worktree', 'add', '-q', own, 'main')
  rmSync(join(own, 'README.md'))
  expect((await bench.umpire('merge', '1')).code).toBe(3)
  const [finish = ''] = (await bench.show(1)).recovery
  expect(existsSync(join(own, 'work-1.txt'))).toBe(false)
  expect(await typed(bench, finish)).toMatchObject({ code: 0 })
  expect(existsSync(join(own, 'work-1.txt'))).toBe(true)
  expect(existsSync(join(own, 'README.md'))).toBe(false)
})
