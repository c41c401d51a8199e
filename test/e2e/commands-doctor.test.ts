/** `umpire doctor`: one line for each thing it looks at, what to do about it, and nothing changed. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

interface Check {
  name: string
  state: 'fine' | 'doubtful' | 'wrong'
  text: string
  fix: string | null
}

async function findings(bench: Bench, ...flags: string[]) {
  const { code, json } = await bench.umpire('doctor', '--json', ...flags)
  const { ok, checks } = json<{ ok: boolean; checks: Check[] }>()
  expect(code).toBe(ok ? 0 : 1)
  return Object.fromEntries(checks.map((check) => [check.name, check]))
}

const linePattern = /^([✓!✗] [a-z .]+: .+| {4}.+)$/

test('says what is there before anything was filed, and makes no file', async () => {
  const bench = openBench()
  const { code, stdout, stderr } = await bench.umpire('doctor')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').filter((line) => line !== '' && !linePattern.test(line))).toEqual([])
  expect(stdout).toMatch(/^✓ git: \d+\.\d+ at \//m)
  expect(stdout).toMatch(/^✓ developer: actor runs \/.*node .*actor\.mjs$/m)
  expect(stdout).toContain('is not there yet; the first task makes it')
  expect(existsSync(bench.home)).toBe(false)
  expect(bench.git('status', '--short')).toBe('')
})

test('after real work everything is fine, also deeply and also inside an agent session', async () => {
  const run = ['umpire', 'doctor', '--deep', '--json']
  const bench = openBench({ scenario: { reviewer: [{ do: [{ run }, { say: '**Verdict: APPROVED**' }] }] } })
  await bench.add('Something to do')
  expect((await bench.umpire('work')).code).toBe(0)
  const files = readdirSync(bench.home).filter((name) => !name.startsWith('umpire.db'))
  const found = await findings(bench, '--deep')
  expect(Object.values(found).filter(({ state }) => state !== 'fine')).toEqual([])
  expect(Object.keys(found)).toEqual([
    'node',
    'git',
    'keeper',
    'repository',
    '.umpire',
    'excluded',
    'hard links',
    'database',
    'configuration',
    'developer',
    'reviewer',
    'attempts',
    'worktrees',
    'history',
  ])
  expect(found.history?.text).toMatch(/^1 tasks, \d+ events: everything holds\.$/)
  expect(readdirSync(bench.home).filter((name) => !name.startsWith('umpire.db'))).toEqual(files)
  const inside = bench.played().find(({ argv }) => argv?.[1] === 'doctor')
  expect({ code: inside?.code, stderr: inside?.stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(inside?.stdout ?? '').ok).toBe(true)
  expect((await bench.show(1)).sessions[1]?.refused).toEqual([])
})

test('what an ended run left behind is doubtful, and what contradicts the journal is wrong', async () => {
  const bench = openBench()
  await bench.add('Something to do')
  await bench.umpire('work')
  for (const path of ['attempts/1-7', 'clones/9-2', 'worktrees/99-gone']) {
    mkdirSync(join(bench.home, path), { recursive: true })
  }
  writeFileSync(join(bench.root, '.git/info/exclude'), '')
  const left = await findings(bench)
  expect(left.attempts).toMatchObject({
    state: 'doubtful',
    text: 'of no running session: attempts/1-7, clones/9-2',
    fix: expect.stringContaining('umpire work'),
  })
  expect(left.worktrees).toMatchObject({ state: 'doubtful', text: 'of no task: worktrees/99-gone' })
  expect(left.excluded).toMatchObject({ state: 'doubtful', fix: expect.stringContaining('/.umpire/') })
  expect(left.history).toBeUndefined()

  bench.git('update-ref', 'refs/heads/umpire/1-something-to-do', 'main')
  expect((await bench.umpire('doctor')).code).toBe(0)
  const { code, stdout } = await bench.umpire('doctor', '--deep')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^✗ history: 1 tasks, \d+ events: 1 violations\.\n {4}commits: task\/1 version/m)
})

test('a broken database, configuration or agent is wrong, and each says how to mend it', async () => {
  const bench = openBench({ config: { agents: { ghost: { command: ['no-such-program'] } } } })
  await bench.add('Something to do')
  const wrong = async () => Object.values(await findings(bench)).filter(({ state }) => state === 'wrong')

  bench.write({
    'umpire.yaml': [
      'roles: { developer: ghost, reviewer: lost }',
      'agents: { ghost: { command: [no-such-program] }, lost: { command: [node, tools/none.mjs] } }',
    ].join('\n'),
  })
  expect(await wrong()).toMatchObject([
    { name: 'developer', text: expect.stringContaining('no-such-program'), fix: expect.any(String) },
    { name: 'reviewer', text: expect.stringContaining('tools/none.mjs'), fix: expect.any(String) },
  ])
  bench.write({
    'umpire.yaml':
      'roles: { developer: play }\nagents: { play: { agent: scripted, script: scenes/none.yaml } }\n',
  })
  expect(await wrong()).toMatchObject([
    { name: 'developer', text: expect.stringContaining('scenes/none.yaml') },
    { name: 'reviewer', text: 'no agent is configured' },
  ])
  bench.write({ 'umpire.yaml': 'revew: {}\nmax_cycles: many\n' })
  const [broken] = await wrong()
  expect(broken).toMatchObject({ name: 'configuration' })
  expect(broken?.text).toMatch(/umpire\.yaml:1: revew: .*\n.*umpire\.yaml:2: max_cycles: /)

  bench.write({ 'umpire.yaml': '' })
  rmSync(join(bench.home, 'umpire.db-wal'), { force: true })
  rmSync(join(bench.home, 'umpire.db-shm'), { force: true })
  writeFileSync(join(bench.home, 'umpire.db'), 'this is no database at all')
  const [database] = await wrong()
  expect(database).toMatchObject({ name: 'database', text: expect.stringContaining('damaged') })
  expect(database?.fix).toContain('Put a backup in its place')
})

test('outside a repository, and without git, it says so', async () => {
  const bench = openBench()
  const outside = await bench.call(['doctor'], { cwd: bench.folder })
  expect(outside.code).toBe(1)
  expect(outside.stdout).toMatch(/✗ repository: .* is not in a git repository\.\n {4}→ Change to your/)
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  const without = await bench.call(['doctor'], { env: { PATH: bin } })
  expect(without.code).toBe(1)
  expect(without.stdout).toContain('✗ git: there is no git on the PATH\n    → Install git.\n')
})
