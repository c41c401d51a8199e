import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { project } from './project.ts'

describe('three files are merged', () => {
  test('a later file wins key by key, and lists are replaced', async () => {
    const { load } = await project({
      'home/config.yaml': 'parallel: 8\nmax_cycles: 2\nreview: { retries: 3, channels: [json] }',
      'umpire.yaml':
        'max_cycles: 3\ngates: { test: make test }\nreview: { min_score: 80, channels: [marker, tool] }',
      'umpire.local.yaml': 'max_cycles: 4\ngates: { lint: make lint, test: true-test }',
    })
    const { config } = await load()
    expect(config).toMatchObject({
      parallel: 8,
      maxCycles: 4,
      review: { retries: 3, minScore: 80, channels: ['marker', 'tool'] },
    })
    expect(Object.entries(config.gates)).toEqual([
      ['test', 'true-test'],
      ['lint', 'make lint'],
    ])
  })

  test('the notify entries of a later file replace all earlier ones', async () => {
    const { load } = await project({
      'home/config.yaml': 'notify: [{ desktop: true }]',
      'umpire.yaml': 'notify: [{ bell: true }, { command: ring }]',
      'umpire.local.yaml': 'notify: [{ command: ring, quiet: "00:00-24:00" }]',
    })
    const { config } = await load()
    expect(config.notify).toEqual([{ kind: 'command', command: 'ring', quiet: { from: 0, to: 1440 } }])
  })

  test('each value keeps its file and line', async () => {
    const { root, home, load } = await project({
      'home/config.yaml': '\nparallel: 8',
      'umpire.yaml':
        'agents:\n  mine:\n    command: [a]\nroles:\n  developer: mine\ngates:\n  test: a\n  "e2e tests": b',
      'umpire.local.yaml': 'gates:\n  test: b\nworktree:\n  setup:\n    - npm ci',
    })
    const { sources } = await load()
    const umpireYaml = join(root, 'umpire.yaml')
    expect(Object.fromEntries(sources)).toMatchObject({
      parallel: { file: join(home, 'config.yaml'), line: 2 },
      'agents.mine.command': { file: umpireYaml, line: 3 },
      'roles.developer.agent': { file: umpireYaml, line: 5 },
      'gates.test': { file: join(root, 'umpire.local.yaml'), line: 2 },
      'gates."e2e tests"': { file: umpireYaml, line: 8 },
      'worktree.setup': { file: join(root, 'umpire.local.yaml'), line: 4 },
      max_cycles: 'default',
      'review.context.plan': 'default',
    })
  })

  test('a later file can set part of a role or an agent', async () => {
    const { load } = await project({
      'home/config.yaml': 'agents: { mine: { command: [a], env: { A: a } } }',
      'umpire.yaml': 'roles: { developer: mine, reviewer: { agent: mine, model: big } }',
      'umpire.local.yaml':
        'roles: { developer: { model: small }, reviewer: { args: [-v] } }\nagents: { mine: { prompt: file, env: { B: b } } }',
    })
    const { config } = await load()
    expect(config.roles).toMatchObject({
      developer: { agent: 'mine', model: 'small' },
      reviewer: { agent: 'mine', model: 'big', args: ['-v'] },
    })
    expect(config.agents.mine).toEqual({
      kind: 'command',
      command: ['a'],
      prompt: 'file',
      tools: 'none',
      env: { A: 'a', B: 'b' },
      confine: false,
    })
  })

  test('a role that gets another agent does not keep the model of the old one', async () => {
    const { load } = await project({
      'umpire.yaml':
        'agents: { a: { command: [a] }, b: { command: [b] } }\nroles: { developer: { agent: a, model: big }, reviewer: { agent: a, model: big } }',
      'umpire.local.yaml': 'roles: { developer: { agent: b }, reviewer: a }',
    })
    expect((await load()).config.roles).toMatchObject({
      developer: { agent: 'b', model: null },
      reviewer: { agent: 'a', model: null },
    })
  })

  test('a program can replace a scripted agent, and the other way round', async () => {
    const { root, load } = await project({
      'umpire.yaml': 'agents: { a: { command: [a], env: { A: a } }, b: { agent: scripted, script: b.yaml } }',
      'umpire.local.yaml': 'agents: { a: { agent: scripted, script: a.yaml }, b: { command: [b] } }',
    })
    expect((await load()).config.agents).toEqual({
      a: { kind: 'scripted', script: join(root, 'a.yaml') },
      b: { kind: 'command', command: ['b'], prompt: 'stdin', tools: 'none', env: {}, confine: false },
    })
  })

  test('a script path is relative to the file that names it', async () => {
    const { root, home, load } = await project({
      'home/config.yaml': 'agents: { theirs: { agent: scripted, script: plans/a.yaml } }',
      'umpire.yaml': 'agents: { ours: { agent: scripted, script: plan.yaml } }',
    })
    expect((await load()).config.agents).toMatchObject({
      theirs: { script: join(home, 'plans/a.yaml') },
      ours: { script: join(root, 'plan.yaml') },
    })
  })

  test('one error lists the problems of all files, including those that only two files together cause', async () => {
    const { home, problems } = await project({
      'home/config.yaml': 'paralel: 8',
      'umpire.yaml': 'review:\n  blind: true\nagents: { mine: { command: [a] } }\nworktree: { link: [data] }',
      'umpire.local.yaml':
        'review:\n  context:\n    session_log: true\nroles: { developer: your }\nworktree: { copy: [data/a] }\nvcs: jj',
    })
    expect(await problems()).toEqual([
      `${join(home, 'config.yaml')}:1: paralel: unknown key, did you mean parallel?`,
      'umpire.yaml:4: worktree.link: data overlaps with data/a in worktree.copy',
      expect.stringMatching(/^umpire\.local\.yaml:3: review\.context\.session_log: shows/),
      'umpire.local.yaml:4: roles.developer: there is no agent "your"; define it under agents, or use one of mine',
      'umpire.local.yaml:6: vcs: "jj" is not yet available; use git',
    ])
  })

  test('a file that cannot be parsed causes no other problems in the other files', async () => {
    const { problems } = await project({
      'umpire.yaml': 'agents: { mine: { command: [a] }',
      'umpire.local.yaml': 'roles: { developer: mine }\nparallel: 0',
    })
    expect(await problems()).toEqual([
      expect.stringMatching(/^umpire\.yaml:1: not valid YAML: /),
      expect.stringMatching(/^umpire\.local\.yaml:2: parallel: /),
    ])
  })
})

describe("the person's own file", () => {
  test('is in the configuration folder that the environment names', async () => {
    const { root } = await project({
      'xdg/umpire/config.yaml': 'parallel: 5',
      '.config/umpire/config.yaml': 'parallel: 6',
    })
    const load = async (env: Record<string, string>) => (await loadConfig({ root, env })).config.parallel
    expect(await load({ XDG_CONFIG_HOME: join(root, 'xdg'), HOME: root })).toBe(5)
    expect(await load({ HOME: root })).toBe(6)
    expect(await load({ HOME: root, XDG_CONFIG_HOME: '' })).toBe(6)
    expect(await load({ HOME: root, XDG_CONFIG_HOME: 'relative' })).toBe(6)
    expect(await load({ HOME: join(root, 'nowhere') })).toBe(2)
  })
})

describe('something else in place of a file', () => {
  test('a directory is refused', async () => {
    const { root, problems } = await project()
    mkdirSync(join(root, 'umpire.yaml'))
    expect(await problems()).toEqual(['umpire.yaml: is a directory, but must be a file'])
  })

  test('a link to nothing is refused', async () => {
    const { root, problems } = await project()
    symlinkSync('nowhere', join(root, 'umpire.yaml'))
    expect(await problems()).toEqual(['umpire.yaml: is a symbolic link to something that does not exist'])
  })

  test('a link to itself is refused', async () => {
    const { root, problems } = await project()
    symlinkSync('umpire.yaml', join(root, 'umpire.yaml'))
    expect(await problems()).toEqual(['umpire.yaml: cannot be read: ELOOP'])
  })

  test('anything but a regular file is refused without being opened', async () => {
    const { root, problems } = await project()
    symlinkSync('/dev/zero', join(root, 'umpire.yaml'))
    expect(await problems()).toEqual(['umpire.yaml: is not a regular file'])
  })

  test('a file with a name that Umpire does not read is reported', async () => {
    const { problems } = await project({ 'umpire.yml': 'parallel: 3', 'home/config.yml': '' })
    expect(await problems()).toEqual([
      expect.stringMatching(
        /config\.yml: Umpire does not read this name; rename the file so that it ends in \.yaml$/,
      ),
      'umpire.yml: Umpire does not read this name; rename the file so that it ends in .yaml',
    ])
  })

  // Root can read every file, whatever its mode.
  test.skipIf(process.getuid?.() === 0)('a file without read permission is refused', async () => {
    const { root, problems } = await project()
    writeFileSync(join(root, 'umpire.yaml'), 'parallel: 3')
    chmodSync(join(root, 'umpire.yaml'), 0)
    expect(await problems()).toEqual(['umpire.yaml: cannot be read: permission denied'])
  })
})
