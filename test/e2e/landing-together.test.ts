/**
 * Several approved tasks land at the same time. Umpire merges them together and gates them once. It finds the task that
 * makes a gate fail and sends it back. An agent resolves conflicts, and no work is lost.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, openBench, type Scenario } from '../support/umpire.ts'

const writes = (task: string, path: string, text = task): { task: string; do: Act[] } => ({
  task,
  do: [{ write: { [path]: `${text}\n` } }],
})
const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')
const filesOf = ({ git }: Bench, branch = 'main') => git('ls-tree', '--name-only', branch).split('\n')
const statuses = async (bench: Bench, ids: number[]) =>
  Promise.all(ids.map(async (id) => (await bench.show(id)).status))

/** Runs the independent checker, which shares no code with Umpire. */
function expectEverythingHolds({ root }: Bench): void {
  const checker = resolve(import.meta.dirname, '../../checker/check.mjs')
  expect(spawnSync('node', [checker, root], { encoding: 'utf8' }).stdout).toMatch(/everything holds/)
}

/** Tasks one and two pass alone, but not together. */
const notBoth =
  'case $PWD in */scratch/*) echo run >> "$BENCH/gated";; esac; test ! -e one.txt || test ! -e two.txt'
const three: Scenario = {
  developer: [
    { task: 'two', iteration: 2, do: [{ run: ['git', 'mv', 'two.txt', 'both.txt'] }] },
    ...['one', 'two', 'three'].map((title) => writes(title, `${title}.txt`)),
  ],
}

test('merge gates several tasks together, finds the one that makes a gate fail, and lands the others', async () => {
  const bench = openBench({ config: { gates: { 'not-both': notBoth } }, scenario: three })
  for (const title of ['one', 'two', 'three']) await bench.add(title)
  expect((await bench.umpire('work', '--parallel', '3')).code).toBe(0)
  expect(await bench.umpire('merge', '1', '2', '3')).toMatchObject({ code: 3, stderr: '' })
  expect(await statuses(bench, [1, 2, 3])).toEqual(['completed', 'blocked', 'completed'])
  expect(await bench.show(2)).toMatchObject({ reason: 'gate', verdict: 'APPROVED' })
  expect(filesOf(bench)).toEqual(['README.md', 'one.txt', 'three.txt', 'umpire.yaml'])
  // All three, the first alone, the first two (which blames the second), these once more, and the remaining two.
  const runs = readFileSync(join(bench.folder, 'gated'), 'utf8').trim().split('\n')
  expect(runs.length).toBeLessThanOrEqual(5)
  const landed = [(await bench.show(1)).landed, (await bench.show(3)).landed]
  // They landed together.
  expect(landed).toEqual([bench.git('rev-parse', 'main'), bench.git('rev-parse', 'main')])
  expect(bench.git('worktree', 'list')).not.toContain('scratch')
  expectEverythingHolds(bench)
})

test('work sends the culprit back with the base merged in, and lands it once it is fixed', async () => {
  const bench = openBench({
    config: { land: 'base', parallel: 3, gates: { 'not-both': notBoth } },
    scenario: three,
  })
  await bench.add('one')
  expect((await bench.umpire('work')).code).toBe(0)
  // The base of the next tasks is the state before the first one landed.
  bench.git('branch', 'landed')
  bench.git('reset', '-q', '--hard', 'main~1')
  for (const title of ['two', 'three']) await bench.add(title)
  bench.play({
    developer: [
      {
        task: 'two',
        iteration: 1,
        do: [
          { write: { 'two.txt': 'two\n' } },
          { run: ['git', '-C', '$BENCH/checkout', 'merge', '-q', '--ff-only', 'landed'] },
        ],
      },
      ...(three.developer ?? []),
    ],
  })
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(await statuses(bench, [1, 2, 3])).toEqual(['completed', 'completed', 'completed'])
  expect(filesOf(bench)).toEqual(['README.md', 'both.txt', 'one.txt', 'three.txt', 'umpire.yaml'])
  const { sessions, cycle } = await bench.show(2)
  expect(cycle).toBe(2)
  expect(sessions.map(({ role }) => role)).toEqual(['developer', 'reviewer', 'developer', 'reviewer'])
  expect(sessions[2]?.prompt).toContain(
    'passes its gates alone. Merged with the current state of "main", it fails',
  )
  expect(bench.git('log', '--format=%s', 'umpire/2-two')).toContain('Merge main: update the branch')
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  expectEverythingHolds(bench)
})

/** Keeps the lines of both sides. */
const keepsBoth: Act = {
  run: ['sh', '-c', "grep -v '^[<=>]\\{7\\}' line.txt > kept; cat kept > line.txt; rm kept"],
}

test('lands four tasks that change the same line one after the other, with conflicts resolved and reviewed', async () => {
  const titles = ['one', 'two', 'three', 'four']
  // Each starts before any is done, so all four have the same base.
  const together = (title: string) => ({
    task: title,
    do: [
      ...writes(title, 'line.txt').do,
      { touch: `$BENCH/at-${title}` },
      ...titles.map((each) => ({ await: `$BENCH/at-${each}` })),
    ],
  })
  const bench = openBench({
    config: { land: 'base', parallel: 4 },
    files: { 'line.txt': 'as it was\n' },
    scenario: { developer: titles.map(together), resolver: [{ do: [keepsBoth] }] },
  })
  for (const title of titles) await bench.add(title)
  const work = await bench.umpire('work')
  expect(work.stderr).toBe('')
  const tasks = await Promise.all([1, 2, 3, 4].map((id) => bench.show(id)))
  const landed = tasks.filter(({ status }) => status === 'completed')
  expect({ code: work.code, landed: landed.length }).toEqual({ code: 0, landed: 4 })
  const lines = bench.git('show', 'main:line.txt').split('\n')
  expect(lines.toSorted()).toEqual(landed.map(({ title }) => title).toSorted())
  const resolved = tasks.filter(({ sessions }) => sessions.some(({ role }) => role === 'resolver'))
  expect(resolved.length).toBeGreaterThanOrEqual(3)
  for (const { sessions, reviews } of resolved) {
    const at = sessions.findIndex(({ role }) => role === 'resolver')
    expect(sessions[at]?.prompt).toContain('"line.txt"')
    expect(sessions[at + 1]).toMatchObject({ role: 'reviewer' })
    expect(sessions[at + 1]?.prompt).toContain('## This is the resolution of a merge')
    expect(reviews.length).toBeGreaterThanOrEqual(2)
  }
  expect(
    bench.played().filter(({ role, cwd }) => role === 'resolver' && !cwd.includes('/worktrees/')),
  ).toEqual([])
  expect(bench.git('status', '--porcelain', '--branch')).toBe('## main')
  expect(existsSync(join(bench.home, 'scratch')) && bench.git('worktree', 'list').includes('scratch')).toBe(
    false,
  )
  expectEverythingHolds(bench)
})

test('roles.resolver resolves a conflict; after two failed resolvers a person decides, and the branch stays as approved', async () => {
  const bench = openBench({
    config: {
      land: 'base',
      agents: { settler: { command: ['node', actor] } },
      roles: {
        developer: 'actor',
        reviewer: 'actor',
        resolver: { agent: 'settler', model: 'm', args: ['--calm'], env: { SETTLES: 'yes' } },
      },
    },
    files: { 'line.txt': 'as it was\n' },
    scenario: {
      developer: [
        {
          task: 'mine',
          do: [
            { write: { 'line.txt': 'mine\n' } },
            {
              run: [
                'sh',
                '-c',
                'cd "$BENCH/checkout" && echo theirs > line.txt && git commit -q -a -m Theirs',
              ],
            },
          ],
        },
      ],
      resolver: [
        {
          do: [
            { write: { 'notes.txt': 'what I thought\n' } },
            { run: ['sh', '-c', 'echo "$SETTLES $UMPIRE_ROLE $(tr "\\0" " " < /proc/$PPID/cmdline)"'] },
          ],
        },
      ],
    },
  })
  await bench.add('mine')
  const tried = await bench.umpire('work')
  expect(tried).toMatchObject({ code: 3, stderr: '' })
  for (const line of [
    'Conflicts with main in line.txt. Merging that branch into the work first.',
    'Not resolved: The resolver left conflict markers in line.txt.',
    'The merge was abandoned. The work is as it was before.',
  ])
    expect(tried.stdout).toContain(`#1 [1/4] ${line}\n`)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'conflict', verdict: 'APPROVED', cycle: 1 })
  const resolvers = shown.sessions.filter(({ role }) => role === 'resolver')
  expect(resolvers.map(({ agent, model }) => `${agent} ${model}`)).toEqual(['settler m', 'settler m'])
  const ran = bench.played().find(({ role, stdout }) => role === 'resolver' && stdout !== undefined)
  expect(ran?.stdout).toMatch(/^yes resolver .* --calm/)
  expect(shown.sessions.at(-1)?.prompt).toContain('The resolver left conflict markers in line.txt.')
  expect(bench.git('show', `${shown.branch}:line.txt`)).toBe('mine')
  expect(bench.git('show', 'main:line.txt')).toBe('theirs')
  expect(bench.git('-C', join(bench.home, 'worktrees/1-mine'), 'status', '--porcelain')).toBe('')
  // Once a resolver can do it, a retry is enough to continue.
  bench.play({ resolver: [{ do: [keepsBoth] }] })
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.git('show', 'main:line.txt').split('\n').toSorted()).toEqual(['mine', 'theirs'])
  expectEverythingHolds(bench)
})

test('collects a group on its own branch; merge brings that into the base, and clean keeps work that is nowhere else', async () => {
  const bench = openBench({ config: { parallel: 3, gates: { there: 'test -e README.md' } } })
  await bench.add('a', '--group', '1')
  await bench.add('b', '--group', '1', '--no-review')
  await bench.add('c', '--group', '2')
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 0, stderr: '' })
  expect(work.stdout).toContain('umpire merge 3 2 merges umpire/run-1/group-2 and the earlier groups (1).\n')
  expect((await bench.umpire('status')).stdout.match(/ {2}on umpire\/run-1\/group-\d/g)).toHaveLength(3)
  const [one = '', two = ''] = bench
    .git('branch', '--list', 'umpire/run-*', '--format=%(refname:short)')
    .split('\n')
  expect([one, two]).toEqual(['umpire/run-1/group-1', 'umpire/run-1/group-2'])
  expect(filesOf(bench, one)).toEqual(['README.md', 'umpire.yaml', 'work-1.txt', 'work-2.txt'])
  expect(filesOf(bench, two)).toContain('work-3.txt')
  expect(filesOf(bench)).toEqual(['README.md', 'umpire.yaml'])
  expect(await bench.show(2)).toMatchObject({ status: 'completed', verdict: null })
  expectEverythingHolds(bench)
  // The work is only on its group's branch, so clean must remove nothing.
  expect((await bench.umpire('clean')).stdout).not.toContain('removed')

  expect(await bench.umpire('merge', '1', '2', '3')).toMatchObject({ code: 0, stderr: '' })
  expect(filesOf(bench)).toEqual(filesOf(bench, two))
  expect((await bench.umpire('merge', '1')).stdout).toBe('Task 1 is already in main.\n')
  expectEverythingHolds(bench)
  expect((await bench.umpire('clean')).stdout.match(/^removed/gm)).toHaveLength(5)
})
