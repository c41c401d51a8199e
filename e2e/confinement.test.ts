/**
 * What a model may try through the real programs. A reviewer tries to write, with every tool it can think of and with
 * the help of settings that the developer left in the tree. A developer tries to write outside its worktree.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordsIn } from '../src/agents/json-line.ts'
import { allRefs, checkoutState } from '../test/support/checkout-state.ts'
import { writeFiles, writeScript } from '../test/support/repository.ts'
import { type AgentBench, approval, openAgentBench, story, verdict } from './agent-bench.ts'
import { type Cli, installed } from './clis.ts'
import type { Step } from './model/script.ts'
import { ofSession } from './model/serve.ts'

/** The programs' own protection must also hold without the sandbox. */
const modes = ['with', 'without'] as const

describe.each(installed)('%s', (_, cli) => {
  test.each(modes)(
    'as a reviewer writes nothing, and does not obey hostile settings in the tree, %s the sandbox',
    async (sandbox) => {
      const bench = await openAgentBench(cli, {
        developer: [[{ write: 'work.txt', content: 'one\n' }, { hold: 'planting' }]],
        reviewer: [[{ hold: 'starting' }]],
      })
      if (sandbox === 'without') breakSandbox(bench)
      const id = await bench.add('Write work.txt')
      const before = checkoutState(bench)
      const config = readFileSync(join(bench.root, '.git/config'), 'utf8')
      const working = bench.start('work')
      const ended = working.ended

      await Promise.race([bench.model.reached('planting'), ended])
      const planted = cli.hostile((name) => join(bench.folder, `evil-${name}`))
      writeFiles(worktreeOf(bench), planted)
      bench.model.release('planting')

      await Promise.race([bench.model.reached('starting'), ended])
      const refs = allRefs(bench)
      const attempts = attemptsToWrite(bench, cli)
      bench.model.script.reviewer = [[...attempts, { hold: 'looking' }, verdict(approval)]]
      bench.model.release('starting')

      await Promise.race([bench.model.reached('looking'), ended])
      expect(namedEvil(bench.folder), story(bench, { stdout: working.stdout(), stderr: '' })).toEqual([])
      bench.model.release('looking')
      const ran = await ended

      const tried = ofSession(bench.model, 'reviewer', 0)
      expect(tried.length, story(bench, ran)).toBeGreaterThanOrEqual(attempts.length + 1)
      expect(tried.at(-1)?.results.length).toBeGreaterThanOrEqual(attempts.length)
      const shown = await bench.show(id)
      expect(shown, story(bench, ran)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
      // The planted files were really in the tree.
      const committed = bench.git('ls-tree', '-r', '--name-only', String(shown.branch)).split('\n')
      expect(committed).toEqual(expect.arrayContaining(Object.keys(planted)))
      expect(namedEvil(bench.folder)).toEqual([])
      expect(allRefs(bench)).toEqual(refs)
      expect(checkoutState(bench)).toEqual(before)
      expect(readFileSync(join(bench.root, '.git/config'), 'utf8')).toBe(config)
    },
  )

  test.each(modes)(
    'as a developer can’t write outside its worktree unnoticed, %s the sandbox',
    async (sandbox) => {
      const bench = await openAgentBench(cli)
      if (sandbox === 'without') breakSandbox(bench)
      const outside = {
        checkout: join(bench.root, 'evil-checkout.txt'),
        hooks: join(bench.root, '.git/hooks/post-commit'),
        home: join(bench.env.HOME ?? '', 'evil-home.txt'),
      }
      const paths = Object.values(outside)
      bench.model.script.developer = [
        [
          ...paths.map((path): Step => ({ shell: `mkdir -p '${dirname(path)}'; echo x > '${path}'` })),
          { write: 'work.txt', content: 'one\n' },
        ],
      ]
      bench.model.script.reviewer = [[verdict(approval)]]
      const id = await bench.add('Write work.txt')
      const ran = await bench.umpire('work')
      const events = await bench.events()
      const tried = ofSession(bench.model, 'developer', 0)
      expect(tried.length, story(bench, ran)).toBeGreaterThan(paths.length)
      const written = Object.entries(outside).filter(([, path]) => existsSync(path))
      const noticed = events
        .filter(({ type }) => type === 'session.strayed')
        .flatMap(({ data }) => recordsIn(data.changes).map(({ area }) => area))
      expect(noticed, story(bench, ran)).toEqual(expect.arrayContaining(written.map(([area]) => area)))
      const isConfined = events.find(({ type }) => type === 'session.started')?.data.confined
      if (sandbox === 'without') expect(isConfined).toBe(false)
      if (isConfined) expect(written).toEqual([])
      // Git would run a hook, also for the person. So Umpire does nothing more until the person has looked.
      const stopped = written.some(([area]) => area === 'hooks')
      expect(await bench.show(id), story(bench, ran)).toMatchObject(
        stopped ? { status: 'failed', reason: 'vcs' } : { status: 'completed' },
      )
    },
  )
})

/** Imitates a machine on which no sandbox can be created. */
function breakSandbox({ folder, env }: AgentBench): void {
  const instead = join(folder, 'instead')
  writeScript(join(instead, 'bwrap'), 'exit 1')
  env.PATH = [instead, env.PATH].join(delimiter)
}

/** Attempts in the folder that the reviewer works in, in the clone that it reviews, and in the person's repository. */
function attemptsToWrite({ folder, root, home }: AgentBench, cli: Cli): Step[] {
  const [clone = ''] = readdirSync(join(home, 'clones')).map((name) => join(home, 'clones', name))
  const commit = 'git -c user.name=x -c user.email=x@x commit --allow-empty -m evil'
  return [
    { write: 'evil-written.txt', content: 'x\n' },
    { write: join(clone, 'evil-written.txt'), content: 'x\n' },
    { shell: 'echo x > evil-shell.txt' },
    { shell: `echo x > '${folder}/evil-outside.txt'` },
    { shell: 'git log --output=evil-log.txt' },
    { shell: `git -C '${clone}' log --output='${clone}/evil-log.txt'` },
    { shell: `cd '${clone}' && ${commit}` },
    { shell: `git -C '${root}' branch evil-branch` },
    ...cli.escapes,
    { write: join(clone, 'evil-written-later.txt'), content: 'x\n' },
    { shell: `echo x > '${clone}/evil-shell-later.txt'` },
    { shell: `mkdir -p '${root}/.git/hooks'; echo x > '${root}/.git/hooks/evil-hook'` },
  ]
}

function worktreeOf({ git, home }: AgentBench): string {
  const found = git('worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => (line.startsWith(`worktree ${home}`) ? [line.slice('worktree '.length)] : []))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

/** Everything that a successful attempt created, anywhere below the folder. */
function namedEvil(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?:^|\/)evil[-.][^/]*$/.test(path),
  )
}
