/** `umpire init` writes one file from what it finds, and the other commands can use it. */
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
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { builtInAgents } from '../../src/agents/built-in.ts'
import { gitIn } from '../support/repository.ts'
import { type Bench, openBench } from '../support/umpire.ts'

const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')

/** A bench without settings, with these files committed. */
function openFresh(files: Record<string, string> = {}): Bench {
  const bench = openBench()
  rmSync(join(bench.root, 'umpire.yaml'))
  bench.commit('No settings', files)
  return bench
}

const written = ({ root }: Bench) => readFileSync(join(root, 'umpire.yaml'), 'utf8')

/** Puts a program on the PATH of a call. */
function install(bench: Bench, name: string, script = 'exit 0'): Record<string, string> {
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, name), 0o755)
  return { PATH: bin }
}

/** A PATH with only git on it, so that the programs of this machine do not matter. */
function barePath(bench: Bench): Record<string, string> {
  const git = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'git'))
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync(git.find((path) => existsSync(path)) ?? '', join(bin, 'git'))
  return { PATH: bin }
}

test('writes settings that the other commands read, and runs nothing of the project', async () => {
  const bench = openFresh({
    'package.json': '{"scripts":{"test":"touch ran","lint":"touch ran"}}',
    'package-lock.json': '{}',
    'go.mod': '',
  })
  const { code, stdout, stderr } = await bench.umpire('init', '--agent', actor, '--yes')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    /^Wrote umpire\.yaml\.\n {2}found +JavaScript \(npm\) · Go\n[\s\S]*\nNext: umpire add "What to do", then umpire work\.\n$/,
  )
  const { values } = (await bench.umpire('config', '--json')).json<{
    values: Record<string, { value: unknown; source: string }>
  }>()
  const source = expect.stringMatching(/^umpire\.yaml:\d+$/)
  expect(values).toMatchObject({
    'roles.developer.agent': { value: 'actor', source },
    'gates.test': { value: 'npm test', source },
    'gates.test-go': { value: 'go test ./...', source },
    'gates.lint': { value: 'npm run lint', source },
    'worktree.setup': { value: ['npm ci'], source },
  })
  expect(bench.git('status', '--porcelain')).toBe('?? umpire.yaml')
  expect(existsSync(bench.home)).toBe(false)
})

test('a project goes from init to an approved task without editing the file', async () => {
  const bench = openFresh({
    'package.json':
      '{"scripts":{"test":"test -f .env && test -d node_modules && echo tested"},"dependencies":{"x":"1"}}',
    '.gitignore': '.env\nnode_modules\n',
    'tools/agent.mjs': `import ${JSON.stringify(actor)}\n`,
  })
  bench.write({ '.env': 'SECRET=1\n', 'node_modules/x/package.json': '{}' })
  const deep = join(bench.root, 'tools')
  const init = await bench.call(['init', '--agent', 'agent.mjs', '--yes'], { cwd: deep })
  expect(init).toMatchObject({ code: 0, stderr: '' })
  expect(parse(written(bench))).toEqual({
    roles: { developer: 'agent', reviewer: 'agent' },
    agents: { agent: { command: ['node', 'tools/agent.mjs'] } },
    gates: { test: 'npm test' },
    worktree: { copy: ['.env'], link: ['node_modules'] },
  })
  await bench.add('Something to do')
  expect((await bench.umpire('work')).code).toBe(0)
  const shown = await bench.show(1)
  expect(shown).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    gates: [{ name: 'test', passed: true }],
  })
  expect(shown.gates[0]?.output).toContain('tested')
  expect(bench.git('ls-tree', '-r', '--name-only', shown.branch ?? '')).not.toMatch(/node_modules|\.env/)
})

test('needs --yes without a terminal, and never overwrites an existing file', async () => {
  const bench = openFresh()
  const asked = await bench.umpire('init')
  expect(asked).toMatchObject({ code: 2, stdout: '' })
  expect(asked.stderr).toBe(
    'umpire: umpire init asks questions, and there is no terminal to ask on.\nGive --yes to accept what is found, and --agent NAME to choose the agent.\n',
  )
  expect(existsSync(join(bench.root, 'umpire.yaml'))).toBe(false)

  const refused = async (words: RegExp) => {
    const before = readdirSync(bench.root)
    const { code, stdout, stderr } = await bench.umpire('init', '--yes')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(words)
    expect(readdirSync(bench.root)).toEqual(before)
  }
  bench.write({ 'umpire.yaml': '# mine\n' })
  await refused(/umpire\.yaml already exists, so nothing was written\.\numpire config shows its settings/)
  expect(written(bench)).toBe('# mine\n')
  rmSync(join(bench.root, 'umpire.yaml'))
  symlinkSync('gone', join(bench.root, 'umpire.yaml'))
  await refused(/umpire\.yaml already exists/)
  rmSync(join(bench.root, 'umpire.yaml'))
  bench.write({ 'umpire.yml': '' })
  await refused(/umpire\.yml: Umpire does not read this name/)
  rmSync(join(bench.root, 'umpire.yml'))
  bench.write({ 'umpire.local.yaml': 'efort: low\n' })
  await refused(/umpire\.local\.yaml:1: efort: unknown key, did you mean effort\?/)
})

test('removes the file again when it contradicts other settings', async () => {
  const bench = openFresh({ '.gitignore': '.env\n' })
  bench.write({ '.env': '', 'umpire.local.yaml': 'worktree: { link: [.env] }\n' })
  const { code, stderr } = await bench.umpire('init', '--yes')
  expect(code).toBe(2)
  expect(stderr).toContain('.env overlaps with .env')
  expect(existsSync(join(bench.root, 'umpire.yaml'))).toBe(false)
})

test('--agent accepts a program on the PATH or a file of the repository, and refuses unknown names', async () => {
  const bench = openFresh({ 'tools/a.py': '', 'tools/run.sh': '', agent: '#!/bin/sh\n', 'notes.txt': '' })
  chmodSync(join(bench.root, 'agent'), 0o755)
  barePath(bench)
  for (const program of ['python3', 'sh']) install(bench, program)
  const env = install(bench, 'my-agent')
  const command = async (agent: string) => {
    const { code, stderr } = await bench.call(['init', '--yes', '--agent', agent], { env })
    if (code !== 0) return stderr
    const { roles, agents } = parse(written(bench))
    rmSync(join(bench.root, 'umpire.yaml'))
    return [roles.developer, roles.reviewer, agents]
  }
  const as = (name: string, ...words: string[]) => [name, name, { [name]: { command: words } }]
  expect(await command('my-agent')).toEqual(as('my-agent', 'my-agent'))
  expect(await command('tools/a.py')).toEqual(as('a', 'python3', 'tools/a.py'))
  expect(await command('tools/run.sh')).toEqual(as('run', 'sh', 'tools/run.sh'))
  expect(await command('agent')).toEqual(as('agent', './agent'))
  expect(await command('notes.txt')).toContain('notes.txt is not executable.\nMake it executable: chmod +x')
  const nobody = await command('no-such-agent')
  expect(nobody).toContain('umpire: There is no agent "no-such-agent".\n')
  for (const { name } of builtInAgents) expect(nobody).toContain(name)
  expect(await command('')).toContain('There is no agent ""')
  expect(await command('tools')).toContain('There is no agent "tools"')
  expect(await command('clade')).toContain('Did you mean claude?')
  expect(await command('acp')).toMatch(/of kind acp needs the command .*\n.*agents: \{ NAME: /)
  expect(await command('scripted')).toMatch(/needs a script\.\n/)
})

test('installed agents get the roles, and a second one reviews', async () => {
  const bench = openFresh()
  barePath(bench)
  const alone = await bench.call(['init', '--yes'], { env: install(bench, 'codex') })
  expect(alone).toMatchObject({ code: 0, stderr: '' })
  expect(parse(written(bench))).toEqual({ roles: { developer: 'codex', reviewer: 'codex' } })
  rmSync(join(bench.root, 'umpire.yaml'))
  const env = install(bench, 'claude')
  const both = await bench.call(['init', '--yes'], { env })
  expect(both.stdout).toMatch(/developer +claude\n +reviewer +codex\n[\s\S]*Next: umpire add/)
  expect(parse(written(bench))).toEqual({ roles: { developer: 'claude', reviewer: 'codex' } })
  rmSync(join(bench.root, 'umpire.yaml'))
  expect((await bench.call(['init', '--yes', '--agent', 'codex'], { env })).code).toBe(0)
  expect(parse(written(bench))).toEqual({ roles: { developer: 'codex', reviewer: 'codex' } })
})

test('keeps the roles that the person’s own settings assign', async () => {
  const bench = openFresh()
  const config = join(bench.folder, 'config')
  mkdirSync(join(config, 'umpire'), { recursive: true })
  const own = 'roles: { developer: own, reviewer: own }\nagents: { own: { command: [own] } }\n'
  writeFileSync(join(config, 'umpire/config.yaml'), own)
  const { stdout } = await bench.call(['init', '--yes'], { env: { XDG_CONFIG_HOME: config } })
  expect(stdout).toMatch(/developer +own, from your own settings[\s\S]*Next: umpire add/)
  expect(parse(written(bench))).toBe(null)
})

test('warns about a missing program and a folder that would be committed', async () => {
  const bench = openFresh({ 'package.json': '{"scripts":{"test":"x"}}', 'bun.lock': '', 'Package.sln': '' })
  const { stdout } = await bench.call(['init', '--yes'], { env: barePath(bench) })
  expect(stdout).toMatch(/^! bun is not on the PATH, but the commands need it\.$/m)
  expect(stdout).toMatch(
    /^! node_modules is not ignored by git, so it would be committed\. Add it to \.gitignore\.$/m,
  )
})

test('writes into the current checkout, also in a linked worktree and before the first commit', async () => {
  const bench = openFresh()
  const linked = join(bench.folder, 'linked')
  bench.git('worktree', 'add', '-q', '-b', 'side', linked)
  expect((await bench.call(['init', '--yes'], { cwd: linked })).code).toBe(0)
  expect([existsSync(join(linked, 'umpire.yaml')), existsSync(join(bench.root, 'umpire.yaml'))]).toEqual([
    true,
    false,
  ])
  const fresh = join(bench.folder, 'fresh')
  gitIn(bench.folder, 'init', '-q', fresh)
  writeFileSync(join(fresh, 'go.mod'), 'module x\n')
  expect((await bench.call(['init', '--yes'], { cwd: fresh })).stdout).toContain('test: go test ./...')
})

test('an agent cannot write the settings', async () => {
  const run = ['umpire', 'init', '--yes', '--agent', 'sh']
  const bench = openBench({ scenario: { developer: [{ do: [{ run }, { write: { 'a.txt': '' } }] }] } })
  await bench.add('Try it')
  await bench.umpire('work')
  const tried = bench.played().find(({ argv }) => argv?.[1] === 'init')
  expect(tried).toMatchObject({ code: 2, stderr: expect.stringContaining('refused inside an agent session') })
})
