/** Results of gates and hooks go back to the developer as facts, cost no review, and leave nothing behind. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, isRunning, openBench, type Part, type Shown } from '../support/umpire.ts'

const roles = ({ sessions }: Shown) => sessions.map(({ role }) => role)

/** The gate of these tests runs a file that the developer wrote. */
const gates = { test: 'sh ./check' }
const writesCheck = (task: string, iteration: number, check: string): Part => ({
  task,
  iteration,
  do: [{ write: { check: `${check}\n` } }],
})

test('a failing gate goes back to the developer with its output and costs no review', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        writesCheck('mends it', 1, 'echo "expected 4, got 5" >&2; exit 3'),
        writesCheck('mends it', 2, 'true'),
        writesCheck('a flake', 1, '[ -e "$BENCH/flaked" ] || { touch "$BENCH/flaked"; exit 1; }'),
        { task: 'a flake', do: [{ say: 'I see nothing wrong.' }] },
        writesCheck('changes nothing', 1, 'exit 1'),
        { task: 'changes nothing', do: [] },
        writesCheck('never passes', 1, 'exit 1 # one'),
        writesCheck('never passes', 2, 'exit 1 # two'),
      ],
    },
    config: { gates, max_gate_failures: 2 },
  })
  for (const title of ['mends it', 'a flake', 'changes nothing', 'never passes']) await bench.add(title)
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)

  const mended = await bench.show(1)
  expect(mended).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    cycle: 1,
    iteration: 2,
    revisionAttempts: 0,
  })
  expect(roles(mended)).toEqual(['developer', 'developer', 'reviewer'])
  expect(mended.gates).toMatchObject([
    { name: 'test', command: 'sh ./check', passed: false, exitCode: 3, output: 'expected 4, got 5\n' },
    { name: 'test', passed: true, exitCode: 0, tree: mended.reviews[0]?.tree },
  ])
  expect(mended.sessions[1]?.prompt).toContain('A gate failed')
  expect(mended.sessions[1]?.prompt).toContain('expected 4, got 5')
  const subjects = bench.git('log', '--format=%s', `main..${mended.branch}`).split('\n')
  expect(subjects).toEqual(['Fix failing gate test', 'mends it'])

  const flaked = await bench.show(2)
  expect(flaked).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1, iteration: 2 })
  expect(flaked.gates.map(({ passed }) => passed)).toEqual([false, true])

  const stalled = await bench.show(3)
  expect(stalled).toMatchObject({ status: 'blocked', reason: 'stalled', cycle: 0 })
  expect(roles(stalled)).toEqual(['developer', 'developer'])
  expect(stalled.gates.map(({ passed }) => passed)).toEqual([false, false])

  const blocked = await bench.show(4)
  expect(blocked).toMatchObject({ status: 'blocked', reason: 'gate', verdict: null, cycle: 0, iteration: 2 })
  expect(roles(blocked)).toEqual(['developer', 'developer'])
  expect(work.stdout).toContain('Gate test failed 2 times in a row')
  expect(bench.git('show', `${blocked.branch}:check`)).toBe('exit 1 # two')
})

test('ends a hanging gate at its time limit, together with every process that it started', async () => {
  const check = 'echo begun; (trap "" TERM; setsid sleep 100000) & echo $! > "$BENCH/left"; sleep 100000'
  const bench = openBench({
    scenario: { developer: [writesCheck('hangs', 1, check)] },
    config: { gates, max_gate_failures: 1, limits: { gate: '1s', agent_retries: 0 } },
  })
  const id = await bench.add('hangs')
  expect((await bench.umpire('work')).code).toBe(3)
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'blocked', reason: 'gate', cycle: 0 })
  expect(shown.gates).toMatchObject([{ passed: false, exitCode: null, timedOut: true, output: 'begun\n' }])
  const pid = readFileSync(join(bench.folder, 'left'), 'utf8').trim()
  expect(isRunning(pid)).toBe(false)
})

test('discards files that a gate leaves behind, keeps ignored ones, and keeps both ends of a long output', async () => {
  const litter =
    'echo x > junk.txt; echo x >> README.md; mkdir -p build; echo x > build/out; git commit -qam gate'
  const noise = 'echo the beginning; yes "a line like any other" | head -c 5000000; echo the end; exit 1'
  const bench = openBench({
    scenario: { developer: [writesCheck('litters', 1, litter), writesCheck('shouts', 1, noise)] },
    config: { gates },
    files: { '.gitignore': 'build/\n' },
  })
  const litters = await bench.add('litters')
  const shouts = await bench.add('shouts')
  bench.play({
    developer: [
      writesCheck('litters', 1, litter),
      writesCheck('shouts', 1, noise),
      writesCheck('shouts', 2, 'true'),
    ],
  })
  expect((await bench.umpire('work')).code).toBe(0)

  const { branch, reviews } = await bench.show(litters)
  const worktree = join(bench.home, 'worktrees/1-litters')
  expect(bench.git('diff', '--name-only', 'main', branch ?? '')).toBe('check')
  expect(bench.git('rev-parse', `${branch}^{tree}`)).toBe(reviews[0]?.tree)
  expect(bench.git('-C', worktree, 'status', '--porcelain')).toBe('')
  expect(existsSync(join(worktree, 'junk.txt'))).toBe(false)
  expect(existsSync(join(worktree, 'build/out'))).toBe(true)

  const shown = await bench.show(shouts)
  const output = shown.gates[0]?.output ?? ''
  expect(output.length).toBeLessThan(200_000)
  expect(output.startsWith('the beginning\n')).toBe(true)
  expect(output).toMatch(/the end\n$/)
  const prompt = shown.sessions[1]?.prompt ?? ''
  expect(prompt.length).toBeLessThan(50_000)
  expect(prompt).toContain('the beginning')
  expect(prompt).toContain('the end')
})

test('gates and reviews a manual fix in the worktree of a blocked task as part of the work', async () => {
  const bench = openBench({
    scenario: { developer: [writesCheck('almost', 1, 'exit 1')] },
    config: { gates, max_gate_failures: 1 },
  })
  const id = await bench.add('almost')
  expect((await bench.umpire('work')).code).toBe(3)
  writeFileSync(join(bench.home, 'worktrees/1-almost/check'), 'true # by hand\n')
  await bench.umpire('retry', String(id))
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(id)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED', iteration: 1 })
  expect(roles(shown)).toEqual(['developer', 'reviewer'])
  expect(bench.git('show', `${shown.branch}:check`)).toBe('true # by hand')
  expect(bench.git('rev-parse', `${shown.branch}^{tree}`)).toBe(shown.reviews[0]?.tree)
  expect(shown.gates.at(-1)).toMatchObject({ passed: true, tree: shown.reviews[0]?.tree })
})

test('runs a gate again from the committed tree after Umpire was killed during it', async () => {
  const check = '[ ! -e junk ] || exit 1; touch junk "$BENCH/gating"; [ -e "$BENCH/go" ] || sleep 100000'
  const bench = openBench({ scenario: { developer: [writesCheck('cut off', 1, check)] }, config: { gates } })
  const id = await bench.add('cut off')
  const killed = bench.start('work')
  await fileAppears(join(bench.folder, 'gating'))
  killed.kill('SIGKILL')
  await killed.ended
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(id)
  expect(shown.gates).toMatchObject([{ passed: true }])
  expect(roles(shown)).toEqual(['developer', 'reviewer'])
})

test('treats a commit that a hook refuses as a failed gate: tells the developer, limits the retries, and loses nothing', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          task: 'obeys',
          iteration: 2,
          do: [{ run: ['rm', 'bad.txt'] }, { write: { 'good.txt': 'good\n' } }],
        },
        { do: [{ write: { 'bad.txt': 'bad\n' } }] },
      ],
    },
    config: { max_gate_failures: 2 },
  })
  bench.hook('pre-commit', 'if [ -e bad.txt ]; then echo "bad.txt is not allowed here"; exit 1; fi')
  const obeys = await bench.add('obeys')
  const never = await bench.add('never obeys')
  const work = await bench.umpire('work')
  expect(work.code).toBe(3)

  const obeyed = await bench.show(obeys)
  expect(obeyed).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 1, iteration: 2 })
  expect(roles(obeyed)).toEqual(['developer', 'developer', 'reviewer'])
  expect(obeyed.sessions[1]?.prompt).toContain('bad.txt is not allowed here')
  expect(bench.git('log', '--format=%s', `main..${obeyed.branch}`)).toBe('obeys')
  expect(bench.git('diff', '--name-only', 'main', obeyed.branch ?? '')).toBe('good.txt')

  const blocked = await bench.show(never)
  expect(blocked).toMatchObject({ status: 'blocked', reason: 'gate', cycle: 0, iteration: 2, reviews: [] })
  expect(blocked.gates).toMatchObject([
    { kind: 'hook', passed: false },
    { kind: 'hook', passed: false },
  ])
  expect(bench.git('rev-parse', blocked.branch ?? '')).toBe(bench.git('rev-parse', 'main'))
  expect(readFileSync(join(bench.home, 'worktrees/2-never-obeys/bad.txt'), 'utf8')).toBe('bad\n')

  // The person disables the hook: Umpire commits the existing work, and no agent repeats it.
  bench.hook('pre-commit', 'exit 0')
  await bench.umpire('retry', String(never))
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(never)
  expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
  expect(roles(shown)).toEqual(['developer', 'developer', 'reviewer'])
  expect(bench.git('show', `${shown.branch}:bad.txt`)).toBe('bad')
})
