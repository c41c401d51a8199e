/** The `parser` channel: a second agent turns a free-text review into a structured one, under the same rules. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { check } from '../checker/played-repository.ts'
import { type Bench, fileAppears, openBench, type Scenario, type Shown } from '../support/umpire.ts'
import { givenTo, witness } from '../support/witness.ts'

const channels = ['parser', 'tool', 'structured', 'json', 'verdict-line', 'marker']
const plain = 'I read it all. It does what was asked and I see no reason against merging it.'
const approved = JSON.stringify({ verdict: 'APPROVED', summary: 'Nothing speaks against it.' })

function parsing(scenario: Scenario, review: object = {}, more: object = {}): Bench {
  return openBench({ config: { review: { channels, retries: 0, ...review }, ...more }, scenario })
}

const rolesOf = ({ sessions }: Shown) => sessions.map(({ role, attempt }) => `${role} ${attempt}`)

async function played(bench: Bench, title = 'Parsed'): Promise<Shown> {
  const id = await bench.add(title)
  await bench.umpire('work')
  const { code, stdout } = check(bench.root)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('everything holds') })
  return bench.show(id)
}

test('review.channels with parser: a parser makes a review, with all its issues, of text that no other channel can read', async () => {
  const wanting = {
    verdict: 'CHANGES_REQUESTED',
    summary: 'Not yet.',
    issues: [{ file: 'a.txt', line: 1, type: 'bug', description: 'It is empty.' }],
  }
  const bench = parsing({
    reviewer: [{ cycle: 1, do: [{ say: 'Not yet: a.txt is empty.' }] }, { do: [{ say: plain }] }],
    parser: [
      { cycle: 1, do: [{ say: JSON.stringify(wanting) }] },
      { do: [{ say: `\`\`\`json\n${approved}\n\`\`\`` }] },
    ],
  })
  const task = await played(bench)
  expect(task).toMatchObject({ status: 'completed', verdict: 'APPROVED', cycle: 2 })
  expect(rolesOf(task)).toEqual([
    ...['developer 1', 'reviewer 1', 'parser 1'],
    ...['developer 1', 'reviewer 1', 'parser 1'],
  ])
  expect(task.reviews).toMatchObject([
    {
      sessionId: '1-2',
      parsedBy: '1-3',
      channel: 'parser',
      verdict: 'CHANGES_REQUESTED',
      command: '/review-task',
    },
    {
      sessionId: '1-5',
      parsedBy: '1-6',
      channel: 'parser',
      verdict: 'APPROVED',
      rawOutput: expect.stringContaining(plain),
    },
  ])
  expect(task.issues).toMatchObject([{ number: 1, status: 'resolved', description: 'It is empty.' }])
  expect(task.sessions[3]?.prompt).toContain('It is empty.')

  const prompt = task.sessions[5]?.prompt ?? ''
  expect(prompt).toContain(plain)
  expect(prompt).toContain('Never approve what the text does not approve')
  expect(prompt).toContain('UNCLEAR')
  expect(prompt).toMatch(/### Issue 1\n\n```\nIt is empty\./)
  // The parser's folder is a repository without files, and is removed afterwards.
  const parser = bench.played().find(({ role }) => role === 'parser')
  expect(parser?.cwd).toMatch(/\.umpire\/clones\/1-3\./)
  expect(readdirSync(join(bench.root, '.umpire/clones'))).toEqual([])

  const [file] = readdirSync(join(bench.root, '.umpire/reviews'))
  const text = readFileSync(join(bench.root, '.umpire/reviews', file ?? ''), 'utf8')
  expect(text).toContain('Session 1-2, tree ')
  expect(text).toContain('read by the channel parser (session 1-3).')
  expect((await bench.umpire('show', '1')).stdout).toContain('read by the parser 1-6')
  expect((await bench.umpire('reviews', '1')).stdout).toContain('read by the parser 1-3')
  const log = (await bench.umpire('log', '1', '--role', 'parser', '--cycle', '1')).stdout
  expect(log).toMatch(/^── 1-3 parser, iteration 1, cycle 1, actor: done/)
  expect(log).not.toContain(plain)
  const answered = (await bench.events()).filter(({ type }) => type === 'review.answered')
  expect(answered).toMatchObject([{ cycle: 1, data: { session: '1-2' } }, { cycle: 2 }])
})

test('parser works as the only channel, and the reviewer is told to write in its own words', async () => {
  const bench = parsing({ reviewer: [{ do: [{ say: plain }] }] }, { channels: ['parser'] })
  const task = await played(bench)
  expect(task.verdict).toBe('APPROVED')
  expect(task.sessions[1]?.prompt).toContain('Write your review in your own words')
  expect(task.sessions[1]?.prompt).not.toContain('umpire submit')
})

test('does not start a parser when another channel found something, readable or not', async () => {
  const bench = parsing({
    reviewer: [
      { task: 'readable', do: [{ say: '**Verdict: APPROVED**' }] },
      { task: 'malformed', do: [{ say: 'Verdict: APPROVED if the tests pass' }] },
      {
        task: 'contradictory',
        do: [
          {
            say: JSON.stringify({
              verdict: 'APPROVED',
              issues: [{ description: 'x', severity: 'blocking' }],
            }),
          },
        ],
      },
      { task: 'nothing', do: [{ say: ' ' }] },
    ],
  })
  for (const title of ['readable', 'malformed', 'contradictory', 'nothing']) await bench.add(title)
  await bench.umpire('work')
  expect(bench.played().filter(({ role }) => role === 'parser')).toEqual([])
  expect(await bench.show(1)).toMatchObject({
    verdict: 'APPROVED',
    reviews: [{ channel: 'verdict-line', parsedBy: null }],
  })
  for (const id of [2, 3]) expect(await bench.show(id)).toMatchObject({ reason: 'malformed_review' })
  expect(await bench.show(4)).toMatchObject({ reason: 'crash' })
})

test('a parser that finds no clear verdict, or approves what the text does not, leaves the review unreadable', async () => {
  const refusing = 'Good work, but not approved yet.'
  const bench = parsing(
    {
      reviewer: [{ task: 'unclear', do: [{ say: plain }] }, { do: [{ say: refusing }] }],
      parser: [
        { task: 'unclear', do: [{ say: '{"verdict":"UNCLEAR","summary":"It does not say."}' }] },
        { do: [{ say: approved }] },
      ],
    },
    { retries: 1 },
  )
  for (const [title, text, why] of [
    ['unclear', plain, 'verdict is "UNCLEAR"'],
    ['refused', refusing, 'it says "not approved"'],
  ] as const) {
    const task = await played(bench, title)
    expect(task).toMatchObject({ status: 'blocked', reason: 'malformed_review', reviews: [], cycle: 0 })
    expect(rolesOf(task)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'reviewer 2', 'parser 2'])
    expect(task.sessions[3]?.prompt).toContain('the parser found no clear verdict either')
    expect(task.detail).toContain(why)
    const listed = await bench.umpire('reviews', String(task.id), '--json')
    const { id } = task
    expect(listed.json<{ unreadable: object[] }>().unreadable).toMatchObject([
      {
        session: `${id}-2`,
        parsedBy: `${id}-3`,
        cause: 'malformed',
        rawOutput: expect.stringContaining(text),
      },
      { session: `${id}-4`, parsedBy: `${id}-5` },
    ])
  }
})

test('ignores a verdict that the review only quotes, and accepts a rejection from the parser', async () => {
  const quoting = 'The last review said:\n\n> CHANGES_REQUESTED\n\nThat is mended; merge it.'
  const bench = parsing({
    reviewer: [{ task: 'quotes', do: [{ say: quoting }] }, { do: [{ say: 'Throw this away.' }] }],
    parser: [
      { task: 'rejects', do: [{ submit: { verdict: 'REJECTED', summary: 'It is to be thrown away.' } }] },
    ],
  })
  expect(await played(bench, 'quotes')).toMatchObject({ verdict: 'APPROVED' })
  const rejected = await played(bench, 'rejects')
  expect(rejected).toMatchObject({ status: 'blocked', reason: 'rejected', reviews: [{ parsedBy: '2-3' }] })
})

test('retries a failed parser without asking the reviewer, and asks the reviewer again after the last retry', async () => {
  const bench = parsing(
    {
      reviewer: [{ session: 5, do: [{ say: '**Verdict: APPROVED**' }] }, { do: [{ say: plain }] }],
      parser: [{ do: [{ exit: 3 }] }],
    },
    { retries: 1 },
    { limits: { agent_retries: 1 } },
  )
  const task = await played(bench)
  expect(task.verdict).toBe('APPROVED')
  expect(rolesOf(task)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'parser 2', 'reviewer 2'])
  expect(task.sessions[4]?.prompt).toContain(
    'no verdict found, and the parser failed: it ended with exit code 3',
  )
})

test('limits.review also applies to a parser', async () => {
  const bench = parsing(
    { reviewer: [{ do: [{ say: plain }] }], parser: [{ do: [{ await: 'never' }] }] },
    {},
    { limits: { agent_retries: 0, review: '1s' } },
  )
  const task = await played(bench)
  expect(task).toMatchObject({ reason: 'malformed_review' })
  expect(task.detail).toContain('The parser reached its time limit of 1 seconds')
})

test('a parser that changes the work invalidates the review', async () => {
  const spoil = ['sh', '-c', 'echo spoiled > ../../worktrees/1-parsed/spoiled.txt']
  const bench = parsing({
    reviewer: [{ do: [{ say: plain }] }],
    parser: [{ do: [{ run: spoil }, { say: approved }] }],
  })
  const task = await played(bench)
  expect(task).toMatchObject({ status: 'blocked', reason: 'reviewer_tampered', reviews: [] })
  expect(existsSync(join(bench.root, '.umpire/worktrees/1-parsed/spoiled.txt'))).toBe(false)
})

test('roles.parser has its own model, arguments and environment; without it the reviewer’s agent parses, without a model', async () => {
  const agents = { witness: { command: ['node', witness] } }
  const reviewer = { agent: 'witness', model: 'large', args: ['--deep'], env: { SIDE: 'reviewing' } }
  const scenario = { reviewer: [{ do: [{ say: plain }] }] }
  const review = { channels }
  const roles = { developer: 'actor', reviewer }
  const unset = openBench({ config: { agents, roles, review }, scenario })
  await played(unset)
  const parser = { agent: 'witness', model: 'small', args: ['--quick'], env: { SIDE: 'parsing' } }
  const set = openBench({ config: { agents, roles: { ...roles, parser }, review }, scenario })
  await played(set)
  const given = [unset, set].map((bench) => {
    const { env, argv, stdin } = givenTo(bench).find((each) => each.env.UMPIRE_ROLE === 'parser') ?? {}
    expect(stdin).toContain(plain)
    return { model: env?.UMPIRE_MODEL, side: env?.SIDE, argv }
  })
  expect(given).toEqual([
    { model: undefined, side: 'reviewing', argv: ['--deep'] },
    { model: 'small', side: 'parsing', argv: ['--quick'] },
  ])
  const { sessions } = await set.show(1)
  expect(sessions.map(({ role, model }) => `${role} ${model}`)).toEqual([
    'developer null',
    'reviewer large',
    'parser small',
  ])
})

test('a parser’s cost counts towards the task, and a built-in agent is confined like a reviewer', async () => {
  const bench = openBench()
  // The agent's own folder, the only one that it can write to in the sandbox.
  const env = { CLAUDE_CONFIG_DIR: join(bench.folder, 'own') }
  const reviewer = { agent: 'claude', env }
  const roles = { developer: 'actor', reviewer, parser: { ...reviewer, model: 'haiku' } }
  // Stands in for Claude Code: records its arguments, and prints a final result like Claude Code's.
  const program = `#!/usr/bin/env node
    import { appendFileSync } from 'node:fs'
    const { UMPIRE_ROLE: role, CLAUDE_CONFIG_DIR: own } = process.env
    appendFileSync(own + '/argv', JSON.stringify(process.argv.slice(2)) + '\\n')
    const reviewer = { result: ${JSON.stringify(plain)}, total_cost_usd: 0.25 }
    const parser = { result: '', structured_output: ${approved}, total_cost_usd: 0.05 }
    const said = role === 'parser' ? parser : reviewer
    console.log(JSON.stringify({ type: 'result', is_error: false, num_turns: 1, ...said }))`
  bench.write({
    'umpire.local.yaml': JSON.stringify({ roles, review: { channels } }),
    '../own/argv': '',
    '../bin/claude': program,
    '../bin/package.json': '{"type":"module"}',
  })
  chmodSync(join(bench.folder, 'bin/claude'), 0o755)
  bench.env.PATH = `${join(bench.folder, 'bin')}:${bench.env.PATH}`
  const task = await played(bench)
  expect(task).toMatchObject({
    ...{ verdict: 'APPROVED', costUsd: 0.3 },
    reviews: [{ costUsd: 0.3, parsedBy: '1-3' }],
  })
  expect(task.sessions.map(({ costUsd }) => costUsd)).toEqual([null, 0.25, 0.05])
  const [, argv = ''] = readFileSync(join(bench.folder, 'own/argv'), 'utf8').trimEnd().split('\n')
  const line = JSON.parse(argv).join(' ')
  expect(line).toContain('--tools Read,Grep,Glob --permission-mode dontAsk')
  expect(line).toContain('--model haiku')
  expect(line).toContain('UNCLEAR')
})

test('after a kill during parsing, the next run adopts the parser and does not ask the reviewer again', async () => {
  const bench = parsing({
    reviewer: [{ do: [{ say: plain }] }],
    parser: [{ do: [{ touch: '$BENCH/parsing' }, { await: '$BENCH/go-on' }, { say: approved }] }],
  })
  await bench.add('Adopted')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'parsing'))
  work.kill('SIGKILL')
  await work.ended
  expect(await bench.show(1)).toMatchObject({ status: 'in_progress', reviewStatus: 'in_progress' })
  bench.write({ '../go-on': '' })
  expect((await bench.umpire('work')).code).toBe(0)
  const task = await bench.show(1)
  expect(task.verdict).toBe('APPROVED')
  expect(rolesOf(task)).toEqual(['developer 1', 'reviewer 1', 'parser 1'])
})

test('after an interruption during parsing, the next run parses the review again and asks no reviewer', async () => {
  const bench = parsing({
    reviewer: [{ do: [{ say: plain }] }],
    parser: [{ session: 3, do: [{ touch: '$BENCH/parsing' }, { await: 'never' }] }],
  })
  await bench.add('Interrupted')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'parsing'))
  work.kill('SIGINT')
  expect((await work.ended).code).toBe(130)
  expect((await bench.umpire('work')).code).toBe(0)
  const task = await bench.show(1)
  expect(rolesOf(task)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'parser 2'])
  expect(task.reviews).toMatchObject([{ sessionId: '1-2', parsedBy: '1-4', verdict: 'APPROVED' }])
  expect(check(bench.root).code).toBe(0)
})
