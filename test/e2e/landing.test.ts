/**
 * Approved work reaches its base through `land: base` or `umpire merge`. Umpire merges outside of every checkout, runs
 * the gates on the result, and moves the base by compare-and-swap. It also updates a clean checkout of the base.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkoutState } from '../support/checkout-state.ts'
import { gitIn } from '../support/repository.ts'
import { type Bench, fileAppears, openBench } from '../support/umpire.ts'

const noted = 'pwd >> "$BENCH/gated"'
/** Records where it runs. In the checkout of a merge it waits until the test releases it. */
const held = `case $PWD in */scratch/*) ${noted}; : > "$BENCH/at-gate"; while [ ! -e "$BENCH/go" ]; do sleep 0.02; done;; esac`

const gatedIn = ({ folder }: Bench) => readFileSync(join(folder, 'gated'), 'utf8').trimEnd().split('\n')
const typesOf = async (bench: Bench, task: number) =>
  (await bench.events()).filter((event) => event.task === task).map(({ type }) => type)
const subjects = ({ git }: Bench) => git('log', '--format=%s', '--reverse', 'main').split('\n')

async function expectGapless(bench: Bench): Promise<void> {
  const events = await bench.events()
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
}

test('land: base merges approved work and updates a clean checkout; untracked files stay', async () => {
  const bench = openBench({ config: { land: 'base', gates: { where: noted } } })
  bench.write({ 'notes.txt': 'mine\n' })
  // Hooks may be files that an agent wrote: none runs in the person's checkout.
  for (const name of ['post-merge', 'post-checkout']) bench.hook(name, `pwd >> "${bench.folder}/hooked"`)
  const id = await bench.add('Land it')
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 0, stderr: '' })
  const commit = bench.git('rev-parse', 'main')
  expect(work.stdout).toContain(
    `#1 [1/4] Merging into main…\n#1 [1/4] Merged into main as ${commit.slice(0, 10)}\n`,
  )

  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', reason: null, landed: commit })
  expect(bench.git('rev-parse', `${shown.branch}`)).toBe(commit)
  expect(readFileSync(join(bench.root, 'work-1.txt'), 'utf8')).toBe('iteration 1\n')
  expect(readFileSync(join(bench.root, 'notes.txt'), 'utf8')).toBe('mine\n')
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main\n?? notes.txt')
  expect(readFileSync(join(bench.folder, 'hooked'), 'utf8').split('\n')).not.toContain(bench.root)

  expect(gatedIn(bench)).toEqual([
    join(bench.home, 'worktrees/1-land-it'),
    expect.stringMatching(/\/\.umpire\/scratch\/1-land\.\d+$/),
  ])
  expect((await typesOf(bench, id)).slice(-6)).toEqual([
    ...[
      'review.completed',
      'loop.approved',
      'loop.landing',
      'gate.completed',
      'loop.integrated',
      'loop.landed',
    ],
  ])
  const landed = (await bench.events()).find(({ type }) => type === 'loop.landed')
  expect(landed).toMatchObject({
    task: id,
    cycle: 1,
    message: `Merged into main as ${commit.slice(0, 10)}`,
    data: {
      base: 'main',
      commit,
      tree: bench.git('rev-parse', 'main^{tree}'),
      checkout: bench.root,
      cycle: 1,
    },
  })
  await expectGapless(bench)
  expect(bench.git('worktree', 'list')).not.toContain('scratch')
})

test('moves a base that is not checked out, and does not touch the checkout of another branch', async () => {
  const bench = openBench()
  await bench.add('Land it')
  expect((await bench.umpire('work')).code).toBe(0)
  bench.git('switch', '-q', '-c', 'mine')
  bench.write({ 'README.md': 'changed\n', 'new.txt': 'new\n' })
  bench.git('add', 'README.md')
  bench.write({ 'umpire.local.yaml': '{}\n' })
  const before = checkoutState(bench)
  const merge = await bench.umpire('merge', '1')
  expect(merge).toMatchObject({ code: 0, stderr: '' })
  expect(checkoutState(bench)).toEqual(before)
  expect(bench.git('rev-parse', 'main')).toBe(bench.git('rev-parse', 'umpire/1-land-it'))
  const landed = (await bench.events()).find(({ type }) => type === 'loop.landed')
  expect(landed?.data).toMatchObject({ checkout: null })
})

test('updates the person’s own worktree when that one has the base checked out', async () => {
  const bench = openBench()
  await bench.add('Land it')
  await bench.umpire('work')
  const own = join(bench.folder, 'own')
  bench.git('switch', '-q', '-c', 'mine')
  bench.git('worktree', 'add', '-q', own, 'main')
  expect((await bench.call(['merge', '1'], { cwd: own })).code).toBe(0)
  expect(existsSync(join(own, 'work-1.txt'))).toBe(true)
  expect(gitIn(own, 'status', '--porcelain', '--branch')).toBe('## main')
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## mine')
})

test('worktree.setup, copy and link prepare the checkout of a merge, for the merged tree', async () => {
  const check = 'test "$(cat .env) $(cat deps/one) $(cat made)" = "SECRET ONE both"'
  const bench = openBench({
    config: {
      worktree: {
        setup: ['if [ -e theirs.txt ]; then echo both; else echo one; fi > made'],
        copy: ['.env'],
        link: ['deps'],
      },
      gates: { given: `case $PWD in */scratch/*) ${check};; esac` },
    },
    files: { '.gitignore': '.env\ndeps\nmade\n' },
  })
  bench.write({ '.env': 'SECRET\n', 'deps/one': 'ONE\n' })
  await bench.add('Land it')
  expect((await bench.umpire('work')).code).toBe(0)
  bench.commit('Meanwhile', { 'theirs.txt': 'theirs\n' })
  expect(await bench.umpire('merge', '1')).toMatchObject({ code: 0, stderr: '' })
  expect(bench.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
    ...['.gitignore', 'README.md', 'theirs.txt', 'umpire.yaml', 'work-1.txt'],
  ])
  expect(readFileSync(join(bench.root, 'deps/one'), 'utf8')).toBe('ONE\n')
})

test('merges and gates again when the base moves while the gates run', async () => {
  const bench = openBench({ config: { land: 'base', gates: { held } } })
  const id = await bench.add('Land it')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'at-gate'))
  const theirs = bench.commit('Meanwhile', { 'theirs.txt': 'theirs\n' })
  writeFileSync(join(bench.folder, 'go'), '')
  expect(await work.ended).toMatchObject({ code: 0, stderr: '' })
  expect(gatedIn(bench)).toHaveLength(2)
  const merged = bench.git('rev-parse', 'main')
  expect(bench.git('log', '-1', '--format=%P', 'main')).toBe(
    `${theirs} ${bench.git('rev-parse', 'umpire/1-land-it')}`,
  )
  expect(bench.git('log', '-1', '--format=%s', 'main')).toBe('Merge umpire/1-land-it: Land it')
  expect(await bench.show(id)).toMatchObject({ status: 'completed', landed: merged })
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  const gates = (await bench.events()).filter(({ type }) => type === 'gate.completed')
  const trees = ['umpire/1-land-it^{tree}', 'umpire/1-land-it^{tree}', 'main^{tree}'].map((name) =>
    bench.git('rev-parse', name),
  )
  expect(gates.map(({ data }) => data.tree)).toEqual(trees)
})

test('lands parallel tasks one after the other, each change once', async () => {
  const bench = openBench({ config: { land: 'base', parallel: 4, gates: { where: noted } } })
  const ids = [1, 2, 3, 4, 5]
  for (const id of ids) await bench.add(`task ${id}`)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  for (const id of ids) {
    expect(subjects(bench).filter((subject) => subject === `task ${id}`)).toHaveLength(1)
    expect(existsSync(join(bench.root, `work-${id}.txt`))).toBe(true)
  }
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  const landings = (await bench.events()).flatMap(({ type, data }) =>
    type === 'loop.landed' ? [data.commit] : [],
  )
  expect(landings).toHaveLength(5)
  // Each landing builds on the one before it, or is the same commit because several landed together. No landing
  // bypassed another.
  const firstParents = bench.git('rev-list', '--first-parent', '--reverse', 'main').split('\n')
  expect(firstParents.filter((sha) => landings.includes(sha))).toEqual([...new Set(landings)])
  expect(bench.git('worktree', 'list')).not.toContain('scratch')
  await expectGapless(bench)
})
