/** Which agent plays which role, how a program gets its prompt, and which file or flag wins. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

test('roles and agents set a program’s arguments, environment, model and how it gets the prompt', async () => {
  const bench = openBench({
    config: {
      roles: {
        developer: {
          agent: 'maker',
          model: 'm-1',
          args: ['--fast', 'a b'],
          env: { SHARED: 'role', ROLE: 'dev' },
        },
        reviewer: { agent: 'judge', model: 'm-2', args: ['--slow'], env: { ROLE: 'rev' } },
      },
      agents: {
        maker: {
          command: ['node', witness, 'own'],
          prompt: 'argument',
          env: { SHARED: 'agent', AGENT: '1' },
        },
        judge: { command: ['node', witness], prompt: 'file' },
        plain: { command: ['node', witness], prompt: 'stdin' },
        script: { agent: 'scripted', script: 'plan.yaml' },
      },
    },
    files: {
      'plan.yaml':
        'developer: [{ write: { by-script.txt: "one" }, say: Done. }]\nreviewer: [{ submit: { verdict: APPROVED } }]\n',
    },
  })
  await bench.add('As configured')
  await bench.add('Others', '--agent', 'plain', '--reviewer', 'plain')
  await bench.add('By a script', '--agent', 'script', '--reviewer', 'script')
  expect((await bench.umpire('work', '--parallel', '3')).code).toBe(0)

  const [maker, judge] = givenTo(bench, 1)
  expect(maker?.argv).toEqual(['own', '--fast', 'a b', maker?.stdin])
  expect(maker?.env).toMatchObject({ SHARED: 'role', ROLE: 'dev', AGENT: '1', UMPIRE_MODEL: 'm-1' })
  expect(judge?.argv).toEqual(['--slow', judge?.env.UMPIRE_PROMPT_FILE])
  expect(judge?.env).toMatchObject({ ROLE: 'rev', UMPIRE_MODEL: 'm-2' })
  expect(judge?.env.SHARED).toBe(undefined)
  expect((await bench.show(1)).sessions).toMatchObject([
    { agent: 'maker', model: 'm-1' },
    { agent: 'judge', model: 'm-2' },
  ])
  // Settings that a role has for another agent do not apply to this one.
  for (const { argv, env } of givenTo(bench, 2)) {
    expect([argv, env.ROLE, env.UMPIRE_MODEL]).toEqual([[], undefined, undefined])
  }
  expect(bench.git('show', 'umpire/3-by-a-script:by-script.txt')).toBe('one')
  expect(await bench.show(3)).toMatchObject({ verdict: 'APPROVED', reviews: [{ channel: 'tool' }] })
})

test('later sources win: the person’s own file, the project’s, the checkout’s own, then the flags', async () => {
  const bench = openBench()
  await bench.add('Any')
  const config = join(bench.folder, 'config')
  const file = bench.git('show', 'HEAD:umpire.yaml')
  const project = (more: object) =>
    bench.write({ 'umpire.yaml': JSON.stringify({ ...JSON.parse(file), ...more }) })
  const mostReviews = async (...flags: string[]) => {
    const { stdout } = await bench.call(['work', '--dry-run', ...flags], { env: { XDG_CONFIG_HOME: config } })
    return Number(/at most (\d+) reviews/.exec(stdout)?.[1])
  }
  expect(await mostReviews()).toBe(4)
  mkdirSync(join(config, 'umpire'), { recursive: true })
  writeFileSync(join(config, 'umpire/config.yaml'), 'effort: max\n')
  expect(await mostReviews()).toBe(6)
  project({ max_cycles: 9 })
  expect(await mostReviews()).toBe(9)
  bench.write({ 'umpire.local.yaml': 'max_cycles: 7\n' })
  expect(await mostReviews()).toBe(7)
  project({ max_cycles: 9, task_types: { implement: { effort: 'high' } } })
  expect(await mostReviews()).toBe(5)
  project({ max_cycles: 9, task_types: { implement: { effort: 'high', max_cycles: 8 } } })
  expect(await mostReviews()).toBe(8)
  expect(await mostReviews('--effort', 'low')).toBe(3)
  await bench.umpire('edit', '1', '--effort', 'max')
  expect(await mostReviews('--effort', 'low')).toBe(6)
  await bench.umpire('edit', '1', '--max-cycles', '2')
  expect(await mostReviews('--effort', 'low')).toBe(2)
})

test('settings and relative programs come from the checkout where work was started, not from a worktree', async () => {
  const reviewer = "console.log('FEEDBACK: ' + 'more')"
  const bench = openBench({
    config: {
      agents: { own: { command: ['node', 'tools/reviewer.mjs'] } },
      roles: { developer: 'actor', reviewer: 'own' },
      max_cycles: 1,
    },
    files: { 'tools/reviewer.mjs': reviewer },
    scenario: {
      developer: [
        {
          do: [
            {
              write: {
                'tools/reviewer.mjs': "console.log('APPROVED')",
                'umpire.yaml': 'review: { enabled: false }',
              },
            },
          ],
        },
      ],
    },
  })
  await bench.add('Rewrite the reviewer')
  expect((await bench.umpire('work')).code).toBe(3)
  expect((await bench.show(1)).verdict).toBe('MAX_CYCLES_REACHED')
})
