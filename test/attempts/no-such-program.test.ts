/** An agent that is not installed, for a user who may not read every folder on the PATH. */
import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let work: string
let locked: string

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'umpire-no-program-'))
  locked = join(work, 'locked')
  await copyFile(resolve(import.meta.dirname, '../../src/attempts/keeper.sh'), join(work, 'keeper.sh'))
  await mkdir(join(work, 'attempt'))
  await writeFile(join(work, 'attempt/prompt'), '')
  await mkdir(locked)
  await chmod(locked, 0o000)
  // Root may read every folder, so when these tests run as root, the keeper runs as another user.
  for (const path of ['', 'attempt', 'attempt/prompt', 'keeper.sh']) await chmod(join(work, path), 0o777)
})
afterEach(async () => {
  await chmod(locked, 0o700)
  await rm(work, { recursive: true, force: true })
})

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

async function keep(program: string): Promise<{ result: string; stderr: string }> {
  const [first = '', ...rest] = [
    ...(process.getuid?.() === 0 ? asNobody : []),
    ...['/bin/sh', join(work, 'keeper.sh'), join(work, 'attempt'), '3600', 'boot pid:[1]', program],
  ]
  const env = { PATH: `${locked}:/usr/bin:/bin`, UMPIRE_KEEPER: 'mark' }
  spawnSync(first, rest, { cwd: work, env })
  const read = (name: string) => readFile(join(work, 'attempt', name), 'utf8')
  return { result: await read('result'), stderr: await read('stderr') }
}

test('exits with 127 as usual, with the reason on standard error', async () => {
  const { result, stderr } = await keep('no-such-agent')
  expect(result).toBe('exited 127\n')
  expect(stderr).toContain('no-such-agent: not found')
})

test('still exits with 126 for a program that exists but can’t be run', async () => {
  await writeFile(join(work, 'no-program'), '', { mode: 0o644 })
  expect((await keep('./no-program')).result).toBe('exited 126\n')
})

test('finds a program in a later folder on the PATH', async () => {
  expect(await keep('true')).toEqual({ result: 'exited 0\n', stderr: '' })
})
