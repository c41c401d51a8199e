import '../support/patient.ts'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Attempts } from '../../src/attempts/attempt.ts'
import { handIn, noteRefusal } from '../../src/attempts/hand-in.ts'
import { openLocalAttempts } from '../../src/attempts/local-attempts.ts'
import { ask, awaitAnswer } from '../../src/attempts/requests.ts'
import {
  formatIdentity,
  identify,
  type ProcessIdentity,
  parseIdentity,
  processPlace,
  readStat,
} from '../../src/lib/process/process-identity.ts'
import { findTree } from '../../src/lib/process/process-tree.ts'
import { describeAttempts } from '../contract/attempts.ts'
import { describeLeft } from '../contract/attempts-left.ts'
import { describeQuiet } from '../contract/attempts-quiet.ts'
import { describeRequests } from '../contract/attempts-requests.ts'

const keeper = resolve(import.meta.dirname, '../../src/attempts/keeper.sh')
const never = new AbortController().signal

function openIn(folder: string, script: string) {
  const root = join(folder, 'attempts')
  return {
    attempts: openLocalAttempts({ root, keeper: script }),
    handIn: handIn.bind(null, root),
    ask: ask.bind(null, root),
    awaitAnswer: awaitAnswer.bind(null, root),
    noteRefusal: noteRefusal.bind(null, root),
  }
}

describeAttempts('local attempts', (folder) => openIn(folder, keeper))
describeLeft('local attempts', (folder) => openIn(folder, keeper))
describeQuiet('a local attempt that falls quiet', (folder) => openIn(folder, keeper))
describeRequests('local attempts', (folder) => openIn(folder, keeper))

describe('a local attempt', () => {
  let work: string
  let root: string
  let attempts: Attempts
  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'umpire-local-'))
    root = join(work, 'attempts')
    await mkdir(root)
    attempts = openLocalAttempts({ root, keeper })
  })
  afterEach(async () => {
    for (const id of await readdir(root)) await attempts.kill(id)
    await rm(work, { recursive: true, force: true })
  })

  const start = (script: string, limitMs = 3_600_000, to = attempts) =>
    to.start({
      id: 'a',
      argv: ['sh', '-c', script],
      cwd: work,
      env: { PATH: process.env.PATH ?? '' },
      stdin: 'p',
      limitMs,
    })
  const follow = async (from = attempts) => {
    const stdout: string[] = []
    const onLines = async (_source: string, lines: { text: string }[]) => {
      stdout.push(...lines.map((line) => line.text))
    }
    return { end: await from.follow('a', { idleMs: null, onLines }, never), stdout }
  }
  const printed = () =>
    vi.waitFor(async () => {
      const text = await readFile(join(root, 'a/stdout'), 'utf8')
      expect(text).toMatch(/\n$/)
      return text.trim()
    }, 120_000)
  async function keeperOf(id: string): Promise<{ identity: ProcessIdentity; mark: string }> {
    const [first = '', mark = ''] = (await readFile(join(root, id, 'keeper'), 'utf8')).split('\n')
    const identity = parseIdentity(first)
    if (identity === null) throw new Error(`no identity in ${first}`)
    return { identity, mark }
  }
  async function forge(identity: ProcessIdentity): Promise<void> {
    await mkdir(join(root, 'a'))
    await writeFile(join(root, 'a/keeper'), `${formatIdentity(identity)}\nforged\n`)
  }
  function self(): ProcessIdentity {
    const identity = identify()
    if (identity === null) throw new Error('this process is not there')
    return identity
  }

  it('is adopted after the process that started it was killed', async () => {
    const bundle = join(work, 'local.mjs')
    const entry = resolve(import.meta.dirname, '../../src/attempts/local-attempts.ts')
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: bundle })
    const spec = {
      id: 'a',
      argv: ['sh', '-c', 'echo before; while [ ! -e go ]; do sleep 0.02; done; echo after'],
    }
    const source = `
      import { openLocalAttempts } from ${JSON.stringify(bundle)}
      const attempts = openLocalAttempts(${JSON.stringify({ root, keeper })})
      await attempts.start(${JSON.stringify({ ...spec, cwd: work, env: process.env, stdin: '', limitMs: 60_000 })})
      process.kill(process.pid, 'SIGKILL')`
    const starter = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'inherit' })
    expect(await once(starter, 'exit')).toEqual([null, 'SIGKILL'])

    expect(await attempts.attach('a')).toBe('running')
    const following = follow()
    await writeFile(join(work, 'go'), '')
    expect(await following).toMatchObject({ end: { kind: 'exited', code: 0 }, stdout: ['before', 'after'] })
  })

  it('has a keeper whose recorded identity matches its process', async () => {
    await start('exec sleep 600')
    const { identity } = await keeperOf('a')
    expect(identify(identity.pid)).toEqual(identity)
  })

  it('is lost when its keeper was killed, and its remaining processes are stopped', async () => {
    await start('echo $$; exec sleep 600')
    const agent = Number(await printed())
    const { identity, mark } = await keeperOf('a')
    process.kill(identity.pid, 'SIGKILL')
    await vi.waitFor(async () => expect(await attempts.attach('a')).toBe('dead'), 120_000)
    expect(identify(agent)).not.toBeNull()
    expect((await follow()).end).toEqual({ kind: 'lost' })
    expect(identify(agent)).toBeNull()
    expect(await findTree({ name: 'UMPIRE_KEEPER', value: mark })).toEqual([])
  })

  it('is lost to a follower when its keeper is killed', async () => {
    await start('echo $$; exec sleep 600')
    const agent = Number(await printed())
    const following = follow()
    process.kill((await keeperOf('a')).identity.pid, 'SIGKILL')
    expect((await following).end).toEqual({ kind: 'lost' })
    expect(identify(agent)).toBeNull()
  })

  it('is stopped at its time limit even after its keeper was killed', async () => {
    await start('echo $$; exec sleep 600', 3_000)
    const agent = Number(await printed())
    const { identity, mark } = await keeperOf('a')
    process.kill(identity.pid, 'SIGKILL')
    await vi.waitFor(() => expect(identify(agent)).toBeNull(), 120_000)
    await vi.waitFor(
      async () => expect(await findTree({ name: 'UMPIRE_KEEPER', value: mark })).toEqual([]),
      120_000,
    )
  })

  it('can be killed even if its keeper is frozen', async () => {
    await start('echo $$; exec sleep 600')
    const agent = Number(await printed())
    process.kill((await keeperOf('a')).identity.pid, 'SIGSTOP')
    await attempts.kill('a')
    expect(identify(agent)).toBeNull()
    expect(await attempts.attach('a')).toBe('dead')
  })

  it('is running as long as the process in its keeper file is the same one', async () => {
    await forge(self())
    expect(await attempts.attach('a')).toBe('running')
    await rm(join(root, 'a'), { recursive: true })
  })

  it.each([
    ['the pid was given to another process', { start: '1' }],
    ['the machine was started again', { boot: '00000000-0000-0000-0000-000000000000' }],
    ['the pid is of another container', { namespace: 'pid:[1]' }],
    ['there is no such process', { pid: 2 ** 22 + 1 }],
  ])('is dead when %s', async (_why, other) => {
    await forge({ ...self(), ...other })
    expect(await attempts.attach('a')).toBe('dead')
    expect((await follow()).end).toEqual({ kind: 'lost' })
  })

  it('is dead when its keeper is a zombie', async () => {
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const zombie = Number(String((await once(parent.stdout, 'data'))[0]))
      // The shell would still reap its child. The `sleep` that replaces the shell does not.
      const isShell = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sh'
      await vi.waitFor(() => expect(isShell()).toBe(false), 120_000)
      process.kill(zombie, 'SIGKILL')
      const isZombie = () => {
        const found = readStat(zombie)
        expect(found?.state).toBe('Z')
        return found
      }
      const stat = await vi.waitFor(isZombie, 120_000)
      await forge({ pid: zombie, start: stat?.start ?? '', ...processPlace() })
      expect(await attempts.attach('a')).toBe('dead')
    } finally {
      parent.kill('SIGKILL')
    }
  })

  it('is done when the result exists, whatever happened to the keeper', async () => {
    await forge({ ...self(), start: '1' })
    await writeFile(join(root, 'a/result'), 'overdue 143\n')
    expect(await attempts.attach('a')).toBe('done')
    expect((await follow()).end).toMatchObject({ kind: 'exited', code: 143, overdue: true })
  })

  it('is dead when a power cut left only empty files', async () => {
    await mkdir(join(root, 'a'))
    for (const name of ['keeper', 'result']) await writeFile(join(root, 'a', name), '')
    expect(await attempts.attach('a')).toBe('dead')
  })

  it('is not changed by a keeper that comes too late', async () => {
    await attempts.kill('a')
    const before = await readdir(join(root, 'a'))
    const env = { ...process.env, UMPIRE_KEEPER: 'late' }
    spawnSync('/bin/sh', [keeper, join(root, 'a'), '60', 'boot pid:[1]', 'touch', join(work, 'ran')], { env })
    expect(await readdir(join(root, 'a'))).toEqual(before)
    expect(existsSync(join(work, 'ran'))).toBe(false)
  })

  it('restricts its files to their owner', async () => {
    await start('echo out; echo err >&2')
    await follow()
    await handIn(root, 'a', { token: 't', body: 'b' })
    await noteRefusal(root, 'a', 'no')
    const folder = join(root, 'a')
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder, { recursive: true })) {
      const found = await stat(join(folder, name))
      const mode = (found.mode & 0o777).toString(8)
      expect([name, mode]).toEqual([name, found.isDirectory() ? '700' : '600'])
    }
  })

  it.each(['', '..', 'a/b', '.hidden', 'a b'])('rejects the id %j', async (id) => {
    await expect(attempts.attach(id)).rejects.toThrow('not a valid attempt id')
  })

  /** The keeper script, changed as if one of its tools worked differently. */
  async function keeperWith(change: (text: string) => string): Promise<Attempts> {
    const text = await readFile(keeper, 'utf8')
    const changed = change(text)
    expect(changed).not.toBe(text)
    await writeFile(join(work, 'keeper.sh'), changed)
    return openLocalAttempts({ root, keeper: join(work, 'keeper.sh') })
  }

  it('runs only once even without hard links', async () => {
    const others = await keeperWith((text) => text.replace('! ln ', '! false '))
    await Promise.all(Array.from({ length: 5 }, () => start('echo run >>runs', 60_000, others)))
    expect((await follow()).end).toMatchObject({ kind: 'exited', code: 0 })
    expect(await readFile(join(work, 'runs'), 'utf8')).toBe('run\n')
  })

  it('stops the processes it left behind even if grep stops at a NUL byte', async () => {
    const others = await keeperWith((text) => text.replace('/proc/[0-9]*/environ /proc', '/proc'))
    await start('setsid sleep 600 & echo $!', 60_000, others)
    const { stdout } = await follow()
    expect(identify(Number(stdout[0]))).toBeNull()
  })

  describe.each(['dash', 'bash', 'busybox'])('kept by %s', (shell) => {
    const found = spawnSync('which', [shell]).status === 0
    it.skipIf(!found)('ends as with any other shell', async () => {
      const command = shell === 'busybox' ? 'busybox sh' : shell
      await writeFile(join(work, 'by.sh'), `exec ${command} '${keeper}' "$@"\n`)
      const by = openLocalAttempts({ root, keeper: join(work, 'by.sh') })
      await start("setsid sleep 600 & echo $!; trap 'exit 9' TERM; while :; do sleep 0.05; done", 300, by)
      const { end, stdout } = await follow(by)
      expect(end).toMatchObject({ kind: 'exited', code: 9, overdue: true })
      expect(identify(Number(stdout[0]))).toBeNull()
    })
  })
})
