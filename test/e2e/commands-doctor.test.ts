/** `umpire doctor` prints one line for each check and how to fix a problem, and changes nothing. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { builtInAgents } from '../../src/agents/built-in.ts'
import { submoduleCommand } from '../../src/setup/toolchains/propose.ts'
import { gitIn } from '../support/repository.ts'
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

/** These depend on the machine. The tests below install their own programs to check them. */
const ofThisMachine = ['sandbox', 'agents', ...builtInAgents.map(({ name }) => name)]

const linePattern = /^([✓!✗] [a-z .]+: .+| {4}.+)$/

test('reports what it finds before the first task, and creates no file', async () => {
  const bench = openBench()
  const { code, stdout, stderr } = await bench.umpire('doctor')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').filter((line) => line !== '' && !linePattern.test(line))).toEqual([])
  expect(stdout).toMatch(/^✓ git: \d+\.\d+ at \//m)
  expect(stdout).toMatch(/^✓ developer: actor runs \/.*sh .*actor\.sh$/m)
  expect(stdout).toContain('does not exist yet; the first task creates it')
  expect(existsSync(bench.home)).toBe(false)
  expect(bench.git('status', '--short')).toBe('')
})

test('everything is fine after real work, also with --deep and inside an agent session', async () => {
  const run = ['umpire', 'doctor', '--deep', '--json']
  const bench = openBench({ scenario: { reviewer: [{ do: [{ run }, { say: '**Verdict: APPROVED**' }] }] } })
  await bench.add('Something to do')
  expect((await bench.umpire('work')).code).toBe(0)
  const files = readdirSync(bench.home).filter((name) => !name.startsWith('umpire.db'))
  const found = await findings(bench, '--deep')
  const ours = Object.values(found).filter(({ name }) => !ofThisMachine.includes(name))
  expect(ours.filter(({ state }) => state !== 'fine')).toEqual([])
  expect(ours.map(({ name }) => name)).toEqual([
    'node',
    'git',
    'keeper',
    'repository',
    'branch',
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

test('leftovers of an ended run are doubtful, and contradictions of the journal are wrong', async () => {
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
    text: 'left over without a running session: attempts/1-7, clones/9-2',
    fix: expect.stringContaining('umpire work'),
  })
  expect(left.worktrees).toMatchObject({
    state: 'doubtful',
    text: 'left over without a task: worktrees/99-gone',
  })
  expect(left.excluded).toMatchObject({ state: 'doubtful', fix: expect.stringContaining('/.umpire/') })
  expect(left.history).toBeUndefined()

  bench.git('update-ref', 'refs/heads/umpire/1-something-to-do', 'main')
  expect((await bench.umpire('doctor')).code).toBe(0)
  const { code, stdout } = await bench.umpire('doctor', '--deep')
  expect(code).toBe(1)
  expect(stdout).toMatch(/^✗ history: 1 tasks, \d+ events: 1 violations\.\n {4}commits: task\/1 version/m)
})

test('a broken database, configuration or agent is wrong, and each check says how to fix it', async () => {
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
  expect(database?.fix).toContain('Restore a backup')
})

test('says when there is no repository, or no git', async () => {
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

/** Puts a program first on the PATH of a call. */
function install(bench: Bench, name: string, ...script: string[]): Record<string, string> {
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), ['#!/bin/sh', ...script, ''].join('\n'))
  chmodSync(join(bin, name), 0o755)
  return { PATH: [bin, process.env.PATH].join(delimiter) }
}

async function findingsWith(bench: Bench, env: Record<string, string>, cwd = bench.root) {
  const { stdout } = await bench.call(['doctor', '--json'], { env, cwd })
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return Object.fromEntries(checks.map((check) => [check.name, check]))
}

test('finds agents by name and asks for their version outside the repository', async () => {
  const bench = openBench()
  install(bench, 'claude', 'echo "2.1.9 (Claude $1)"; pwd > "$BENCH/where"')
  install(bench, 'codex', 'echo "no such option" >&2', 'exit 3')
  install(bench, 'gemini', "printf '1.0\\033[31m\\n'")
  const env = install(bench, 'opencode', 'exit 0')
  const { claude, codex, gemini, opencode, agents } = await findingsWith(bench, env)
  expect(claude).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(
      /^2\.1\.9 \(Claude --version\) at \/.*\/bin\/claude; not logged in; as a reviewer /,
    ),
    fix: expect.stringContaining('claude /login'),
  })
  expect(codex).toMatchObject({
    state: 'doubtful',
    text: expect.stringContaining('(no such option)'),
    fix: 'Try it: codex --version',
  })
  expect(gemini?.text).toMatch(/^1\.0 at \//)
  expect(opencode).toMatchObject({ state: 'doubtful', text: expect.stringContaining('printed nothing') })
  expect(agents).toBeUndefined()
  expect(readFileSync(join(bench.folder, 'where'), 'utf8').trim()).toBe(bench.folder)
})

test('reports how an agent is logged in and whether it can be confined as a reviewer, without a model call', async () => {
  const bench = openBench()
  const env = install(bench, 'claude', 'echo 2.1')
  const keyed = await findingsWith(bench, { ...env, ANTHROPIC_API_KEY: 'sk-secret' })
  expect(keyed.claude).toMatchObject({
    state: 'fine',
    text: expect.stringMatching(
      /; logged in by ANTHROPIC_API_KEY; as a reviewer it has only tools that read$/,
    ),
  })
  expect(JSON.stringify(keyed)).not.toContain('sk-secret')
  const HOME = join(bench.folder, 'home')
  mkdirSync(join(HOME, '.claude'), { recursive: true })
  writeFileSync(join(HOME, '.claude/.credentials.json'), '{"claudeAiOauth":{}}')
  expect((await findingsWith(bench, env)).claude?.text).toContain('/.claude/.credentials.json')

  install(bench, 'codex', '[ "$1" = --version ] && echo 0.1 || { echo "no namespaces" >&2; exit 1; }')
  const loose = await findingsWith(bench, { ...env, CODEX_API_KEY: 'x' })
  expect(loose.codex).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(
      /logged in by CODEX_API_KEY; as a reviewer it can't be confined here \(no namespaces\)$/,
    ),
    fix: expect.stringContaining('codex sandbox'),
  })
  const out = await findingsWith(bench, env)
  expect(out.codex?.fix).toMatch(/codex login.*codex sandbox/)
})

test('an API key in the env of a role counts as a login for that role', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-secret' }
  const roles = { developer: { agent: 'claude', env }, reviewer: { agent: 'claude', env } }
  const bench = openBench({ config: { roles } })
  const path = install(bench, 'claude', 'echo 2.1')
  const both = await findingsWith(bench, path)
  expect(both.claude).toMatchObject({
    state: 'fine',
    text: expect.stringContaining('as developer logged in by ANTHROPIC_API_KEY, as reviewer logged in by'),
  })
  expect(JSON.stringify(both)).not.toContain('sk-secret')
  bench.write({
    'umpire.yaml': JSON.stringify({ roles: { ...roles, reviewer: 'claude' } }),
  })
  expect((await findingsWith(bench, path)).claude).toMatchObject({
    state: 'doubtful',
    text: expect.stringContaining('as reviewer not logged in'),
    fix: expect.stringContaining('claude /login'),
  })
})

test('a role is doubtful when its agent’s own sandbox does not work', async () => {
  const bench = openBench({ config: { roles: { developer: 'actor', reviewer: 'codex' } } })
  const env = install(
    bench,
    'codex',
    '[ "$1" = --version ] && echo 0.1 || { echo "no namespaces" >&2; exit 1; }',
  )
  expect((await findingsWith(bench, env)).reviewer).toMatchObject({
    state: 'doubtful',
    text: expect.stringContaining('but its own sandbox does not work here (no namespaces)'),
    fix: expect.stringContaining('roles.reviewer'),
  })
})

test('says whether the sandbox or only refused permission requests keep an ACP program from writing', async () => {
  const roles = { developer: 'actor', reviewer: 'mine' }
  const agents = { mine: { agent: 'acp', command: ['node', 'mine.mjs'] } }
  const bench = openBench({ config: { roles, agents }, files: { 'mine.mjs': '' } })
  const { reviewer } = await findings(bench)
  expect(reviewer?.text).toMatch(/ in the sandbox$|; only refused permission requests keep it from writing$/)
})

test('an unknown review command is doubtful, and doctor suggests the likely one', async () => {
  const bench = openBench({ config: { review: { command: '/reveiw-task' } } })
  expect((await findings(bench)).prompts).toMatchObject({
    state: 'doubtful',
    fix: expect.stringContaining('Did you mean /review-task?'),
  })
  const roles = { developer: 'claude', reviewer: 'claude' }
  bench.write({ 'umpire.yaml': JSON.stringify({ roles, review: { command: '/our-way' } }) })
  const env = { ...install(bench, 'claude', 'echo 2.1'), HOME: join(bench.folder, 'home') }
  expect((await findingsWith(bench, env)).prompts).toMatchObject({
    state: 'doubtful',
    text: expect.stringContaining('which Claude Code does not seem to know'),
  })
  mkdirSync(join(env.HOME, '.claude/commands'), { recursive: true })
  writeFileSync(join(env.HOME, '.claude/commands/our-way.md'), 'Review it.')
  expect((await findingsWith(bench, env)).prompts).toMatchObject({ state: 'fine' })
})

test('an unset role goes to the first installed agent', async () => {
  const bench = openBench({ config: { roles: {} } })
  const env = install(bench, 'codex', 'echo 0.1')
  const { developer, reviewer } = await findingsWith(bench, env)
  expect(developer).toMatchObject({
    state: 'fine',
    text: expect.stringMatching(/^codex runs \/.*\/codex( in the sandbox)? \(the first installed agent\)$/),
  })
  expect(reviewer?.text).toContain('codex runs')
})

test('distinguishes a working, a broken and a missing sandbox, and none of them is an error', async () => {
  const bench = openBench()
  const works = await findingsWith(bench, install(bench, 'bwrap', 'echo "$@" > "$BENCH/asked"'))
  expect(works.sandbox).toMatchObject({ state: 'fine', text: expect.stringContaining('bwrap works, at /') })
  expect(readFileSync(join(bench.folder, 'asked'), 'utf8')).toMatch(/^--cap-drop ALL .* true\n$/)
  const forbidden = install(
    bench,
    'bwrap',
    'echo "bwrap: No permissions to create new namespace" >&2',
    'exit 1',
  )
  expect((await findingsWith(bench, forbidden)).sandbox).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(/^\/.*bwrap does not work here .*No permissions to create new namespace/),
    fix: expect.any(String),
  })
  const bin = join(bench.folder, 'bare')
  mkdirSync(bin)
  symlinkSync(process.execPath, join(bin, 'node'))
  const { sandbox, agents } = await findingsWith(bench, { PATH: bin })
  expect(sandbox).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(/^bwrap is not on the PATH/),
  })
  expect(agents).toMatchObject({
    state: 'fine',
    text: expect.stringContaining('claude, codex, gemini, opencode'),
  })
})

test('a bare repository, a detached HEAD, no commits and a shallow clone each get a clear message', async () => {
  const bench = openBench()
  bench.commit('Second', { 'a.txt': '' })
  const bare = join(bench.folder, 'bare.git')
  const shallow = join(bench.folder, 'shallow')
  const fresh = join(bench.folder, 'fresh')
  gitIn(bench.folder, 'clone', '-q', '--bare', bench.root, bare)
  gitIn(bench.folder, 'clone', '-q', '--depth', '1', `file://${bench.root}`, shallow)
  gitIn(bench.folder, 'init', '-q', fresh)
  const at = (cwd: string) => findingsWith(bench, {}, cwd)

  expect((await at(bare)).repository).toMatchObject({
    state: 'wrong',
    text: expect.stringContaining('bare repository'),
    fix: expect.stringContaining('Clone it without --bare'),
  })
  expect((await at(fresh)).branch).toMatchObject({
    state: 'wrong',
    text: expect.stringContaining('no commits yet'),
    fix: expect.stringContaining('git commit'),
  })
  const { branch, 'history depth': depth } = await at(shallow)
  expect(branch).toMatchObject({ state: 'fine', text: 'new tasks start from main' })
  expect(depth).toMatchObject({ state: 'doubtful', fix: expect.stringContaining('git fetch --unshallow') })
  await bench.call(['add', 'In a shallow clone'], { cwd: shallow })
  expect((await bench.call(['work'], { cwd: shallow })).code).toBe(0)
  bench.git('checkout', '-q', '--detach')
  expect((await at(bench.root)).branch).toMatchObject({
    state: 'wrong',
    text: expect.stringMatching(/^HEAD is detached at [0-9a-f]{10}, so no new task can be started$/),
    fix: expect.stringContaining('git switch BRANCH'),
  })
})

test('submodules are empty in a worktree, and the command that doctor and init suggest fills them', async () => {
  const bench = openBench({ config: { gates: { test: 'cat lib/inside.txt' } } })
  const library = join(bench.folder, 'library')
  gitIn(bench.folder, 'init', '-q', '-b', 'main', library)
  writeFileSync(join(library, 'inside.txt'), 'from the submodule\n')
  gitIn(library, 'add', '-A')
  gitIn(library, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'Library')
  bench.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
  bench.commit('With a library')
  const { submodules } = await findings(bench)
  expect(submodules).toMatchObject({
    state: 'doubtful',
    text: expect.stringMatching(/^lib: these folders are empty in a task's worktree/),
  })
  expect(submodules?.fix).toContain(`"${submoduleCommand}" to worktree.setup`)

  const settings = JSON.parse(readFileSync(join(bench.root, 'umpire.yaml'), 'utf8'))
  const told = { ...settings, worktree: { setup: [submoduleCommand] } }
  bench.write({ 'umpire.yaml': JSON.stringify(told) })
  expect((await findings(bench)).submodules).toMatchObject({ state: 'fine' })
  await bench.add('Uses the library')
  const work = await bench.call(['work'], { env: { GIT_ALLOW_PROTOCOL: 'file' } })
  expect(work.code).toBe(0)
  expect(await bench.show(1)).toMatchObject({
    verdict: 'APPROVED',
    gates: [{ passed: true, output: 'from the submodule\n' }],
  })
  expect(bench.git('diff', '--name-only', 'main', 'umpire/1-uses-the-library')).toBe('work-1.txt')

  rmSync(join(bench.root, 'umpire.yaml'))
  expect((await bench.umpire('init', '--yes')).stdout).toContain(submoduleCommand)
})
