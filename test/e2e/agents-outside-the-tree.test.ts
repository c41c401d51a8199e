/** Reviewers whose programs load settings and plugins from the working directory. A program on the PATH plays them. */
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

const program = resolve(import.meta.dirname, '../fixtures/agents/outside-the-tree.mjs')

function openWith(name: 'gemini' | 'opencode') {
  const bench = openBench({ config: { roles: { developer: name, reviewer: name } } })
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  copyFileSync(program, join(bin, name))
  chmodSync(join(bin, name), 0o755)
  const PATH = [bin, bench.env.PATH].join(delimiter)
  return { ...bench, work: (env = {}) => bench.call(['work', '--plain'], { env: { PATH, ...env } }) }
}

test.each([
  ['gemini', null],
  ['opencode', 0.5],
] as const)('%s reviews from its own folder, which contains nothing of the tree', async (name, cost) => {
  const bench = openWith(name)
  await bench.add('Make a file')
  expect(await bench.work()).toMatchObject({ code: 0, stderr: '' })
  const shown = await bench.show(1)
  // The verdict counts as a line of its own, although it arrived in pieces after other text.
  expect(shown).toMatchObject({ verdict: 'APPROVED', tokens: 3000, costUsd: cost && 2 * cost })
  const { stdout } = await bench.umpire('log', '1', '--raw', '--role', 'reviewer')
  const look = /"(?:tool|tool_name)":"look".*?(\{"folder".*?\})/.exec(stdout)?.[1] ?? '{}'
  expect(JSON.parse(look)).toEqual({
    folder: expect.stringMatching(/\.umpire\/attempts\/1-2\/files$/),
    shell: expect.stringMatching(/\.umpire\/attempts\/1-2\/files$/),
    tree: false,
    left: false,
    own: true,
  })
})

test.each(['gemini', 'opencode'] as const)(
  'exit code 0 without a final message from %s is a failure, never an answer',
  async (name) => {
    const bench = openWith(name)
    await bench.add('Make a file')
    expect((await bench.work({ UMPIRE_TEST_NO_END: 'reviewer' })).code).toBe(1)
    expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'crash', reviews: [] })
  },
)
