/** Repositories and checkouts as people really have them, and the messages when Umpire can't work in one. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitIn } from '../support/repository.ts'
import { type Bench, openBench, type Ran } from '../support/umpire.ts'

const everyCommand = [
  ...[['add', 'X'], ['list'], ['edit', '1', '--title', 'X'], ['delete', '1'], ['work'], ['status']],
  ...[
    ['show', '1'],
    ['log', '1'],
    ['diff', '1'],
    ['reviews', '1'],
    ['retry', '1'],
    ['cancel', '1'],
    ['events'],
    ['config'],
    ['init', '--yes'],
  ],
]

function expectRefusal(ran: Ran, words: RegExp): void {
  expect(ran.stderr).toMatch(words)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
}

/** Runs `umpire work` and returns the detail of the task, which must have failed because of git. */
async function failedWork(bench: Bench): Promise<string> {
  const work = await bench.umpire('work')
  expect(work.code).toBe(1)
  expect(work.stderr).not.toMatch(/^\s+at /m)
  const { tasks } = (await bench.umpire('status', '--json')).json<{
    tasks: { reason: string; detail: string }[]
  }>()
  expect(tasks.at(-1)).toMatchObject({ status: 'failed', reason: 'vcs', verdict: null })
  return tasks.at(-1)?.detail ?? ''
}

test('commands say when there is no repository, only a bare one, or no git', async () => {
  const bench = openBench()
  const bare = join(bench.folder, 'bare.git')
  gitIn(bench.folder, 'clone', '-q', '--bare', bench.root, bare)
  const nogit = join(bench.folder, 'no-git')
  mkdirSync(nogit)
  for (const args of everyCommand) {
    expectRefusal(
      await bench.call(args, { cwd: nogit }),
      /is not in a git repository\.\nChange to your repository/,
    )
  }
  for (const args of [['add', 'X'], ['status'], ['work'], ['config'], ['init', '--yes']]) {
    expectRefusal(await bench.call(args, { cwd: bare }), /This is a bare repository/)
    expectRefusal(await bench.call(args, { cwd: join(bench.root, '.git') }), /not in a checkout/)
    expectRefusal(await bench.call(args, { env: { PATH: nogit } }), /git is not on the PATH\.\nInstall git/)
  }
  expect(existsSync(join(nogit, '.umpire'))).toBe(false)
  expect(existsSync(bench.home)).toBe(false)
})

test('accepts tasks in a repository without commits, and work says what is missing', async () => {
  const bench = openBench()
  const fresh = join(bench.folder, 'fresh')
  gitIn(bench.folder, 'init', '-q', fresh)
  const call = (...args: string[]) => bench.call(args, { cwd: fresh })
  gitIn(
    fresh,
    '--work-tree=.',
    '--git-dir',
    join(bench.root, '.git'),
    'checkout',
    'main',
    '--',
    'umpire.yaml',
  )
  expect((await call('add', 'X')).stdout).toBe('#1\n')
  const work = await call('work')
  expectRefusal(work, /The checked-out branch has no commits yet/)
  gitIn(fresh, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'Start')
  expect((await call('work')).code).toBe(0)
})

test('refuses a detached HEAD before it claims a task; a taken branch name fails the task, and retry recovers', async () => {
  const bench = openBench()
  await bench.add('Needs a branch')
  bench.git('checkout', '-q', '--detach')
  expectRefusal(await bench.umpire('work'), /HEAD is detached at [0-9a-f]{10}[\s\S]* git switch BRANCH/)
  bench.git('switch', '-q', 'main')
  bench.git('branch', 'umpire/1-needs-a-branch')
  expect(await failedWork(bench)).toContain('A branch umpire/1-needs-a-branch already exists. Rename it')
  bench.git('branch', '-m', 'umpire/1-needs-a-branch', 'umpire')
  await bench.umpire('retry', '1')
  expect(await failedWork(bench)).toContain("Git can't create the branch umpire/1-needs-a-branch")
  bench.git('branch', '-D', 'umpire')
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', branch: 'umpire/1-needs-a-branch' })
})

const rejectTwice = { reviewer: [{ cycle: 1, do: [{ say: 'FEEDBACK: more' }] }] }

test('keeps the work when the worktree is deleted by hand, or the base moves or disappears', async () => {
  const bench = openBench({ scenario: rejectTwice })
  bench.git('checkout', '-q', '-b', 'topic')
  for (const title of ['Deleted', 'Moved', 'Gone']) await bench.add(title, '--max-cycles', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  const worktree = join(bench.home, 'worktrees/1-deleted')
  expect(existsSync(join(worktree, 'work-1.txt'))).toBe(true)
  rmSync(worktree, { recursive: true })
  bench.write({ 'meanwhile.txt': 'other work\n' })
  bench.git('add', 'meanwhile.txt')
  bench.git('commit', '-q', '-m', 'Meanwhile')
  const moved = bench.git('rev-parse', 'HEAD')
  const goOn = async (id: string) => {
    await bench.umpire('edit', id, '--max-cycles', '2')
    await bench.umpire('retry', id)
    return (await bench.umpire('work')).code
  }
  expect(await goOn('1')).toBe(0)
  expect(await goOn('2')).toBe(0)
  bench.git('checkout', '-q', 'main')
  bench.git('branch', '-D', 'topic')
  expect(await goOn('3')).toBe(0)
  for (const id of [1, 2, 3]) {
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2, base: 'topic' })
    expect(bench.git('show', `${shown.branch}:work-${id}.txt`)).toBe('iteration 2')
    // The reviewer judges only the task's own work, not new commits on the base.
    const { prompt } = shown.sessions.at(-1) ?? { prompt: '' }
    expect(prompt).toContain(`work-${id}.txt`)
    expect(prompt).not.toContain('meanwhile.txt')
    const diff = (await bench.umpire('diff', String(id))).stdout
    expect(diff).toContain(`+++ b/work-${id}.txt`)
    expect(diff).not.toContain('meanwhile.txt')
  }
  expect(bench.git('branch', '--contains', moved)).toBe('')
})

test('a subfolder and a linked worktree see the same tasks, and work started there uses their branch as base', async () => {
  const bench = openBench()
  bench.commit('A folder', { 'src/deep/a.txt': '' })
  const linked = join(bench.folder, 'linked')
  bench.git('worktree', 'add', '-q', '-b', 'side', linked)
  const deep = join(bench.root, 'src/deep')
  expect((await bench.call(['add', 'From a subfolder'], { cwd: deep })).stdout).toBe('#1\n')
  expect((await bench.call(['add', 'From a linked worktree'], { cwd: linked })).stdout).toBe('#2\n')
  expect((await bench.call(['work', '1'], { cwd: deep })).code).toBe(0)
  expect((await bench.call(['work', '2'], { cwd: linked })).code).toBe(0)
  expect((await bench.show(1)).base).toBe('main')
  expect((await bench.show(2)).base).toBe('side')
  const status = (await bench.umpire('status')).stdout
  for (const cwd of [deep, linked]) expect((await bench.call(['status'], { cwd })).stdout).toBe(status)
  const reviews = (await bench.call(['reviews', '1'], { cwd: deep })).stdout
  expect(reviews).toContain('../../.umpire/reviews/')
  expect(existsSync(join(linked, '.umpire'))).toBe(false)
  expect(gitIn(linked, 'status', '--porcelain')).toBe('')
  expect(bench.git('status', '--porcelain')).toBe('')
})

test('leaves the person’s checkout, index and stash unchanged, whatever state they are in', async () => {
  const bench = openBench({ files: { 'a.txt': 'one\n' } })
  bench.write({ 'a.txt': 'stashed\n' })
  bench.git('stash')
  bench.write({ 'a.txt': 'staged\n' })
  bench.git('add', 'a.txt')
  bench.write({ 'a.txt': 'unstaged\n', 'new.txt': 'untracked\n' })
  const state = () =>
    [
      ...[
        ['status', '--porcelain'],
        ['diff'],
        ['diff', '--cached'],
        ['stash', 'list'],
        ['rev-parse', 'HEAD'],
      ],
      ...[
        ['config', '--list', '--local'],
        ['symbolic-ref', 'HEAD'],
      ],
    ].map((args) => bench.git(...args))
  const before = state()
  await bench.add('Beside it')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(state()).toEqual(before)
  expect(bench.git('show', 'umpire/1-beside-it:a.txt')).toBe('one')
})
