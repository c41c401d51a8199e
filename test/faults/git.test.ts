/** A git that fails or hangs, and hooks that do: `failed: vcs` in git's words, nothing lost, and retry goes on. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFakeGit } from '../support/fake-git.ts'
import { openBench, type Shown } from '../support/umpire.ts'

const turns = ({ sessions }: Shown) => sessions.map(({ role, status }) => `${role} ${status}`)

/** A call by its words, the folder it is made in, and whether any agent has worked by then. */
const places: [string, string][] = [
  ['worktree add', ''],
  // Looking at what the developer did, staging it, committing it, reading the commit.
  ['status', ''],
  ['add', '.umpire/worktrees'],
  ['commit', ''],
  ['cat-file', '.umpire/worktrees'],
  // Comparing, and making the reviewer its clone.
  ['diff-tree', ''],
  ['merge-base', ''],
  ['reset', '.umpire/clones'],
]

test('a git that fails anywhere fails the task in its own words, and with the real one retry finishes', async () => {
  const bench = openBench({})
  // A base branch without a file of its own has to be asked for, which takes the merge base.
  bench.git('pack-refs', '--all')
  const fake = makeFakeGit(bench.folder)
  const env = { PATH: fake.env.PATH ?? '' }
  for (const [words, folder] of places) {
    const before = bench.played().length
    const id = await bench.add(`Need git ${words}`)
    fake.when(words, `case $PWD in *"${folder}"*) echo "fatal: the moon is full" >&2; exit 3;; esac`)
    const first = await bench.call(['work'], { env })
    expect(first).toMatchObject({ code: 1, stderr: '' })
    expect(`${words}: ${first.stdout}`).toContain('(exit code 3): fatal: the moon is full')
    expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'vcs', verdict: null })
    fake.when(words, ':')
    expect((await bench.umpire('retry', String(id))).code).toBe(0)
    expect(await bench.call(['work'], { env })).toMatchObject({ code: 0, stderr: '' })
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1 })
    expect(`${words}: ${turns(shown)}`).toBe(`${words}: developer done,reviewer done`)
    // Nobody was paid twice.
    expect(bench.played().length - before).toBe(2)
    expect(bench.git('rev-list', '--count', `main..${shown.branch}`)).toBe('1')
    expect(bench.git('show', `${shown.branch}:work-${id}.txt`)).toBe('iteration 1')
  }
}, 180_000)

test('a hook that hangs is ended at limits.gate, and one that refuses speaks to the developer', async () => {
  const bench = openBench({ config: { limits: { agent_retries: 0, gate: '1s' }, max_gate_failures: 2 } })
  const id = await bench.add('Be held up')
  bench.hook('pre-commit', 'echo $$ >> $BENCH/hooks', 'sleep 1000')
  expect((await bench.umpire('work')).code).toBe(3)
  const held = await bench.show(id)
  expect(held).toMatchObject({ status: 'blocked', reason: 'gate', cycle: 0 })
  expect(held.gates.at(-1)).toMatchObject({ name: 'commit hook', passed: false, timedOut: true })
  expect(readFileSync(join(bench.folder, 'hooks'), 'utf8').trim().split('\n').length).toBeGreaterThan(1)
  const paid = bench.played().length
  bench.hook(
    'pre-commit',
    'test -e $BENCH/refused && exit 0',
    'touch $BENCH/refused; echo no tabs please; exit 1',
  )
  expect((await bench.umpire('retry', String(id))).code).toBe(0)
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(shown.sessions.filter(({ prompt }) => prompt.includes('no tabs please'))).toHaveLength(1)
  expect(bench.played().length).toBe(paid + 2)
})
