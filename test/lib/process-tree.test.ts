import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { identify } from '../../src/lib/process/process-identity.ts'
import { endTree, findTree } from '../../src/lib/process/process-tree.ts'

const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
    await endTree({ name: 'NONE', value: '', under: child.pid }, 0)
    child.kill('SIGKILL')
  }
})

/** Starts a shell script that prints pids, and returns the script's pid and the printed ones. */
async function start(script: string, variables: Record<string, string>): Promise<[number, ...number[]]> {
  const env = { PATH: process.env.PATH ?? '', ...variables }
  const child = spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  started.push(child)
  const [printed] = await once(child.stdout, 'data')
  return [child.pid ?? 0, ...String(printed).trim().split(/\s+/).map(Number)]
}

const sorted = (pids: number[]) => [...pids].sort((a, b) => a - b)

describe('a process tree', () => {
  it('is found by its exact variable, with descendants that lack the variable', async () => {
    const value = randomUUID()
    const tree = await start('env -i sleep 600 & echo $!; wait', { MARK: value })
    await start('echo 1; exec sleep 600', { MARK: `${value}2`, XMARK: value, OTHER: `MARK=${value}` })
    expect(sorted(await findTree({ name: 'MARK', value }))).toEqual(sorted(tree))
    expect(await findTree({ name: 'MARK', value: randomUUID() })).toEqual([])
  })

  it('can be the descendants of a process, without the spared ones', async () => {
    const value = randomUUID()
    const script = 'env -i sleep 600 & echo $!; SPARED=$V sh -c "sleep 600 & wait" & wait'
    const [top, bare] = await start(script, { V: value })
    expect(await findTree({ name: 'NONE', value, under: top, sparing: 'SPARED' })).toEqual([bare])
  })

  it('is killed completely, even if it ignores SIGTERM, and other processes survive', async () => {
    const value = randomUUID()
    const script = `trap '' TERM; setsid sh -c "trap '' TERM; while :; do sleep 1; done" & echo $!; wait`
    const tree = await start(script, { MARK: value })
    const [other] = await start('echo 1; exec sleep 600', { MARK: 'other' })
    await endTree({ name: 'MARK', value }, 100)
    expect(tree.map((pid) => identify(pid))).toEqual([null, null])
    expect(identify(other)).not.toBeNull()
  })

  it('gets time to exit by itself', async () => {
    const value = randomUUID()
    await start(`trap 'exit 7' TERM; echo 1; while :; do sleep 0.05; done`, { MARK: value })
    const ended = once(started[0] ?? process, 'exit')
    await endTree({ name: 'MARK', value }, 30_000)
    expect(await ended).toEqual([7, null])
  })

  it('never contains this process', async () => {
    const [name, value] = Object.entries(process.env).find(([key]) => key === 'PATH') ?? ['', '']
    expect(await findTree({ name, value: value ?? '' })).not.toContain(process.pid)
  })
})
