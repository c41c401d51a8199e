/** `umpire config`: every key, its value, and the source of the value. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

test('config shows every key with its value and its source, as lines and with --json', async () => {
  const bench = openBench()
  const home = join(bench.folder, 'home')
  mkdirSync(join(home, '.config/umpire'), { recursive: true })
  writeFileSync(join(home, '.config/umpire/config.yaml'), '# my own\n\nparallel: 7\n')
  bench.write({
    'umpire.yaml': [
      'agents:',
      '  mine:',
      '    command: [node, "-e", "console.log(1)"]',
      'roles: { developer: mine, reviewer: mine }',
      'gates:',
      '  "end to end": npm run  e2e',
      'effort: high',
    ].join('\n'),
    'umpire.local.yaml': 'limits: { gate: 90s }\n',
  })
  const env = { XDG_CONFIG_HOME: '' }
  const { code, stdout, stderr } = await bench.call(['config'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout.trimEnd().split('\n')
  expect(
    lines.filter((line) => !/^[\w."* -]+: .+ {2}# (default|from [\w.]+|[\w./~-]+:\d+)$/.test(line)),
  ).toEqual([])
  const plain = lines.map((line) => line.replace(/ {2,}#/, '  #'))
  expect(plain).toEqual(
    expect.arrayContaining([
      'agents.mine.command: [node, "-e", "console.log(1)"]  # umpire.yaml:3',
      'agents.mine.prompt: stdin  # default',
      'roles.developer.agent: mine  # umpire.yaml:4',
      'roles.developer.model: null  # default',
      'gates."end to end": npm run  e2e  # umpire.yaml:6',
      'effort: high  # umpire.yaml:7',
      'max_cycles: 5  # from effort',
      'parallel: 7  # ~/.config/umpire/config.yaml:3',
      'limits.gate: 90s  # umpire.local.yaml:1',
      'limits.develop: 60m  # default',
      'task_types.review.limits.gate: 90s  # from limits.gate',
      'worktree.setup: []  # default',
    ]),
  )
  const { values } = (
    await bench.call(['config', '--json'], { env, cwd: home.replace(/home$/, 'checkout') })
  ).json<{
    values: Record<string, { value: unknown; source: string }>
  }>()
  expect(Object.keys(values)).toHaveLength(lines.length)
  expect(values).toMatchObject({
    'agents.mine.command': { value: ['node', '-e', 'console.log(1)'], source: 'umpire.yaml:3' },
    'limits.gate': { value: '90s', source: 'umpire.local.yaml:1' },
    max_cycles: { value: 5, source: 'from effort' },
    'review.blind': { value: true, source: 'default' },
  })
  expect(existsSync(bench.home)).toBe(false)
})

test('config shows no secrets and no control characters', async () => {
  const bench = openBench({
    config: {
      agents: {
        mine: {
          command: ['run', '--key', 'sk-abcdefghijklmnopqrstuvwxyz', 'a\u001b[31mb\u202ec'],
          env: { API_TOKEN: 'x1', NAME: 'plain', OTHER: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789' },
        },
      },
      notify: [
        { webhook: 'https://hooks.example.com/T000/very-secret' },
        { command: 'say "$UMPIRE_MESSAGE"' },
      ],
    },
  })
  for (const flags of [[], ['--json']]) {
    const { code, stdout } = await bench.call(['config', ...flags], {
      env: { MY_SECRET: 'plain-but-secret' },
    })
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/sk-abc|x1|ghp_|very-secret|\u001b|\u202e/)
    expect(stdout).toContain('https://hooks.example.com/[redacted]')
  }
  const lines = (await bench.umpire('config')).stdout
  expect(lines).toMatch(/^agents\.mine\.env\.API_TOKEN: "\[redacted\]" /m)
  expect(lines).toMatch(/^agents\.mine\.env\.NAME: plain /m)
  expect(lines).toContain('\\u001b[31mb\\u202ec')
})

test('config reports all invalid settings at once, and is allowed inside a session because it only reads', async () => {
  const bench = openBench()
  bench.write({ 'umpire.yaml': 'paralell: 3\nmax_cycles: many\n', 'umpire.local.yaml': 'gates: 1\n' })
  const { code, stdout, stderr } = await bench.umpire('config')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(
    /umpire\.yaml:1: paralell: .*\n.*umpire\.yaml:2: max_cycles: .*\n.*umpire\.local\.yaml:1: gates/,
  )

  const run = ['umpire', 'config', '--json']
  const inside = openBench({ scenario: { developer: [{ do: [{ run }, { write: { 'a.txt': '' } }] }] } })
  await inside.add('Look at it')
  await inside.umpire('work')
  const looked = inside.played().find(({ argv }) => argv?.[1] === 'config')
  expect(looked?.code).toBe(0)
  expect(JSON.parse(looked?.stdout ?? '').values['roles.developer.agent'].value).toBe('actor')
})
