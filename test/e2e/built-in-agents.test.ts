/** What a built-in agent receives and returns. A program on the PATH imitates it. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, openBench } from '../support/umpire.ts'

const program = resolve(import.meta.dirname, '../fixtures/agents/claude.mjs')

function openWithClaude(
  roles: Record<string, unknown>,
): Bench & { run(...args: string[]): ReturnType<Bench['call']> } {
  const bench = openBench({ config: { roles } })
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  copyFileSync(program, join(bin, 'claude'))
  chmodSync(join(bin, 'claude'), 0o755)
  const env = { PATH: [bin, bench.env.PATH].join(delimiter) }
  return { ...bench, run: (...args) => bench.call(args, { env }) }
}

/** The arguments of each session, in order, as the program printed them. */
async function argvs(bench: Bench): Promise<string[][]> {
  const { stdout } = await bench.umpire('log', '1', '--raw')
  return stdout.split('\n').flatMap((line) => {
    const told: unknown = line.startsWith('{') ? JSON.parse(line) : null
    return told && typeof told === 'object' && 'argv' in told ? [told.argv as string[]] : []
  })
}

test('an unset role goes to the installed agent, and status, show and stats report its cost', async () => {
  const bench = openWithClaude({})
  expect((await bench.run('config')).stdout).toMatch(/^roles\.reviewer\.agent: claude +# first installed$/m)
  await bench.add('Make a file')
  expect(await bench.run('work', '--plain')).toMatchObject({ code: 0, stderr: '' })
  const shown = await bench.show(1)
  expect(shown).toMatchObject({
    status: 'completed',
    verdict: 'APPROVED',
    cycle: 2,
    costUsd: 1,
    tokens: 6000,
  })
  expect(
    shown.sessions.map(({ role, agent, agentSession, costUsd }) => [role, agent, agentSession, costUsd]),
  ).toEqual([
    ['developer', 'claude', 'developer-1', 0.25],
    ['reviewer', 'claude', 'reviewer-1', 0.25],
    ['developer', 'claude', 'developer-2', 0.25],
    ['reviewer', 'claude', 'reviewer-2', 0.25],
  ])
  expect((await bench.umpire('status')).stdout).toMatch(/ {2}completed {2}APPROVED \(2 cycles\) {2}\$1\.00\n/)
  expect((await bench.umpire('show', '1')).stdout).toMatch(/\$1\.00, 6k tokens/)
  const stats = await bench.umpire('stats')
  expect(stats.stdout).toMatch(
    /^1 task: 1 completed\n1 approved, 0 of them in the first review, 2\.0 reviews each on average\n/,
  )
  expect(stats.stdout).toMatch(/^claude +claude-x +developer +2 +0 .* 3k +\$0\.50$/m)
  expect(stats.stdout).toMatch(/^all +4 +0 .* 6k +\$1\.00$/m)
  expect((await bench.umpire('stats', '--json')).json()).toMatchObject({
    ...{
      tasks: 1,
      approved: 1,
      approvedAtFirst: 0,
      cyclesToApproval: 2,
      byStatus: { completed: 1, failed: 0 },
    },
    usage: expect.arrayContaining([expect.objectContaining({ role: 'reviewer', sessions: 2, costUsd: 0.5 })]),
  })
  expect((await argvs(bench)).some((argv) => argv.includes('--resume'))).toBe(false)
})

test('continue_session resumes the role’s own last session and no other', async () => {
  const bench = openWithClaude({
    developer: { agent: 'claude', continue_session: true },
    reviewer: { agent: 'claude', model: 'small', args: ['--max-turns', '9'], continue_session: true },
  })
  await bench.add('Make a file')
  expect((await bench.run('work', '--plain')).code).toBe(0)
  const resumed = (await argvs(bench)).map((argv) =>
    argv.includes('--resume') ? argv[argv.indexOf('--resume') + 1] : null,
  )
  expect(resumed).toEqual([null, null, 'developer-1', 'reviewer-1'])
  const [, reviewer] = await argvs(bench)
  expect(reviewer).toEqual(expect.arrayContaining(['--model', 'small', '--max-turns', '9']))
})

test('stats says so when there are no tasks', async () => {
  const bench = openBench()
  expect(await bench.umpire('stats')).toMatchObject({ code: 0, stdout: '0 tasks: none yet\n', stderr: '' })
})

test('does not take the output of an agent’s tool for the reason why the agent crashed', async () => {
  const bench = openBench({ config: { parallel: 1, limits: { agent_retries: 0 } } })
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  const using: Record<string, object> = {
    codex: { type: 'item.started', item: { type: 'command_execution', command: 'npm test' } },
    gemini: { type: 'tool_use', tool_name: 'run_shell_command', parameters: {} },
    opencode: { type: 'tool_use', part: { tool: 'bash', state: { status: 'completed', input: {} } } },
  }
  for (const [agent, line] of Object.entries(using)) {
    const noise = 'Error: 401 Unauthorized. Not logged in. Rate limit: try again in 7 days.'
    const script = `#!/bin/sh\necho '${JSON.stringify(line)}'\necho '${noise}' >&2\nexit 1\n`
    writeFileSync(join(bin, agent), script, { mode: 0o755 })
    await bench.add(`Ask ${agent}`, '--agent', agent)
  }
  bench.env.PATH = [bin, bench.env.PATH].join(delimiter)
  const { stderr } = await bench.umpire('work', '--plain')
  expect(stderr).not.toContain('Stopped')
  for (const id of [1, 2, 3]) {
    const { sessions } = await bench.show(id)
    expect(sessions).toMatchObject([{ outcome: { kind: 'failed', class: 'crash', retryAt: null } }])
  }
})
