/** Agents that print a lot, or garbage. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning } from '../support/umpire.ts'
import { describeOutput, openFlood, raw } from './describe-output.ts'

describeOutput({ line: 20, total: 20, tiny: 100_000 })

test('odd bytes, a closed output, an unread prompt and leftover processes are no failure', async () => {
  const bench = openFlood({ line: 1, total: 1, tiny: 1 })
  const odd = await bench.add('odd bytes')
  const closed = await bench.add('closed output')
  const long = join(bench.folder, 'long.txt')
  writeFileSync(long, 'Do it. '.repeat(140_000))
  const unread = await bench.add('unread prompt', '--file', long)
  const left = await bench.add('left processes')
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  for (const id of [odd, closed, unread, left]) {
    const shown = await bench.show(id)
    expect(shown).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
    expect(bench.git('show', `${shown.branch}:work-${id}.txt`)).toBe(shown.title)
  }
  expect((await raw(bench, odd)).stdout).toBe('crlf\n��a�\nnul \0 nul\n\nline\u2028separator\nno newline\n')
  expect((await raw(bench, closed)).stdout).toBe('before\n')
  expect((await raw(bench, unread)).stdout).toBe('')
  const pids = readFileSync(join(bench.folder, 'left-behind'), 'utf8').trim().split('\n')
  expect(pids.filter(isRunning)).toEqual([])
})
