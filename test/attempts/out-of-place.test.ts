/** Agents that replace the files of their attempt with other things. Reading them must never block. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Attempts, Watch } from '../../src/attempts/attempt.ts'
import { handIn, noteRefusal } from '../../src/attempts/hand-in.ts'
import { openLocalAttempts } from '../../src/attempts/local-attempts.ts'
import { ask } from '../../src/attempts/requests.ts'

const keeper = resolve(import.meta.dirname, '../../src/attempts/keeper.sh')
let root: string
let attempts: Attempts
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'umpire-out-of-place-'))
  attempts = openLocalAttempts({ root, keeper })
})
afterEach(async () => {
  await attempts.kill('a')
  await rm(root, { recursive: true, force: true })
})

it('is not blocked by pipes, folders and links that the agent has put in place of files', async () => {
  const put = [
    `cd '${join(root, 'a')}'`,
    'mkfifo handed-in/a requests/1 overflow-stdout-0 && rm refused && mkfifo refused',
    'mkdir handed-in/b requests/2 && ln -s /dev/zero requests/3 && ln -s /dev/zero handed-in/c',
    'touch requests/999999 && mkdir files && mkfifo files/x',
    'head -c 1500000 /dev/zero | tr "\\0" x',
  ]
  const env = { PATH: process.env.PATH ?? '' }
  const argv: [string, ...string[]] = ['sh', '-c', put.join('\n')]
  await attempts.start({ id: 'a', argv, cwd: root, env, stdin: '', limitMs: 3_600_000 })
  const lines: string[] = []
  const onLines: Watch['onLines'] = async (_, more) =>
    void lines.push(...more.map(({ text }) => text.slice(0, 100)))
  const end = await attempts.follow('a', { idleMs: null, onLines }, new AbortController().signal)
  expect(end).toMatchObject({ kind: 'exited', code: 0 })
  expect(lines).toEqual(['x'.repeat(100)])
  expect(await handIn(root, 'a', { token: 't', body: 'b' })).toBe('accepted')
  expect(await attempts.handedIn('a')).toEqual([{ token: 't', body: 'b' }])
  await noteRefusal(root, 'a', 'no')
  expect(await attempts.refusals('a')).toEqual([])
  expect(await attempts.readFile('a', 'x')).toBe(null)
  expect(await ask(root, 'a', { token: 't', body: 'one' })).toBe(4)
  expect(await ask(root, 'a', { token: 't', body: 'two' })).toBe(5)
  const asked: number[] = []
  for await (const { number } of attempts.asked('a', AbortSignal.abort())) asked.push(number)
  expect(asked).toEqual([4, 5])
  // An agent can replace the folders, too.
  await rm(join(root, 'a/handed-in'), { recursive: true })
  await writeFile(join(root, 'a/handed-in'), '')
  expect(await attempts.handedIn('a')).toEqual([])
})
