import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  formatIdentity,
  identify,
  isAlive,
  isStopped,
  parseIdentity,
  processState,
  readStat,
  sameProcess,
} from '../../src/lib/process/process-identity.ts'

const started: { kill(signal: 'SIGKILL'): boolean }[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

function start(...argv: string[]) {
  const child = spawn(argv[0] ?? '', argv.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] })
  started.push(child)
  const identity = identify(child.pid)
  if (identity === null) throw new Error('it did not start')
  return { child, identity }
}

describe('the identity of a process', () => {
  it('is the same each time, and survives as text', () => {
    const { identity } = start('sleep', '600')
    expect(identify(identity.pid)).toEqual(identity)
    expect(parseIdentity(formatIdentity(identity))).toEqual(identity)
    expect(sameProcess(identity, { ...identity })).toBe(true)
    expect(sameProcess(identity, { ...identity, start: '0' })).toBe(false)
  })

  it('is alive, stopped, alive again and gone, like its process', async () => {
    const { child, identity } = start('sleep', '600')
    expect([isAlive(identity), isStopped(identity)]).toEqual([true, false])
    child.kill('SIGSTOP')
    await vi.waitFor(() => expect(processState(identity)).toBe('stopped'), 120_000)
    expect([isAlive(identity), isStopped(identity)]).toEqual([true, true])
    child.kill('SIGCONT')
    await vi.waitFor(() => expect(processState(identity)).toBe('running'), 120_000)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect([isAlive(identity), isStopped(identity), identify(identity.pid)]).toEqual([false, false, null])
  })

  it('is read correctly if the process name has spaces and brackets', async () => {
    const script = `printf ') Z 1 (' >/proc/self/comm; echo ready; read forever`
    const { child, identity } = start('bash', '-c', script.replace('self', '$$'))
    await once(child.stdout, 'data')
    expect(readStat(identity.pid)).toMatchObject({ parent: process.pid, start: identity.start })
    expect(processState(identity)).toBe('running')
  })

  it.each(['', '12', '12 34 boot', 'x 1 2 3', '0 1 2 3', '1 2 3 4 5'])('cannot be parsed from %j', (text) => {
    expect(parseIdentity(text)).toBeNull()
  })
})

describe('ancestorsEnvironment', () => {
  it('finds a variable that a process in between removed for its children', async () => {
    const entry = resolve(import.meta.dirname, '../../src/lib/process/process-identity.ts')
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    })
    const source = `${outputFiles[0]?.text}\nconsole.log(JSON.stringify(ancestorsEnvironment('UMPIRE_TEST')))`
    // The `:` at the end keeps each shell alive, and each one passes on less than it got.
    const inner = `UMPIRE_TEST=inner "$0" --input-type=module -e "$1"; :`
    const outer = `env -u UMPIRE_TEST sh -c '${inner}' "$0" "$1"; :`
    const env = { ...process.env, UMPIRE_TEST: 'outer', UMPIRE_TEST_2: 'other' }
    const { stdout } = spawnSync('sh', ['-c', outer, process.execPath, source], { env, encoding: 'utf8' })
    expect(JSON.parse(stdout)).toEqual(['inner', 'outer'])
  })
})
