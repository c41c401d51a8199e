/**
 * Obstacles between approved work and its base: conflicts, gates that fail only on the merged tree, hooks that refuse,
 * an interruption. Neither side loses anything, and the printed commands lead out of it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutState } from '../support/checkout-state.ts'
import { gitIn } from '../support/repository.ts'
import { typed } from '../support/typed.ts'
import { type Bench, fileAppears, nothingRuns, openBench, type Scenario } from '../support/umpire.ts'

const writes = (task: string, text: string, path = 'line.txt') => ({
  task,
  do: [{ write: { [path]: `${text}\n` } }],
})
const shared = { 'line.txt': 'as it was\n' }
const firstParents = ({ git }: Bench) => git('log', '--first-parent', '--format=%s', 'main').split('\n')
const scratch = ({ home }: Bench) => join(home, 'scratch')

test('a conflict leaves both sides unchanged, and the printed commands lead to a review and a merge', async () => {
  const bench = openBench({
    files: shared,
    scenario: { developer: [writes('mine', 'mine'), writes('yours', 'yours')] },
  })
  for (const title of ['mine', 'yours']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(0)
  const merge = await bench.umpire('merge', '1', '2')
  expect(merge).toMatchObject({ code: 3, stderr: '' })
  const shown = await bench.show(2)
  expect(shown).toMatchObject({ status: 'blocked', verdict: 'APPROVED', reason: 'conflict' })
  expect(shown.detail).toBe('umpire/2-yours conflicts with main: line.txt. Both branches are kept.')
  const [resolve = '', commit = '', ...rest] = shown.recovery
  expect(resolve).toBe('git -C .umpire/worktrees/2-yours merge main')
  expect(commit).toBe('git -C .umpire/worktrees/2-yours commit -a')
  expect(rest).toEqual(['umpire review 2', 'umpire merge 2', 'umpire retry 2'])
  expect(merge.stdout).toContain(`next: ${resolve}  ·  ${commit}  ·  umpire review 2  ·  umpire merge 2`)
  expect(bench.git('show', 'main:line.txt')).toBe('mine')
  expect(bench.git('show', 'umpire/2-yours:line.txt')).toBe('yours')
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  expect(existsSync(scratch(bench)) && bench.git('worktree', 'list').includes('scratch')).toBe(false)

  const worktree = join(bench.home, 'worktrees/2-yours')
  expect((await typed(bench, resolve)).output).toContain('CONFLICT (content): Merge conflict in line.txt')
  // Until the conflict is resolved, umpire review refuses, and the task does not change.
  const early = await bench.umpire('review', '2')
  expect(early.code).toBe(2)
  expect(early.stderr).toContain('The worktree of task 2 has an unfinished merge: line.txt.')
  expect(early.stderr).toContain('git -C .umpire/worktrees/2-yours commit -a')
  expect(await bench.show(2)).toMatchObject({ status: 'blocked', verdict: 'APPROVED', reason: 'conflict' })
  writeFileSync(join(worktree, 'line.txt'), 'mine and yours\n')
  expect(await typed(bench, `GIT_EDITOR=true ${commit}`)).toMatchObject({ code: 0 })
  // Umpire does not merge unreviewed changes: the approval was for another tree.
  const unreviewed = await bench.umpire('merge', '2')
  expect(unreviewed.code).toBe(2)
  expect(unreviewed.stderr).toContain('The worktree of task 2 has changes that are not approved.')
  expect(unreviewed.stderr).toContain('Have them reviewed with umpire review 2')
  expect(bench.git('show', 'main:line.txt')).toBe('mine')
  for (const command of rest.slice(0, 2))
    expect([command, (await typed(bench, command)).code]).toEqual([command, 0])
  expect(bench.git('show', 'main:line.txt')).toBe('mine and yours')
  expect(await bench.show(2)).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
  const { sessions } = await bench.show(2)
  expect(sessions.at(-1)).toMatchObject({ role: 'reviewer', status: 'done' })
  // The diff is against the current base, so the reviewer does not judge merged work again.
  expect(sessions.at(-1)?.prompt).toContain('-mine\n+mine and yours')
})

test('commits a resolved but uncommitted conflict as a merge', async () => {
  const bench = openBench({
    config: { land: 'base' },
    files: shared,
    scenario: {
      developer: [{ ...writes('mine', 'mine'), do: [...writes('mine', 'mine').do, { run: commits }] }],
    },
  })
  await bench.add('mine')
  expect((await bench.umpire('work')).code).toBe(3)
  const worktree = join(bench.home, 'worktrees/1-mine')
  await typed(bench, 'git -C .umpire/worktrees/1-mine merge main')
  const unresolved = await bench.umpire('review', '1')
  expect(unresolved.code).toBe(2)
  expect(unresolved.stderr).toContain('line.txt')
  expect(gitIn(worktree, 'log', '--format=%s', '-1')).toBe('mine')
  expect(readFileSync(join(worktree, 'line.txt'), 'utf8')).toContain('<<<<<<<')

  writeFileSync(join(worktree, 'line.txt'), 'both\n')
  gitIn(worktree, 'add', 'line.txt')
  expect(await bench.umpire('review', '1')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('show', 'main:line.txt')).toBe('both')
  expect(bench.git('log', '--format=%s', 'main')).toContain('Theirs')
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect((await bench.umpire('merge', '1')).stdout).toBe('Task 1 is already in main.\n')
})

/** Commits to the base while the developer works. */
const commits = ['sh', '-c', 'cd "$BENCH/checkout" && echo theirs > line.txt && git commit -q -a -m Theirs']

test('lands the first of four tasks that change the same line, and loses no work of the others', async () => {
  const titles = ['one', 'two', 'three', 'four']
  const meets = titles.map((title) => ({ touch: `$BENCH/at-${title}` }))
  // Each starts before any is done, so all four have the same base.
  const together = (title: string, at: number) => ({
    task: title,
    do: [
      ...writes(title, title).do,
      meets[at] ?? { say: '' },
      ...titles.map((each) => ({ await: `$BENCH/at-${each}` })),
    ],
  })
  const bench = openBench({
    config: { land: 'base', parallel: 4 },
    files: shared,
    scenario: { developer: titles.map(together) },
  })
  for (const title of titles) await bench.add(title)
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  const tasks = await Promise.all([1, 2, 3, 4].map((id) => bench.show(id)))
  expect(tasks.map(({ status, reason }) => `${status} ${reason}`).sort()).toEqual([
    ...['blocked conflict', 'blocked conflict', 'blocked conflict', 'completed null'],
  ])
  const winner = tasks.find(({ status }) => status === 'completed')
  expect(bench.git('show', 'main:line.txt')).toBe(winner?.title)
  expect(firstParents(bench)).toEqual([winner?.title, 'First commit'])
  for (const { branch, title } of tasks) expect(bench.git('show', `${branch}:line.txt`)).toBe(title)
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  const landed = (await bench.events()).filter(({ type }) => type === 'loop.landed')
  expect(landed).toHaveLength(1)
})

const notBoth: Scenario = {
  developer: [
    {
      task: 'second',
      iteration: 2,
      do: [
        { run: ['git', 'merge', '-q', '--no-edit', 'main'] },
        { run: ['git', 'rm', '-q', '-f', 'one.txt'] },
        { write: { 'two.txt': '2 alone\n' } },
      ],
    },
    writes('first', '1', 'one.txt'),
    writes('second', '2', 'two.txt'),
  ],
}

test('a gate that fails only on the merged tree leaves the base unchanged, and improve tells the developer', async () => {
  const bench = openBench({
    config: { gates: { 'not-both': 'test ! -e one.txt || test ! -e two.txt || { echo TOGETHER; exit 1; }' } },
    scenario: notBoth,
  })
  for (const title of ['first', 'second']) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(0)
  expect(await bench.umpire('merge', '1', '2')).toMatchObject({ code: 3, stderr: '' })
  const main = bench.git('rev-parse', 'main')
  expect(main).toBe(bench.git('rev-parse', 'umpire/1-first'))
  const shown = await bench.show(2)
  expect(shown).toMatchObject({ status: 'blocked', verdict: 'APPROVED', reason: 'gate' })
  expect(shown.detail).toBe('Gate not-both fails after the merge with main. main was not changed.')
  expect(shown.recovery).toEqual(['umpire show 2', 'umpire improve 2', 'umpire merge 2'])
  expect(shown.gates.at(-1)).toMatchObject({ name: 'not-both', passed: false, output: 'TOGETHER\n' })
  expect(bench.git('worktree', 'list')).not.toContain('scratch')
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')

  expect((await typed(bench, 'umpire improve 2')).code).toBe(3)
  const { prompt } = (await bench.show(2)).sessions.at(-1) ?? {}
  expect(prompt).toContain('TOGETHER')
  expect(prompt).toContain(
    'This fails once the work is merged with main. Merge main into your branch, then fix it.',
  )
  expect(await bench.show(2)).toMatchObject({ status: 'awaiting_review' })
  // The approval was for the earlier state.
  expect((await bench.umpire('merge', '2')).code).toBe(2)
  expect(bench.git('rev-parse', 'main')).toBe(main)
  expect((await bench.umpire('review', '2')).code).toBe(0)
  expect(await bench.umpire('merge', '2')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
    'README.md',
    'two.txt',
    'umpire.yaml',
  ])
})

test('runs the hooks that a person’s merge would run, and reports the output of one that refuses', async () => {
  const bench = openBench()
  const noted = ['pre-merge-commit', 'commit-msg', 'post-merge']
  for (const name of noted) bench.hook(name, `echo "${name} $PWD" >> "${bench.folder}/hooked"`)
  await bench.add('Land it')
  await bench.umpire('work')
  bench.commit('Meanwhile', { 'theirs.txt': 'theirs\n' })
  bench.hook('pre-merge-commit', 'echo "NO MERGES TODAY" >&2', 'exit 1')
  writeFileSync(join(bench.folder, 'hooked'), '')
  const [main, before] = [bench.git('rev-parse', 'main'), checkoutState(bench)]
  expect(await bench.umpire('merge', '1')).toMatchObject({ code: 3, stderr: '' })
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', verdict: 'APPROVED', reason: 'gate' })
  expect(shown.detail).toContain('A hook refused the merge into main: NO MERGES TODAY')
  expect(shown.recovery).toContain('umpire merge 1')
  expect([bench.git('rev-parse', 'main'), checkoutState(bench)]).toEqual([main, before])

  bench.hook('pre-merge-commit', `echo "pre-merge-commit $PWD" >> "${bench.folder}/hooked"`)
  bench.hook('commit-msg', 'echo "Checked-by: hook" >> "$1"')
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  expect(bench.git('log', '-1', '--format=%B', 'main')).toContain('Checked-by: hook')
  const hooked = readFileSync(join(bench.folder, 'hooked'), 'utf8').trimEnd().split('\n')
  expect(hooked[0]).toMatch(/^pre-merge-commit .*\/\.umpire\/scratch\/1-land\.\d+$/)
  expect(hooked.filter((line) => line.endsWith(bench.root))).toEqual([])
})

const held =
  'case $PWD in */scratch/*) : > "$BENCH/at-gate"; while [ ! -e "$BENCH/go" ]; do sleep 0.02; done;; esac'

test.each([
  ['work', ['work']],
  ['merge', ['merge', '1', '2']],
])(
  'Ctrl-C while umpire %s waits for a gate of the merge ends the gate, and the next run lands the work once',
  async (how, command) => {
    const bench = openBench({
      config: { land: how === 'work' ? 'base' : 'branch', parallel: 1, gates: { held } },
    })
    for (const title of ['one', 'two']) await bench.add(title)
    if (how === 'merge') expect((await bench.umpire('work')).code).toBe(0)
    const [main, before] = [bench.git('rev-parse', 'main'), checkoutState(bench)]
    const first = bench.start(...command)
    await fileAppears(join(bench.folder, 'at-gate'))
    first.kill('SIGINT')
    expect(await first.ended).toMatchObject({ code: 130, stderr: '' })
    await nothingRuns(bench)
    expect([bench.git('rev-parse', 'main'), checkoutState(bench)]).toEqual([main, before])
    expect(bench.git('worktree', 'list')).not.toContain('scratch')
    expect(await bench.show(1)).toMatchObject({ status: 'pending', verdict: 'APPROVED', landed: null })

    writeFileSync(join(bench.folder, 'go'), '')
    expect(await bench.umpire(...command)).toMatchObject({ code: 0, stderr: '' })
    const events = await bench.events()
    for (const id of [1, 2]) {
      expect(await bench.show(id)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
      expect(events.filter(({ type, task }) => type === 'loop.landed' && task === id)).toHaveLength(1)
      expect(existsSync(join(bench.root, `work-${id}.txt`))).toBe(true)
    }
    expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  },
)
