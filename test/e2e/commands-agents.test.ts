/** What an agent program gets: its folder, its environment, its prompt, and ways to submit results. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const cast = {
  roles: { developer: 'witness', reviewer: 'witness' },
  agents: { witness: { command: ['node', witness] } },
}
const rejection = {
  verdict: 'CHANGES_REQUESTED',
  summary: 'SUMMARY-1',
  issues: [{ file: 'a.txt', line: 1, type: 'bug', description: 'ISSUE-1', suggestion: 'SUGGESTION-1' }],
}

test('an agent gets its role, task, cycle, iteration, session, token, prompt and umpire on its path', async () => {
  const agents = { witness: { command: ['node', witness, '--tell-version'] } }
  const bench = openBench({
    config: { ...cast, agents },
    scenario: { reviewer: [{ cycle: 1, do: [{ submit: rejection }, { say: 'Handed in.' }] }] },
  })
  await bench.add('First')
  await bench.add('Second')
  expect((await bench.umpire('work', '2')).code).toBe(0)
  const given = givenTo(bench)
  const identity = ['ROLE', 'TASK', 'CYCLE', 'ITERATION', 'SESSION'].map((name) => `UMPIRE_${name}`)
  expect(given.map(({ env }) => identity.map((name) => env[name]).join(' '))).toEqual([
    'developer 2 1 1 2-1',
    'reviewer 2 1 1 2-2',
    // A developer gets the cycle of the next review.
    'developer 2 2 2 2-3',
    'reviewer 2 2 2 2-4',
  ])
  const { version } = JSON.parse(bench.git('-C', import.meta.dirname, 'show', 'HEAD:package.json'))
  for (const { env, cwd, stdin, promptFile, modes, version: printed } of given) {
    expect(stdin).toBe(promptFile)
    expect(stdin).toContain(`# You are the ${env.UMPIRE_ROLE}\n`)
    expect(printed).toBe(`${version}\n`)
    expect(env.PWD).toBe(cwd)
    // Other users of the machine cannot read an agent's prompt or output.
    expect(modes).toEqual({ folder: '700', prompt: '600', stdout: '600' })
  }
  expect(new Set(given.map(({ env }) => env.UMPIRE_TOKEN?.length))).toEqual(new Set([32]))
  expect(new Set(given.map(({ env }) => env.UMPIRE_TOKEN)).size).toBe(4)

  const worktree = realpathSync(join(bench.home, 'worktrees/2-second'))
  expect(given.map(({ cwd }) => cwd === worktree)).toEqual([true, false, true, false])
  expect(given[1]?.cwd).not.toBe(given[3]?.cwd)
  // Umpire deletes the clone after the review; the loop's worktree stays.
  expect(given.map(({ cwd }) => existsSync(cwd))).toEqual([true, false, true, false])
  const attempts = (await bench.umpire('show', '2', '--json')).json<{ sessions: { attempt: number }[] }>()
  expect(attempts.sessions.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1])
})

test('prompts contain the task, the gates, the diff and the open issues, and none of the developer’s words', async () => {
  const bench = openBench({
    config: { ...cast, gates: { test: 'cat a.txt; echo TEST-OUTPUT', lint: 'echo LINT-OUTPUT' } },
    scenario: {
      developer: [
        {
          cycle: 1,
          do: [
            { write: { 'a.txt': 'LINE-1\n', 'b.txt': 'UNCHANGED\n' } },
            { run: ['git', 'add', '.'] },
            { run: ['git', 'commit', '-m', 'COMMIT-WORDS'] },
            { say: 'DEVELOPER-WORDS' },
          ],
        },
        { do: [{ write: { 'a.txt': 'LINE-2\n' } }] },
      ],
      reviewer: [
        { cycle: 1, do: [{ run: ['git', 'log', '--format=%B%an'] }, { submit: rejection }] },
        { do: [{ say: 'APPROVED' }] },
      ],
    },
  })
  bench.write({ 'plan.md': 'PLAN-WORDS' })
  const task = ['-d', 'STORY', '--accept', 'CRITERION', '--scope', 'SCOPE-WORDS', '--plan', 'plan.md']
  await bench.add('TITLE', ...task)
  expect((await bench.umpire('work')).code).toBe(0)
  const [develop = '', review = '', improve = '', again = '', ...more] = givenTo(bench).map(
    ({ stdin }) => stdin,
  )
  expect(more).toEqual([])
  for (const prompt of [develop, review, improve, again]) {
    for (const words of ['TITLE', 'STORY', 'CRITERION', 'SCOPE-WORDS', 'PLAN-WORDS']) {
      expect(prompt).toContain(words)
    }
    expect(prompt).not.toMatch(/COMMIT-WORDS|DEVELOPER-WORDS/)
  }
  expect(develop).toContain('- test: "cat a.txt; echo TEST-OUTPUT"\n- lint: "echo LINT-OUTPUT"')
  expect(develop).not.toContain('ISSUE-1')
  for (const words of [
    'SUMMARY-1',
    'Issue 1 (blocking, bug) in "a.txt", line 1',
    'ISSUE-1',
    'SUGGESTION-1',
  ]) {
    expect(improve).toContain(words)
  }

  expect(review).toContain('### test: passed (exit code 0)')
  expect(review).toContain('LINE-1\nTEST-OUTPUT\n')
  expect(review).toContain('+LINE-1\n')
  expect(review).toContain('+UNCHANGED\n')
  expect(review).not.toMatch(/Open issues|since your last review|LINT-OUTPUT/)

  // The full diff against the base, and besides it the changes since the last review.
  const [, whole = '', since = ''] = again.split(/^## The change$|^## What changed since your last review$/m)
  expect(whole).toContain('+LINE-2\n')
  expect(whole).toContain('+UNCHANGED\n')
  expect(since).toContain('-LINE-1\n+LINE-2\n')
  expect(since.split('## Open issues')[0]).not.toContain('UNCHANGED')
  expect(since).toContain('### Issue 1 (blocking, bug) "a.txt":1\n\n```\nISSUE-1\n```')

  // The log of the reviewer's clone does not contain the developer's words or name either.
  const log = bench.played().find(({ argv }) => argv?.[1] === 'log')
  expect(log?.stdout).toBe('The work under review\nUmpire\nFirst commit\nTest Person\n')
})

test('a failed gate goes back to the developer with its output and costs no review', async () => {
  const bench = openBench({
    config: { ...cast, gates: { test: 'echo GATE-WORDS; test -f fixed.txt' } },
    scenario: { developer: [{ iteration: 2, do: [{ write: { 'fixed.txt': '' } }] }] },
  })
  await bench.add('Needs a fix')
  expect((await bench.umpire('work')).code).toBe(0)
  const given = givenTo(bench)
  expect(given.map(({ env }) => `${env.UMPIRE_ROLE} ${env.UMPIRE_CYCLE} ${env.UMPIRE_ITERATION}`)).toEqual([
    'developer 1 1',
    'developer 1 2',
    'reviewer 1 2',
  ])
  expect(given[1]?.stdin).toContain('### test: exit code 1\n')
  expect(given[1]?.stdin).toContain('GATE-WORDS')
  expect(await bench.show(1)).toMatchObject({
    ...{ cycle: 1, revisionAttempts: 0, status: 'completed' },
    gates: [
      { name: 'test', passed: false, exitCode: 1 },
      { name: 'test', passed: true, exitCode: 0 },
    ],
  })
  expect(bench.git('log', '-1', '--format=%s', 'umpire/1-needs-a-fix')).toBe('Fix failing gate test')
})

test('submit accepts a review once, only from its own session, and says what is wrong with others', async () => {
  const approve = JSON.stringify({ verdict: 'APPROVED' })
  const submit = (stdin: string, env: Record<string, string> = {}) => ({
    run: ['umpire', 'submit'],
    stdin,
    env,
  })
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [
            { write: { 'a.txt': '' } },
            submit(approve),
            submit('{"complete":true,"verdict":"APPROVED"}'),
            submit('{"complete":true}'),
          ],
        },
      ],
      reviewer: [
        {
          do: [
            submit('not JSON'),
            submit('{"passed":"true"}'),
            submit('{"verdict":"APPROVED","passed":false}'),
            submit(approve, { UMPIRE_TOKEN: 'made-up' }),
            submit(approve, { UMPIRE_SESSION: '1-1' }),
            { run: ['umpire', 'submit', '$BENCH/nowhere.json'] },
            { write: { '$BENCH/review.json': approve } },
            { run: ['umpire', 'submit', '$BENCH/review.json'] },
            submit(approve),
          ],
        },
      ],
    },
  })
  await bench.add('Handed in')
  expect((await bench.umpire('work')).code).toBe(0)
  const ran = bench.played().filter(({ argv }) => argv)
  const said = ran.map(({ role, code, stdout, stderr }) => [role, code, `${stdout}${stderr}`])
  expect(said).toEqual([
    ['developer', 2, expect.stringContaining('This is a developer’s session.')],
    ['developer', 2, expect.stringContaining('This is a developer’s session.')],
    ['developer', 0, 'Noted: the task is complete.\n'],
    ['reviewer', 2, expect.stringContaining("The review can't be accepted: ")],
    ['reviewer', 2, expect.stringContaining("The review can't be accepted: ")],
    ['reviewer', 2, expect.stringContaining("The review can't be accepted: ")],
    ['reviewer', 2, expect.stringContaining('The token does not belong to session 1-2.')],
    ['reviewer', 2, expect.stringContaining('belongs to session 1-2, not to 1-1')],
    ['reviewer', 2, expect.stringContaining('nowhere.json')],
    ['reviewer', 0, 'Your review was handed in.\n'],
    [
      'reviewer',
      2,
      expect.stringContaining('has already handed in the same review. Handing it in again changes nothing'),
    ],
  ])
  for (const { stderr } of ran) expect(stderr).not.toMatch(/^\s+at /m)
  expect(await bench.show(1)).toMatchObject({ verdict: 'APPROVED', reviews: [{ channel: 'tool' }] })
})
