/** Which agents run in the sandbox: built-in ones wherever it works, others only on request, and then always. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bwrapPath, hasSandbox, openScripted } from '../support/sandbox.ts'
import { type Bench, openBench } from '../support/umpire.ts'

/** Puts a program first on the PATH of everything that the bench starts. */
function install(bench: Bench, name: string, ...script: string[]): void {
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, name), ['#!/bin/sh', ...script, ''].join('\n'))
  chmodSync(join(bin, name), 0o755)
  if (!bench.env.PATH?.startsWith(bin)) bench.env.PATH = [bin, bench.env.PATH].join(delimiter)
}

/** Installs programs that answer like the real ones in either role, and try to write outside the sandbox. */
function installAgents(bench: Bench): void {
  const act = [
    'cat >/dev/null',
    'echo put > ~/evil-$NAME.txt 2>/dev/null',
    'echo put > ~/.$NAME/state 2>/dev/null',
    '[ $UMPIRE_ROLE = developer ] && echo work > work.txt',
  ]
  const verdict = '**Verdict: APPROVED**'
  const claude = { type: 'result', subtype: 'success', is_error: false, result: verdict, usage: {} }
  const codex = { type: 'item.completed', item: { id: 'a', type: 'agent_message', text: verdict } }
  install(bench, 'claude', 'NAME=claude', ...act, `echo '${JSON.stringify(claude)}'`)
  install(
    bench,
    'codex',
    ...['NAME=codex', ...act, `echo '${JSON.stringify(codex)}'`],
    `echo '{"type":"turn.completed","usage":{}}'`,
  )
}

/** Which sessions were confined, according to the journal. */
async function confined(bench: Bench): Promise<string[]> {
  const started = (await bench.events()).filter(({ type }) => type === 'session.started')
  return started.map(({ data }) => `${data.agent} ${data.role} ${data.confined ? 'confined' : 'free'}`)
}

const wrote = (bench: Bench, file: string) => existsSync(join(bench.env.HOME ?? '', file))

/** A bwrap that works like the real one, but refuses calls that match the pattern. */
const refusing = (pattern: string) => [
  `case " $* " in *${pattern}*) echo "bwrap: No permissions to create a new namespace" >&2; exit 1;; esac`,
  `exec ${bwrapPath} "$@"`,
]

const roles = { developer: 'claude', reviewer: 'codex' }

describe.skipIf(!hasSandbox)('where the sandbox works', () => {
  test('built-in agents run in it in both roles, and keep their own logins and sessions', async () => {
    const bench = openBench({ config: { roles } })
    installAgents(bench)
    await bench.add('Be confined')
    expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
    expect(await confined(bench)).toEqual(['claude developer confined', 'codex reviewer confined'])
    expect([wrote(bench, 'evil-claude.txt'), wrote(bench, 'evil-codex.txt')]).toEqual([false, false])
    expect([wrote(bench, '.claude/state'), wrote(bench, '.codex/state')]).toEqual([true, true])
    const { stdout } = await bench.umpire('doctor')
    expect(stdout).toMatch(/^✓ sandbox: bwrap works, at .*; agents can write only/m)
    expect(stdout).toMatch(/^✓ developer: claude runs .*\/claude in the sandbox$/m)
  })

  test('an unknown ACP agent runs in it as a reviewer, and as a developer only on request', async () => {
    const command = ['sh', '-c', 'echo put > ~/evil.txt; exit 1']
    const acp = { agent: 'acp', command }
    const script = { command: ['sh', 'tools/agent.sh'] }
    const agents = { script, reader: acp, free: { ...acp, confine: false } }
    const bench = openScripted({ confine: false, developer: ['echo work > work.txt'], config: { agents } })
    const run = async (...args: string[]) => {
      const id = await bench.add('Be read', ...args)
      await bench.umpire('work', String(id))
      return (await confined(bench)).at(-1)
    }
    expect(await run('--reviewer', 'reader')).toBe('reader reviewer confined')
    expect(wrote(bench, 'evil.txt')).toBe(false)
    expect(await run('--agent', 'reader')).toBe('reader developer free')
    expect(await run('--reviewer', 'free')).toBe('free reviewer free')
    expect(wrote(bench, 'evil.txt')).toBe(true)
  })

  test('an agent with its own sandbox runs outside of ours when nested sandboxes do not work', async () => {
    const bench = openBench({ config: { roles } })
    installAgents(bench)
    install(bench, 'bwrap', ...refusing('--unshare-user'))
    await bench.add('Be confined once')
    expect(await bench.umpire('work')).toMatchObject({ code: 0 })
    expect(await confined(bench)).toEqual(['claude developer confined', 'codex reviewer free'])
    expect((await bench.umpire('doctor')).stdout).toContain('but no other sandbox works inside it')
  })

  test('a person’s own program and the scripted agent do not run in it by default', async () => {
    const bench = openScripted({ confine: false, developer: ['echo work > work.txt', 'put ~/mine.txt'] })
    await bench.add('Be free')
    expect((await bench.umpire('work')).code).toBe(0)
    expect(await confined(bench)).toEqual(['script developer free', 'script reviewer free'])
    expect(wrote(bench, 'mine.txt')).toBe(true)
  })
})

describe('where the sandbox does not work', () => {
  test('built-in agents run without it, and doctor says so and what to do', async () => {
    const bench = openBench({ config: { roles } })
    installAgents(bench)
    install(bench, 'bwrap', ...refusing('--ro-bind'))
    await bench.add('Run all the same')
    expect(await bench.umpire('work')).toMatchObject({ code: 0 })
    expect(await confined(bench)).toEqual(['claude developer free', 'codex reviewer free'])
    const { stdout } = await bench.umpire('doctor')
    expect(stdout).toMatch(
      /! sandbox: \/.*bin\/bwrap does not work here \(bwrap: No permissions .*\); agents run with your permissions/,
    )
    expect(stdout).toContain('→ Allow it to create user namespaces')
  })

  test('refuses confine: true before anything starts', async () => {
    const bench = openScripted({ developer: ['put ~/ran.txt'] })
    install(bench, 'bwrap', ...refusing('--ro-bind'))
    await bench.add('Do not begin')
    const { code, stderr } = await bench.umpire('work')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^umpire: The agent script must run in a sandbox, and there is none: .*\n.*confine: true/,
    )
    expect((await bench.events()).map(({ type }) => type)).toEqual(['task.added'])
    expect(wrote(bench, 'ran.txt')).toBe(false)
    const { stdout } = await bench.umpire('doctor')
    expect(stdout).toMatch(/^✗ developer: The agent script must run in a sandbox, and there is none: /m)
  })

  test('a task that names such an agent fails with the same message, and the others continue', async () => {
    const script = { command: ['sh', 'tools/agent.sh'] }
    const bench = openScripted({
      confine: false,
      config: { agents: { script, held: { ...script, confine: true } } },
    })
    install(bench, 'bwrap', ...refusing('--ro-bind'))
    const id = await bench.add('Be held', '--agent', 'held')
    await bench.add('Be free')
    expect((await bench.umpire('work')).code).toBe(1)
    expect(await bench.show(id)).toMatchObject({ status: 'failed', reason: 'crash' })
    expect((await bench.umpire('show', String(id))).stdout).toContain('The agent held must run in a sandbox')
    expect(await bench.show(2)).toMatchObject({ status: 'completed' })
  })
})

test('tests the sandbox once per run, and never for status or show', async () => {
  const bench = openBench({ config: { roles: { developer: 'claude', reviewer: 'claude' } } })
  installAgents(bench)
  install(bench, 'bwrap', 'echo tried >> "$BENCH/tried"', 'exit 1')
  await bench.add('First')
  await bench.add('Second')
  await bench.umpire('status')
  await bench.umpire('show', '1')
  expect(existsSync(join(bench.folder, 'tried'))).toBe(false)
  expect((await bench.umpire('work')).code).toBe(0)
  expect(readFileSync(join(bench.folder, 'tried'), 'utf8')).toBe('tried\n')
})
