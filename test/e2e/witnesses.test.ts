/** Witnesses: commands with which a reviewer proves its issues. Umpire runs them in the sandbox, without a network. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { hasSandbox } from '../support/sandbox.ts'
import { type Bench, isRunning, openBench, processesOf, until } from '../support/umpire.ts'

const issue = (description: string, witness?: string[]) => ({
  ...{ file: 'work-1.txt', line: 1, type: 'bug', description },
  ...(witness && { witness }),
})

const proofs = async (bench: Bench) =>
  (await bench.events())
    .filter(({ type }) => type === 'issue.proven')
    .map(({ data }) => `${data.issue} ${data.outcome} ${data.exitCode}`)

const reviewed = (proof: string, ...issues: object[]) =>
  openBench({
    config: { max_cycles: 1, review: { proof, retries: 0 } },
    files: { 'check.sh': 'grep -q tea work-1.txt\n', '.gitignore': 'cache/\n' },
    scenario: {
      reviewer: [{ do: [{ submit: { verdict: 'CHANGES_REQUESTED', summary: 'Nearly.', issues } }] }],
    },
  })

test.each([
  ['prefer', ['1 proven 1', '2 unproven 0', '4 unclear 127'], [1, 3, 4]],
  ['require', ['1 proven 1', '2 unproven 0', '3 unproven null', '4 unclear 127'], [1]],
  ['off', [], [1, 2, 3, 4]],
])(
  'review.proof: %s decides which issues block only with a failing witness',
  {
    skip: !hasSandbox,
  },
  async (proof, expected, blocking) => {
    const bench = reviewed(
      proof,
      issue('It says nothing of tea.', ['sh', 'check.sh']),
      issue('It is empty.', ['test', '-s', 'work-1.txt']),
      issue('It is dull.'),
      issue('It is odd.', ['no-such-program']),
    )
    await bench.add('Make tea')
    expect((await bench.umpire('work')).code).toBe(3)
    expect(await proofs(bench)).toEqual(expected)
    const { issues, reason, sessions } = await bench.show(1)
    expect(reason).toBe('max_cycles')
    const left = issues.filter(({ severity, status }) => severity === 'blocking' && status === 'open')
    expect(left.map(({ number }) => number)).toEqual(blocking)
    const prompt = sessions.find(({ role }) => role === 'reviewer')?.prompt
    expect(prompt?.includes('`witness`')).toBe(proof !== 'off')
    const page = (await bench.umpire('show', '1', '--all')).stdout
    expect(page.includes('(advisory, unproven,')).toBe(proof !== 'off')
    expect(page.includes('1. proven (exit code 1)  ["sh","check.sh"]')).toBe(proof !== 'off')
  },
)

test('runs ten witnesses per review, and says that the others were not run', {
  skip: !hasSandbox,
}, async () => {
  const many = Array.from({ length: 12 }, (_, index) => issue(`Issue ${index + 1}.`, ['false']))
  const bench = reviewed('prefer', ...many)
  await bench.add('Make tea')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await proofs(bench)).toEqual(
    many.map((_, index) => `${index + 1} ${index < 10 ? 'proven 1' : 'not run null'}`),
  )
  expect((await bench.umpire('show', '1', '--all')).stdout).toContain('only 10 witnesses are run per review')
})

test('ends a witness that was running when Umpire was killed, runs it again, and counts it once', {
  skip: !hasSandbox,
}, async () => {
  const bench = reviewed('prefer')
  const wait = `while [ ! -e ${join(bench.folder, 'go')} ]; do sleep 0.1; done; exit 3`
  bench.play({
    reviewer: [
      {
        do: [
          {
            submit: {
              verdict: 'CHANGES_REQUESTED',
              summary: 'Nearly.',
              issues: [issue('It says nothing of tea.', ['sh', '-c', wait])],
            },
          },
        ],
      },
    ],
  })
  await bench.add('Make tea')
  const first = bench.start('work')
  const attempts = join(bench.root, '.umpire/attempts')
  const running = () =>
    existsSync(attempts) ? readdirSync(attempts).filter((name) => name.includes('witness')) : []
  await until(() => running().length > 0, 'the witness')
  const begun = await processesOf(bench)
  first.kill('SIGKILL')
  await first.ended
  writeFileSync(join(bench.folder, 'go'), '')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await proofs(bench)).toEqual(['1 proven 3'])
  expect((await bench.show(1)).sessions.map(({ role }) => role)).toEqual(['developer', 'reviewer'])
  expect(begun.filter((pid) => isRunning(pid))).toEqual([])
  expect(running()).toEqual([])
})

const probe = `
const { connect } = require('node:net')
const { mkdirSync, writeFileSync } = require('node:fs')
const attempt = (name, use) => { try { use(); console.log(name + ': done') } catch { console.log(name + ': refused') } }
attempt('checkout', () => writeFileSync('made.txt', ''))
attempt('ignored', () => { mkdirSync('cache'); writeFileSync('cache/made.txt', '') })
attempt('tmp', () => writeFileSync('/tmp/made', ''))
attempt('home', () => writeFileSync(process.env.HOME + '/evil', ''))
attempt('main', () => writeFileSync(process.env.MAIN + '/evil', ''))
attempt('database', () => writeFileSync(process.env.MAIN + '/.umpire/evil', ''))
attempt('link', () => writeFileSync('.git', 'gitdir: /'))
console.log('\\u001b[31mred')
const socket = connect(Number(process.argv[1]), '127.0.0.1')
socket.on('connect', () => { console.log('network: done'); process.exit(3) })
socket.on('error', () => { console.log('network: refused'); process.exit(3) })
`

test('a witness can write only to its own checkout, reaches no network, and leaves nothing behind', {
  skip: !hasSandbox,
}, async () => {
  let reached = 0
  const server = createServer((socket) => {
    reached += 1
    socket.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  try {
    const bench = reviewed(
      'prefer',
      issue('It is loud.', ['node', '-e', probe, '--', String(port)]),
      issue('It remembers.', ['test', '!', '-e', 'made.txt']),
      issue('It is odd.', ['-c', 'true']),
      issue('It is ended.', ['sh', '-c', 'kill -9 $$']),
      issue('It remembers more.', ['test', '!', '-e', 'cache']),
      issue('It has an agent.', ['sh', '-c', 'test -z "$SSH_AUTH_SOCK"']),
    )
    await bench.add('Make tea')
    const { code } = await bench.call(['work'], {
      env: { MAIN: bench.root, SSH_AUTH_SOCK: '/tmp/agent' },
    })
    expect(code).toBe(3)
    expect(await proofs(bench)).toEqual([
      ...['1 proven 3', '2 unproven 0', '3 unclear null', '4 unclear 137', '5 unproven 0', '6 unproven 0'],
    ])
    const output = String((await bench.events()).find(({ type }) => type === 'issue.proven')?.data.output)
    expect(output.match(/^\w+: \w+$/gm)).toEqual([
      ...[
        'checkout: done',
        'ignored: done',
        'tmp: done',
        'home: refused',
        'main: refused',
        'database: refused',
      ],
      ...['link: refused', 'network: refused'],
    ])
    expect(reached).toBe(0)
    const page = (await bench.umpire('show', '1', '--all')).stdout
    expect(page).toContain('network: refused')
    expect(page).not.toContain('\u001b[31m')
    expect(bench.git('status', '--porcelain')).toBe('')
    const scratch = join(bench.home, 'scratch')
    expect(existsSync(scratch) ? readdirSync(scratch) : []).toEqual([])
  } finally {
    await new Promise((closed) => server.close(closed))
  }
})

test('all witnesses of a review share the time limit of one gate', { skip: !hasSandbox }, async () => {
  const issues = [
    issue('It hangs.', ['sh', '-c', 'while :; do sleep 1; done']),
    issue('It is empty.', ['test', '-s', 'work-1.txt']),
  ]
  const bench = openBench({
    config: { max_cycles: 1, review: { proof: 'prefer' }, limits: { gate: '2s' } },
    scenario: { reviewer: [{ do: [{ submit: { verdict: 'CHANGES_REQUESTED', issues } }] }] },
  })
  await bench.add('Make tea')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await proofs(bench)).toEqual(['1 unclear null', '2 not run null'])
})

test('tells the developer what is proven, and the next reviewer how the witness ends now', {
  skip: !hasSandbox,
}, async () => {
  const tea = issue('It says nothing of tea.', ['sh', 'check.sh'])
  const bench = openBench({
    config: { max_cycles: 3 },
    files: { 'check.sh': 'grep -q tea work-1.txt\n' },
    scenario: {
      developer: [
        { iteration: 1, do: [{ write: { 'work-1.txt': 'coffee\n' } }] },
        { iteration: 2, do: [{ write: { 'work-1.txt': 'tea\n' } }] },
      ],
      reviewer: [
        { cycle: 1, do: [{ submit: { verdict: 'CHANGES_REQUESTED', issues: [tea] } }] },
        { cycle: 2, do: [{ submit: { verdict: 'APPROVED' } }] },
      ],
    },
  })
  await bench.add('Make tea')
  expect((await bench.umpire('work')).code).toBe(0)
  const [, , developer, reviewer] = (await bench.show(1)).sessions
  expect(developer?.prompt).toContain('["sh","check.sh"]')
  expect(reviewer?.prompt).toContain('Its witness passes on this tree')
  expect(await proofs(bench)).toEqual(['1 proven 1', '1 unproven 0'])
})

test('without a sandbox, runs no witnesses, keeps the issues, and says so', async () => {
  const bench = reviewed('require', issue('It is empty.', ['true']), issue('It is dull.'))
  const bin = join(bench.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "no namespaces for you" >&2\nexit 1\n', { mode: 0o755 })
  bench.env.PATH = `${bin}${delimiter}${bench.env.PATH}`
  await bench.add('Make tea')
  expect((await bench.umpire('work')).code).toBe(3)
  expect(await proofs(bench)).toEqual(['1 not run null', '2 not run null'])
  const { reason, issues, sessions } = await bench.show(1)
  expect(reason).toBe('max_cycles')
  expect(issues.map(({ severity }) => severity)).toEqual(['blocking', 'blocking'])
  expect(sessions.find(({ role }) => role === 'reviewer')?.prompt).not.toContain('`witness`')
  const { stdout } = await bench.umpire('events')
  expect(stdout).toContain('there is no sandbox for it')
  expect((await bench.umpire('doctor')).stdout).toMatch(/sandbox: .*Umpire runs no witnesses/)
})
