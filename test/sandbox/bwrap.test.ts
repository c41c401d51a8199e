/** The command line for bubblewrap, and that the real bubblewrap does with it what is meant. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Box, bwrapArguments, entriesHolding, openBwrap } from '../../src/sandbox/bwrap.ts'
import { packageCaches } from '../../src/sandbox/package-caches.ts'
import { bwrapPath, hasSandbox } from '../support/sandbox.ts'

const box: Box = { cwd: '/place', writable: [], kept: [], temporary: [], needed: [], isRoot: false }

describe('the command line', () => {
  test('makes everything read-only, then opens what may be written, then closes what may not', () => {
    const args = bwrapArguments({ ...box, writable: ['/place/deep/er', '/place'], kept: ['/place/.git'] })
    expect(args).toEqual([
      ...['--cap-drop', 'ALL', '--unshare-pid', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
      ...['--bind-try', '/place', '/place', '--bind-try', '/place/deep/er', '/place/deep/er'],
      ...['--ro-bind-try', '/place/.git', '/place/.git', '--chdir', '/place', '--'],
    ])
  })

  test('shows only what is needed in a temporary folder, which is otherwise empty', () => {
    const args = bwrapArguments({
      ...box,
      temporary: ['/tmp/own', '/tmp'],
      needed: ['/tmp/own/a/b', '/tmp/c/d', '/tmp/c/e', '/usr/bin', '/tmp'],
    })
    expect(args.join(' ')).toContain(
      '--tmpfs /tmp --ro-bind-try /tmp/own /tmp/own --ro-bind-try /tmp/c /tmp/c ' +
        '--tmpfs /tmp/own --ro-bind-try /tmp/own/a /tmp/own/a --chdir',
    )
    expect(entriesHolding(['/tmpx/a', '/tmp', '/'], '/tmp')).toEqual([])
  })

  test("shows a repository in shared memory, which the sandbox's own /dev would hide", () => {
    const args = bwrapArguments({ ...box, needed: ['/dev/shm/mine/checkout', '/dev/null'] })
    expect(args.join(' ')).toContain(
      '--dev /dev --proc /proc --ro-bind-try /dev/shm/mine /dev/shm/mine --chdir',
    )
  })

  test('has no network if none is wanted', () => {
    expect(bwrapArguments(box)).not.toContain('--unshare-net')
    expect(bwrapArguments({ ...box, offline: true })).toContain('--unshare-net')
  })

  test('leaves root only capabilities over files, and the one to make a nested sandbox', () => {
    const args = bwrapArguments({ ...box, isRoot: true })
    const rights = args.filter((_, place) => args[place - 1] === '--cap-add')
    expect(rights).toEqual(['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETFCAP'])
  })
})

test('package caches are those below the home folder, and those that a variable moved', () => {
  const caches = packageCaches({ HOME: '/home/me', XDG_CACHE_HOME: '/var/cache/me', GOCACHE: 'off' })
  expect(caches).toContain('/home/me/.npm/_cacache')
  expect(caches).toContain('/var/cache/me')
  expect(caches).not.toContain('off')
  // None of them holds programs or settings.
  expect(caches).not.toContain('/home/me/.cargo')
  expect(caches).not.toContain('/home/me/.npm')
  expect(caches).not.toContain('/home/me/.gradle')
  expect(caches).not.toContain('/home/me/.local/share/pnpm')
  expect(packageCaches({})).toEqual([])
})

test('if it is not installed, says so with what to do, and nothing nests in it', async () => {
  const sandbox = openBwrap({ program: null, needed: [] })
  expect(await sandbox.state()).toEqual({
    kind: 'missing',
    why: 'bwrap is not on the PATH',
    fix: expect.stringContaining('apt install bubblewrap'),
  })
  expect(await sandbox.nests()).toBe(false)
  expect(await sandbox.withoutNetwork()).toMatchObject({ kind: 'missing' })
})

describe.skipIf(!hasSandbox)('the real bubblewrap', () => {
  let folder: string
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'umpire-sandbox-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const program = bwrapPath ?? ''
  const env = () => ({ PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), TMPDIR: folder })

  test('works here, and so does another one inside it', async () => {
    const sandbox = openBwrap({ program, needed: [] })
    expect(await sandbox.state()).toEqual({ kind: 'works', by: program })
    expect(await sandbox.nests()).toBe(true)
  })

  test('follows links to what may be written, and opens the program’s own folders without its settings', async () => {
    mkdirSync(join(folder, 'real'))
    mkdirSync(join(folder, 'work'))
    mkdirSync(join(folder, 'home'))
    symlinkSync(join(folder, 'real'), join(folder, 'home/link'))
    const sandbox = openBwrap({ program, needed: [] })
    mkdirSync(join(folder, 'home/state'))
    writeFileSync(join(folder, 'home/state/settings'), 'mine')
    const script =
      'echo f > home/state/settings; rm home/state/settings; echo a > home/link/a; echo b > work/b; echo c > home/state/c; echo d > work/kept; echo e > e; pwd; ls /tmp'
    writeFileSync(join(folder, 'work/kept'), 'kept')
    const [file, ...args] = await sandbox.enter(['sh', '-c', script], {
      cwd: folder,
      env: env(),
      writable: [join(folder, 'home/link'), join(folder, 'work'), join(folder, 'not-there')],
      state: [join(folder, 'home/state')],
      steering: [join(folder, 'home/state/settings'), join(folder, 'home/state/missing')],
      kept: [join(folder, 'work/kept')],
    })
    const stdout = execFileSync(file, args, {
      env: env(),
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    expect(stdout.split('\n')[0]).toBe(folder)
    const wrote = ['real/a', 'work/b', 'home/state/c', 'e'].filter((path) => existsSync(join(folder, path)))
    // To the program this folder is a private temporary folder, and the last file went there.
    expect(wrote).toEqual(['real/a', 'work/b', 'home/state/c'])
    expect(readFileSync(join(folder, 'work/kept'), 'utf8')).toBe('kept')
    expect(readFileSync(join(folder, 'home/state/settings'), 'utf8')).toBe('mine')
  })

  test.each(['home', 'programs'])('does not cover a TMPDIR that contains the %s', async (held) => {
    mkdirSync(join(folder, 'own', held), { recursive: true })
    writeFileSync(join(folder, 'own/beside'), 'here\n')
    const own = { ...env(), TMPDIR: join(folder, 'own') }
    const used = held === 'home' ? { HOME: own.TMPDIR } : { PATH: `${own.PATH}:${join(own.TMPDIR, held)}` }
    const bounds = { cwd: folder, env: { ...own, ...used }, writable: [], state: [], steering: [], kept: [] }
    const sandbox = openBwrap({ program, needed: [] })
    const [file, ...args] = await sandbox.enter(['cat', 'own/beside'], bounds)
    expect(execFileSync(file, args, { env: bounds.env, encoding: 'utf8' })).toBe('here\n')
  })

  test('without a network reaches neither other machines nor the sockets of this one', async () => {
    const sandbox = openBwrap({ program, needed: [] })
    expect(await sandbox.withoutNetwork()).toEqual({ kind: 'works', by: program })
    const bounds = { cwd: folder, env: env(), writable: [], state: [], steering: [], kept: [] }
    const looks = ['sh', '-c', 'cat /proc/net/dev; ls /run'] as [string, ...string[]]
    const [file, ...args] = await sandbox.enter(looks, { ...bounds, network: 'none' })
    const seen = execFileSync(file, args, { env: env(), encoding: 'utf8' })
    expect(seen.match(/^ *\w+:/gm)?.map((name) => name.trim())).toEqual(['lo:'])
    expect(seen.trimEnd().split('\n').at(-1)).toMatch(/^ *lo:/)
  })

  test.each([
    [undefined, 'secret\n'],
    ['none', ''],
  ] as const)('with the network set to %s, a path on the command line reads as %j', async (network, seen) => {
    writeFileSync(join(folder, 'socket'), 'secret\n')
    const sandbox = openBwrap({ program, needed: [] })
    // None of the program's own folders is in the temporary folder itself.
    const bounds = {
      ...{ cwd: '/', env: { PATH: '/usr/bin:/bin', HOME: '/', TMPDIR: folder } },
      ...{ writable: [], state: [], steering: [], kept: [] },
    }
    const looks = ['/bin/sh', '-c', 'cat "$1" 2>/dev/null || true', 'sh', join(folder, 'socket')]
    const [file, ...args] = await sandbox.enter(looks as [string, ...string[]], {
      ...bounds,
      ...(network && { network }),
    })
    expect(execFileSync(file, args, { env: bounds.env, encoding: 'utf8' })).toBe(seen)
  })

  test('keeps programs in a cache read-only', async () => {
    mkdirSync(join(folder, 'home/.cache/pre-commit'), { recursive: true })
    const sandbox = openBwrap({ program, needed: [] })
    const caches = sandbox.caches(env())
    expect(caches).toEqual([join(folder, 'home/.cache')])
    const bounds = { cwd: folder, env: env(), writable: caches, state: [], steering: [], kept: [] }
    const script =
      'echo a > home/.cache/a; echo b > home/.cache/pre-commit/b; mv home/.cache/pre-commit x; true'
    const [file, ...args] = await sandbox.enter(['sh', '-c', script], bounds)
    execFileSync(file, args, { env: env(), stdio: 'ignore' })
    expect(existsSync(join(folder, 'home/.cache/a'))).toBe(true)
    expect(existsSync(join(folder, 'home/.cache/pre-commit'))).toBe(true)
    expect(existsSync(join(folder, 'home/.cache/pre-commit/b'))).toBe(false)
  })
})
