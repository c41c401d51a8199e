/** Settings, and missing settings, that matter outside the usual course of a loop. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileAppears, openBench } from '../support/umpire.ts'

test('an agent that the running Umpire does not know fails the task as a crash, not as a git error', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [{ write: { a: 'a\n' } }, { touch: '$BENCH/there' }, { await: '$BENCH/go' }, { say: 'Done.' }],
        },
      ],
    },
  })
  await bench.add('Change horses')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'there'))
  bench.write({ 'umpire.local.yaml': 'agents: { late: { command: [cat] } }' })
  expect((await bench.umpire('edit', '1', '--reviewer', 'late')).code).toBe(0)
  bench.write({ '../go': '' })
  expect((await work.ended).code).toBe(1)
  const { status, reason, detail } = await bench.show(1)
  expect({ status, reason }).toEqual({ status: 'failed', reason: 'crash' })
  expect(detail).toMatch(/^There is no agent "late"\. Define it under agents in umpire\.yaml/)
  // The next run reads the file again.
  await bench.umpire('edit', '1', '--reviewer', 'actor')
  await bench.umpire('retry', '1')
  expect((await bench.umpire('work')).code).toBe(0)
})

test('verdict checks a review against the configured minimum score, or against the default without one', async () => {
  const bench = openBench({ config: { review: { min_score: 90 } } })
  const stdin = '{"verdict":"APPROVED","score":80}'
  const read = (cwd?: string) => bench.call(['verdict'], { stdin, ...(cwd && { cwd }) })
  expect(await read()).toMatchObject({
    ...{
      code: 4,
      stderr: '',
      stdout: expect.stringContaining('overall a score of 80, below the minimum of 90'),
    },
  })
  expect(await read(bench.folder)).toMatchObject({ code: 0, stdout: 'APPROVED\n', stderr: '' })
  bench.write({ 'umpire.local.yaml': 'review: { min_score: many }' })
  expect(await read()).toMatchObject({
    code: 0,
    stdout: 'APPROVED\n',
    stderr: expect.stringMatching(
      /^umpire: The configuration is invalid\. .* default minimum score of 70\.\n.*doctor/,
    ),
  })
})

test('refuses review.channels on which no configured agent can answer', async () => {
  const bench = openBench({ config: { review: { channels: ['structured'] } } })
  await bench.add('Unheard')
  const work = await bench.umpire('work')
  expect(work.code).toBe(2)
  expect(work.stderr).toMatch(/review\.channels: not every agent supports a schema, .*add json\n$/)
  bench.write({ 'umpire.local.yaml': 'review: { channels: [structured, verdict-line] }' })
  expect((await bench.umpire('work')).code).toBe(0)
})

test('never writes a secret from the configured env of an agent or a role to its own files', async () => {
  const given = { agent: 'agent-4711-value', role: 'role-0815-value', plain: 'plain-1234-value' }
  const env = (secret: string) => ({ API_TOKEN: secret, COLOUR: given.plain })
  const says = Object.values(given).join(' ')
  const bench = openBench({
    config: {
      roles: {
        developer: 'teller',
        reviewer: { agent: 'actor', env: { DB_PASSWORD: given.role } },
      },
      agents: {
        teller: { command: ['sh', '-c', 'echo $API_TOKEN $COLOUR; echo x >x'], env: env(given.agent) },
      },
    },
    scenario: { reviewer: [{ do: [{ say: `${says}\n\n**Verdict: APPROVED**` }] }] },
  })
  await bench.add('Tell all')
  expect((await bench.umpire('work')).code).toBe(0)
  const log = (await bench.umpire('log', '1', '--raw')).stdout
  expect(log).toContain(`[redacted] ${given.plain}`)
  expect(log).toContain(`[redacted] [redacted] ${given.plain}`)
  const names = readdirSync(bench.home, { recursive: true, encoding: 'utf8' })
  const files = names
    .filter((name) => !name.startsWith('worktrees'))
    .map((name) => join(bench.home, name))
    .filter((path) => statSync(path).isFile())
  expect(files).toContain(join(bench.home, 'umpire.db'))
  for (const secret of [given.agent, given.role])
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([])
})
