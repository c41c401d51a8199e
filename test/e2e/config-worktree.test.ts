/** What Umpire puts into a checkout before anything runs there: copies, links and setup commands. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

const project = {
  'package.json': '{ "type": "module" }\n',
  'check.mjs':
    "import { word } from 'dep'\nimport { readFileSync } from 'node:fs'\nconsole.log(word, readFileSync('.env', 'utf8').trim())\n",
}
const dependency = (folder: string) => ({
  [`${folder}/dep/package.json`]: '{ "name": "dep", "type": "module", "exports": "./index.js" }\n',
  [`${folder}/dep/index.js`]: "export const word = 'WORD'\n",
})

test('worktree.copy and worktree.link give every checkout files of the person’s, and no commit contains them', async () => {
  const bench = openBench({
    config: {
      worktree: { copy: ['.env', 'absent.txt'], link: ['node_modules/'] },
      gates: { test: 'node check.mjs' },
    },
    // Git ignores nothing here: Umpire leaves these files out of commits because it put them there.
    files: project,
  })
  bench.write({ ...dependency('node_modules'), '.env': 'FROM=person\n' })
  await bench.add('Uses a dependency', '--gate', 'node check.mjs')
  const work = await bench.umpire('work')
  expect(work.stdout).not.toContain('failed')
  expect(work.code).toBe(0)
  const { gates } = await bench.show(1)
  expect(gates).toMatchObject([
    { name: 'test', output: 'WORD FROM=person\n' },
    { name: 'backpressure', output: 'WORD FROM=person\n' },
  ])
  const baseline = (await bench.events()).find(({ message }) => message.includes('on the base'))
  expect(baseline?.data).toMatchObject({ passed: true })
  expect(bench.git('diff', '--name-only', 'main', 'umpire/1-uses-a-dependency')).toBe('work-1.txt')
  const worktree = join(bench.home, 'worktrees/1-uses-a-dependency')
  expect(readFileSync(join(worktree, '.env'), 'utf8')).toBe('FROM=person\n')
  expect(existsSync(join(worktree, 'node_modules/dep'))).toBe(true)
  expect(existsSync(join(bench.root, 'node_modules/dep/index.js'))).toBe(true)
})

test('worktree.setup runs once in every new checkout, in order, before any agent works there', async () => {
  const note = 'echo "$PWD" >> "$BENCH/set-up"'
  const bench = openBench({
    config: {
      worktree: {
        setup: [
          'mkdir node_modules && cp -R vendor/dep node_modules',
          'echo FROM=setup > .env',
          note,
          'node check.mjs',
        ],
      },
      gates: { test: 'node check.mjs' },
    },
    files: { ...project, ...dependency('vendor'), '.gitignore': 'node_modules\n.env\n' },
    scenario: {
      developer: [{ iteration: 1, do: [{ run: ['node', 'check.mjs'] }, { write: { 'a.txt': '1' } }] }],
      reviewer: [{ cycle: 1, do: [{ say: 'FEEDBACK: more' }] }],
    },
  })
  await bench.add('Set up first')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(bench.played().find(({ argv }) => argv)?.stdout).toBe('WORD FROM=setup\n')
  expect(readFileSync(join(bench.folder, 'set-up'), 'utf8')).toBe(
    `${join(bench.home, 'worktrees/1-set-up-first')}\n`,
  )
  expect(bench.git('diff', '--name-only', 'main', 'umpire/1-set-up-first').split('\n')).toEqual([
    'a.txt',
    'work-1.txt',
  ])
})

test('a failing setup fails the task with a clear message before any agent starts; retry runs it again', async () => {
  const bench = openBench({
    config: { worktree: { setup: ['echo "no registry" >&2; test -f "$BENCH/mended"'] } },
  })
  await bench.add('Cannot be set up')
  const work = await bench.umpire('work')
  expect(work.code).toBe(1)
  expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'vcs', sessions: [] })
  expect(work.stdout).toMatch(
    /worktree\.setup: .*failed with exit code 1: no registry Fix the command in umpire\.yaml\./,
  )
  expect(bench.played()).toEqual([])
  bench.write({ '../mended': '' })
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
})
