/** `umpire clean` removes only merged or cancelled work, and says what it keeps and why. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allRefs, checkoutState } from '../support/checkout-state.ts'
import { gitIn } from '../support/repository.ts'
import { type Bench, fileAppears, openBench } from '../support/umpire.ts'

const worktrees = ({ home }: Bench) => {
  const folder = join(home, 'worktrees')
  return existsSync(folder) ? readdirSync(folder).sort() : []
}
const branches = ({ git }: Bench) =>
  git('branch', '--list', '--format=%(refname:short)', 'umpire/*').split('\n').filter(Boolean)
const without = (refs: string[], ...names: string[]) =>
  refs.filter((ref) => !names.some((name) => ref.includes(name)))

test('removes branch and worktree of merged or cancelled tasks, and says why it keeps the others', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'broken', do: [{ exit: 7 }] },
        { task: 'running', do: [{ touch: '$BENCH/runs' }, { await: '$BENCH/go' }, { write: { x: '' } }] },
      ],
      reviewer: [
        { task: 'cancelled', do: [{ submit: { verdict: 'REJECTED' } }] },
        { task: 'blocked', do: [{ submit: { verdict: 'NEEDS_DISCUSSION' } }] },
      ],
    },
  })
  for (const title of ['merged', 'by hand', 'not merged', 'cancelled', 'blocked', 'broken', 'running'])
    await bench.add(title, ...(title === 'not merged' ? ['--no-review'] : []))
  // Refs, a worktree and a stash that do not belong to Umpire.
  bench.git('branch', 'umpire/of-the-person')
  bench.git('branch', 'feature')
  bench.git('tag', 'v1')
  bench.git('worktree', 'add', '-q', '-b', 'elsewhere', join(bench.folder, 'elsewhere'))
  bench.write({ 'README.md': 'stashed\n' })
  bench.git('stash', '-q')
  expect((await bench.umpire('work', '1', '2', '3', '4', '5', '6')).code).toBe(1)
  expect((await bench.umpire('cancel', '4')).code).toBe(0)
  expect((await bench.umpire('merge', '1')).code).toBe(0)
  bench.git('merge', '-q', '--no-edit', 'umpire/2-by-hand')
  await bench.add('not begun')
  const work = bench.start('work', '7')
  await fileAppears(join(bench.folder, 'runs'))

  const [refs, before, seq] = [allRefs(bench), checkoutState(bench), (await bench.events()).length]
  const heads = Object.fromEntries(
    ['1-merged', '2-by-hand', '4-cancelled'].map((name) => [name, bench.git('rev-parse', `umpire/${name}`)]),
  )
  const short = (name: string) => heads[name]?.slice(0, 10)
  const clean = await bench.umpire('clean')
  expect(clean).toMatchObject({ code: 0, stderr: '' })
  expect(clean.stdout.trimEnd().split('\n')).toEqual([
    `removed  umpire/1-merged (was ${short('1-merged')})`,
    `removed  umpire/2-by-hand (was ${short('2-by-hand')})`,
    'kept     umpire/3-not-merged: it is not merged into main (umpire merge 3)',
    `removed  umpire/4-cancelled (was ${short('4-cancelled')}); unmerged commits are kept as refs/umpire/kept/4-cancelled`,
    'kept     umpire/5-blocked: it is blocked',
    'kept     umpire/6-broken: it is failed',
    'kept     umpire/7-running: it is in_progress',
  ])
  expect(worktrees(bench)).toEqual(['3-not-merged', '5-blocked', '6-broken', '7-running'])
  const gone = [
    'umpire/1-merged',
    'umpire/2-by-hand',
    'umpire/4-cancelled',
    '1-merged',
    '2-by-hand',
    '4-cancelled',
  ]
  expect(without(allRefs(bench), 'refs/umpire/kept/')).toEqual(without(refs, ...gone))
  expect(bench.git('rev-parse', 'refs/umpire/kept/4-cancelled')).toBe(heads['4-cancelled'])
  expect(checkoutState(bench)).toEqual(before)
  expect(bench.git('stash', 'list')).not.toBe('')
  // It records no event either: the tasks are unchanged.
  expect(await bench.events()).toHaveLength(seq)
  expect(await bench.show(1)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })

  const after = allRefs(bench)
  const second = await bench.umpire('clean')
  expect(second.stdout).not.toContain('removed')
  expect(allRefs(bench)).toEqual(after)

  writeFileSync(join(bench.folder, 'go'), '')
  expect((await work.ended).code).toBe(0)
  expect((await bench.umpire('doctor', '--deep')).code).toBe(0)
})

test('clean --json prints the same for programs, and clean says when there is nothing to clean', async () => {
  const bench = openBench({ config: { land: 'base' } })
  expect((await bench.umpire('clean')).stdout).toBe('There is nothing to clean.\n')
  expect((await bench.umpire('clean', '--json')).json()).toEqual({ tasks: [] })
  expect(existsSync(bench.home)).toBe(false)
  await bench.add('landed')
  await bench.add('unreviewed', '--no-review')
  await bench.umpire('work')
  const was = bench.git('rev-parse', 'umpire/1-landed')
  expect((await bench.umpire('clean', '--json')).json()).toEqual({
    tasks: [
      { id: 1, branch: 'umpire/1-landed', kind: 'removed', was, kept: null },
      {
        id: 2,
        branch: 'umpire/2-unreviewed',
        kind: 'kept',
        why: 'it is not merged into main (umpire merge 2)',
      },
    ],
  })
  expect(branches(bench)).toEqual(['umpire/2-unreviewed'])
  // `show` and `log` still work after the branch is gone.
  expect((await bench.umpire('show', '1')).code).toBe(0)
  expect((await bench.umpire('log', '1')).code).toBe(0)
})

test('keeps uncommitted work of a cancelled task under a ref, and prints the ref', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [
            { write: { 'half.txt': 'half an hour of work\n' } },
            { touch: '$BENCH/runs' },
            { await: 'never' },
          ],
        },
      ],
    },
  })
  await bench.add('half done')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'runs'))
  expect((await bench.umpire('cancel', '1')).code).toBe(0)
  await work.ended
  const clean = await bench.umpire('clean')
  const ref = /are kept as (\S+)\n$/.exec(clean.stdout)?.[1] ?? ''
  expect(ref).toBe('refs/umpire/kept/1-half-done')
  expect(bench.git('show', `${ref}:half.txt`)).toBe('half an hour of work')
  expect([worktrees(bench), branches(bench)]).toEqual([[], []])
  bench.git('branch', 'back', ref)
  bench.git('switch', '-q', 'back')
  expect(readFileSync(join(bench.root, 'half.txt'), 'utf8')).toBe('half an hour of work\n')
})

test('keeps what a person touched: edits, commits, their own checkout or lock, a squash merge', async () => {
  const bench = openBench()
  const titles = ['edited', 'committed', 'checked out', 'locked', 'squashed', 'plain']
  for (const title of titles) await bench.add(title)
  expect((await bench.umpire('work')).code).toBe(0)
  expect((await bench.umpire('merge', '1', '2', '3', '4', '6')).code).toBe(0)
  const path = (name: string) => join(bench.home, 'worktrees', name)
  writeFileSync(join(path('1-edited'), 'README.md'), 'by hand\n')
  gitIn(path('2-committed'), 'commit', '-q', '--allow-empty', '-m', 'By hand')
  const own = join(bench.folder, 'own')
  bench.git('worktree', 'remove', path('3-checked-out'))
  bench.git('worktree', 'add', '-q', own, 'umpire/3-checked-out')
  bench.git('worktree', 'lock', path('4-locked'))
  bench.git('merge', '-q', '--squash', 'umpire/5-squashed')
  bench.git('commit', '-q', '-m', 'Squashed')
  const refs = allRefs(bench)
  const clean = await bench.umpire('clean')
  expect(clean.stdout.trimEnd().split('\n')).toEqual([
    `kept     umpire/1-edited: it has uncommitted changes: 1 file in ${path('1-edited')}`,
    'kept     umpire/2-committed: the branch umpire/2-committed has commits that main does not have',
    `kept     umpire/3-checked-out: the branch is checked out at ${own}`,
    `kept     umpire/4-locked: the worktree is locked (git worktree unlock ${path('4-locked')})`,
    'kept     umpire/5-squashed: it is not merged into main (umpire merge 5)',
    expect.stringMatching(/^removed {2}umpire\/6-plain \(was \w{10}\)$/),
  ])
  expect(allRefs(bench)).toEqual(without(refs, 'umpire/6-plain', '6-plain'))
  expect(readFileSync(join(path('1-edited'), 'README.md'), 'utf8')).toBe('by hand\n')

  // Once the reason is gone, clean removes the task. `merge` finds that the squashed one changes nothing.
  gitIn(path('1-edited'), 'checkout', '-q', '--', 'README.md')
  bench.git('worktree', 'unlock', path('4-locked'))
  bench.git('worktree', 'remove', own)
  expect((await bench.umpire('merge', '5')).code).toBe(0)
  await bench.umpire('clean')
  expect(branches(bench)).toEqual(['umpire/2-committed'])
})

test('removes the long transcript lines of a task, and keeps those of other tasks', async () => {
  const long = 'x'.repeat(1_200_000)
  const bench = openBench({ scenario: { developer: [{ do: [{ write: { w: '$' } }, { say: long }] }] } })
  for (const title of ['kept', 'cancelled']) await bench.add(title)
  await bench.umpire('work', '1')
  for (let id = 3; id <= 12; id++) await bench.add(`filler ${id}`)
  bench.git('reset', '-q', '--hard')
  await bench.umpire('work', '2', '12')
  const transcripts = () =>
    readdirSync(join(bench.home, 'transcripts'))
      .map((name) => name.split('-')[0])
      .sort()
  expect(transcripts()).toEqual(['1', '12', '2'])
  await bench.umpire('merge', '1')
  expect((await bench.umpire('clean')).stdout).toContain('removed  umpire/1-kept')
  // The number 12 begins with a 1, too, and must stay.
  expect(transcripts()).toEqual(['12', '2'])
  const log = await bench.umpire('log', '1')
  expect(log.code).toBe(0)
})

test('keeps a result that waits for the checkout until the base has it', async () => {
  const bench = openBench({ config: { land: 'base' } })
  bench.write({ 'README.md': 'mine\n' })
  await bench.add('waits')
  expect((await bench.umpire('work')).code).toBe(3)
  const refs = allRefs(bench)
  expect((await bench.umpire('clean')).stdout).toBe('kept     umpire/1-waits: it is blocked\n')
  expect(allRefs(bench)).toEqual(refs)
  bench.git('stash', '-q')
  bench.git('merge', '-q', '--ff-only', 'umpire/landed')
  await bench.umpire('merge', '1')
  expect((await bench.umpire('clean')).stdout).toMatch(/^removed {2}umpire\/1-waits/)
  expect(branches(bench)).toEqual([])
})

test.each([
  ['sent back', 'CHANGES_REQUESTED'],
  ['rejected', 'REJECTED'],
])('retry continues a cancelled and cleaned task from its earlier work: %s', async (title, verdict) => {
  const bench = openBench({
    scenario: {
      developer: [
        { iteration: 1, do: [{ write: { 'one.txt': '1\n' } }] },
        { do: [{ write: { 'two.txt': '2\n' } }] },
      ],
      reviewer: [{ cycle: 1, do: [{ submit: { verdict, issues: ['More.'] } }] }],
    },
  })
  await bench.add(title, '--max-cycles', '1')
  expect((await bench.umpire('work')).code).toBe(3)
  // `retry` puts the rejected task back to its review before it is cancelled.
  if (verdict === 'REJECTED') await bench.umpire('retry', '1')
  await bench.umpire('cancel', '1')
  const branch = bench.git('branch', '--list', '--format=%(refname:short)', 'umpire/1-*')
  const was = bench.git('rev-parse', branch)
  expect((await bench.umpire('clean')).stdout).toContain(`removed  ${branch}`)
  expect((await bench.umpire('retry', '1')).code).toBe(0)
  expect((await bench.umpire('edit', '1', '--max-cycles', '2')).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const files = verdict === 'REJECTED' ? 'one.txt' : 'one.txt\ntwo.txt'
  expect(bench.git('diff', '--name-only', 'main', branch)).toBe(files)
  expect(bench.git('merge-base', was, branch)).toBe(was)
})
