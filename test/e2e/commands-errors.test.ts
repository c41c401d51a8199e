/** Errors are one or two lines on standard error: what is wrong, where, what to do. */
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Bench, openBench, type Ran } from '../support/umpire.ts'

/** Expects only the error: no output, no stack trace, at most two lines. */
function expectRefusal(ran: Ran, code: number, words: RegExp): void {
  expect(ran.stderr).toMatch(words)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  expect(ran.stderr).not.toMatch(/^\s+at |\.ts:|\.js:/m)
}

const wrongUse: [string[], RegExp][] = [
  [['wrok'], /unknown command 'wrok'\n\(Did you mean work\?\)/],
  [['status', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [['show'], /missing required argument 'id'/],
  [['show', 'abc'], /'abc' is invalid.*Give the number of a task/],
  [['show', '0'], /'0' is invalid/],
  [['show', '-1'], /'-1' is invalid/],
  [['show', '1.5'], /'1.5' is invalid/],
  [['show', '99'], /There is no task 99\.\numpire list shows the tasks\./],
  [['work', '1', '99'], /There is no task 99\./],
  [['add'], /missing required argument 'title'/],
  [['add', ''], /The title is empty\./],
  [['add', ' \t\n '], /The title is empty\./],
  [['add', 'Several', 'words'], /Put a title of several words in quotes/],
  [['add', 'X', '--max-cycles', '0'], /from 1 to 1000/],
  [['add', 'X', '--max-cycles', '1e2'], /from 1 to 1000/],
  [['add', 'X', '--effort', 'huge'], /Allowed choices are low, medium, high, max/],
  [['add', 'X', '--type', 'novel'], /Allowed choices are implement, improve/],
  [['add', 'X', '--type', 'spec'], /not yet available/],
  [['add', 'X', '--gate', ' '], /A gate is empty\./],
  [['add', 'X', '-a', '--no-review'], /contradict each other/],
  [['add', 'X', '--agent', 'nobody'], /There is no agent "nobody"\.\n.*known: actor/],
  [['add', 'X', '--agent', 'clade'], /There is no agent "clade"\.\nDid you mean claude\? /],
  [['add', 'X', '--reviewer', 'nobody'], /There is no agent "nobody"/],
  [['edit', '1'], /There is nothing to change/],
  [['edit', '1', '--title', ''], /The title is empty\./],
  [['edit', '1', '--why', 'because'], /--why works only together with --verdict/],
  [['edit', '1', '--verdict', 'MAYBE'], /Allowed choices are APPROVED/],
  [['edit', '1', '--agent', 'nobody'], /There is no agent "nobody"/],
  [['work', '--parallel', '0'], /from 1 to 100/],
  [['work', '--parallel', 'many'], /from 1 to 100/],
  [['events', '--after', 'x'], /Give a whole number/],
  [['log', '1', '--cycle', '0'], /Give a whole number/],
  [['log', '1', '--role', 'planner'], /Allowed choices are developer, reviewer, parser/],
  [['verdict', '--channel', 'smoke'], /Allowed choices are auto, json, verdict-line, marker/],
  [['diff', '1'], /Task 1 has no work yet\.\numpire work 1 starts it\./],
  [['retry', '1'], /Task 1 is already pending\./],
  [['submit'], /only inside an agent session/],
  [['waive', '1', '--issue', '1'], /^error: required option '--why <text>' not specified/],
  [['waive', '1', '--why', 'because'], /^error: required option '--issue <n>' not specified/],
  [['waive', '1', '--issue', 'x', '--why', 'because'], /Give the number of an issue/],
  [['waive', '1', '--issue', '1', '--why', ' '], /The reason is missing\.\n/],
  [['waive', '1', '--issue', '1', '--why', 'because'], /Task 1 has no issue 1\.\nIt has no issues\.\n/],
  [['waive', '9', '--issue', '1', '--why', 'because'], /There is no task 9\./],
  ...['feature', 'watch', 'web', 'mcp'].map((name): [string[], RegExp] => [
    ['--verbose', name, 'X', '--port', '1'],
    new RegExp(`^umpire: umpire ${name} is not yet available in this version\\.\\n[^\\n]+\\n$`),
  ]),
  [['add', 'X', '--after', '1,9'], /There is no task 9 to depend on\.\numpire list --all shows the tasks\./],
  [['add', 'X', '--after', 'first'], /'first' is invalid.*Give the number of a task/],
  [['add', 'X', '--after', ','], /Give the numbers of tasks/],
  [['add', 'X', '--after', 'none'], /'none' is invalid/],
  [['add', 'X', '--group=0'], /from 1 to 1000000/],
  [['edit', '1', '--after', '1'], /Task 1 would depend on itself\.\n/],
  [['import'], /missing required argument 'paths'/],
  [['export'], /missing required argument 'dir'/],
  ...['0', '-1', '$5', '5usd', 'NaN', '1e3', '', '.'].map((usd): [string[], RegExp] => [
    ['work', `--budget=${usd}`],
    /^error: option '--budget <usd>' argument '.*' is invalid\. Give an amount in dollars above 0, as in 5 or 2\.50\./,
  ]),
  [['add', 'waive', '--adter', '1'], /^error: unknown option '--adter'/],
  [['waives'], /^error: unknown command 'waives'/],
  [['\u001b]52;c;YQ==\u0007\u001b[31mred'], /^error: unknown command 'red'\n$/],
]

test('refuses wrong usage with exit code 2, and files nothing', async () => {
  const bench = openBench()
  await bench.add('The only one')
  for (const [args, words] of wrongUse) expectRefusal(await bench.umpire(...args), 2, words)
  const nul = await bench.call(['add', 'X', '-'], { stdin: 'a\0b' })
  expectRefusal(nul, 2, /The description contains a NUL character\./)
  expect((await bench.umpire('list', '--all', '--json')).json<{ tasks: object[] }>().tasks).toHaveLength(1)
  expect((await bench.umpire()).stderr).toContain('Usage: umpire')
})

test('help has an example for every command and goes to standard output', async () => {
  const bench = openBench()
  const help = await bench.umpire('--help')
  expect(help).toMatchObject({ code: 0, stderr: '' })
  const commands = [...help.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name)
  expect(commands).toContain('work')
  for (const command of commands.filter((name) => name !== 'help' && name !== 'umpire')) {
    const shown = await bench.umpire(command, '--help')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain(`Example:\n  umpire ${command}`)
  }
  expect((await bench.umpire('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('refuses an invalid configuration, and lists all its problems at once, by line', async () => {
  const bench = openBench()
  await bench.add('Something to do')
  bench.write({
    'umpire.yaml': [
      'roles: { developer: actro, reviewer: actor }',
      'agents: { actor: { command: [cat] } }',
      'revew: {}',
      'max_cycles: many',
      'review: { retries: -1, blid: true }',
      'limits: { gate: 10 }',
      '"\\e]52;c;YQ==\\a\\e[31mk\\u202ey": 1',
    ].join('\n'),
    'umpire.local.yaml': 'effort: hihg\n',
  })
  const work = await bench.umpire('work')
  expect(work).toMatchObject({ code: 2, stdout: '' })
  const [first, ...problems] = work.stderr.trimEnd().split('\n')
  expect(first).toBe('umpire: invalid configuration:')
  expect(problems.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
    'umpire.yaml:1: roles.developer',
    'umpire.yaml:3: revew',
    'umpire.yaml:4: max_cycles',
    'umpire.yaml:5: review.retries',
    'umpire.yaml:5: review.blid',
    'umpire.yaml:6: limits.gate',
    expect.stringMatching(/^umpire\.yaml:7: /),
    'umpire.local.yaml:1: effort',
  ])
  for (const meant of ['did you mean actor?', 'did you mean review?', 'did you mean blind?', 'mean high?']) {
    expect(work.stderr).toContain(meant)
  }
  expect(work.stderr).not.toMatch(/[^\P{C}\n]/u)
  expect((await bench.events()).map(({ type }) => type)).toEqual(['task.added'])
})

test('work names a role that has no agent, and does nothing', async () => {
  const bench = openBench()
  await bench.add('Something to do')
  bench.write({ 'umpire.yaml': '' })
  expectRefusal(
    await bench.umpire('work'),
    2,
    /No agent is configured for the role developer\.\nInstall one of claude, .*, or set roles\.developer in/,
  )
  bench.write({ 'umpire.yaml': 'roles: { developer: a }\nagents: { a: { command: [cat] } }' })
  expectRefusal(await bench.umpire('work'), 2, /No agent is configured for the role reviewer\./)
  expectRefusal(await bench.umpire('work', '--dry-run'), 2, /No agent is configured for the role reviewer\./)
  expect((await bench.events()).map(({ type }) => type)).toEqual(['task.added'])
})

test('an unexpected error prints a short message and exits with 1; --verbose shows the stack trace', async () => {
  const bench = openBench()
  writeFileSync(bench.home, 'not a folder')
  const short = await bench.umpire('add', 'X')
  expectRefusal(short, 1, /^umpire: .*\n--verbose shows the stack trace\.\n$/)
  const long = await bench.umpire('--verbose', 'add', 'X')
  expect(long.code).toBe(1)
  expect(long.stderr).toMatch(/^\s+at /m)
  expect((await bench.umpire('add', 'X', '--verbose')).stderr).toMatch(/^\s+at /m)
})

async function workOn(bench: Bench, ...titles: string[]): Promise<number | null> {
  const ids = []
  for (const title of titles) ids.push(String(await bench.add(title)))
  return (await bench.umpire('work', ...ids)).code
}

test('the exit code of work is 0 when all is approved, 3 when a person is needed, 1 when something failed', async () => {
  const bench = openBench({
    scenario: {
      developer: [{ task: 'fails', do: [{ complain: 'out of paper' }, { exit: 7 }] }],
      reviewer: [{ task: 'blocks', do: [{ submit: { verdict: 'REJECTED', summary: 'No.' } }] }],
    },
  })
  expect(await workOn(bench)).toBe(0)
  expect(await workOn(bench, 'fine')).toBe(0)
  expect(await workOn(bench, 'blocks', 'fine')).toBe(3)
  expect(await workOn(bench, 'blocks', 'fails')).toBe(1)
  // Tasks that were blocked earlier do not affect this exit code.
  expect(await workOn(bench, 'fine')).toBe(0)
  expect((await bench.umpire('work')).code).toBe(0)
  expectRefusal(await bench.umpire('work', '2'), 2, /Task 2 is blocked\.\nNext: umpire reviews 2, or/)
  const shown = await bench.show(5)
  expect(shown).toMatchObject({ status: 'failed', reason: 'crash' })
  expect(shown.detail).toContain('exit code 7: out of paper')
})

test('inside an agent session Umpire refuses a person’s moves and allows commands that only read', async () => {
  const moves = [
    ['add', 'X'],
    ['edit', '1', '--verdict', 'APPROVED'],
    ['delete', '1'],
    ['work'],
    ['retry', '1'],
  ]
  const reads = [
    ['status'],
    ['list'],
    ['show', '1'],
    ['log', '1'],
    ['reviews', '1'],
    ['events'],
    ['diff', '1'],
  ]
  const run = (args: string[], env = {}) => ({ run: ['umpire', ...args], env })
  const asked = [...moves, ['cancel', '1']]
  const bench = openBench({
    scenario: {
      reviewer: [
        {
          do: [
            ...asked.map((args) => run(args)),
            // Unsetting the variable does not help: the parent processes still have it.
            run(['add', 'X'], { UMPIRE_SESSION: null }),
            ...reads.map((args) => run(args)),
            { run: ['umpire', 'verdict'], stdin: '**Verdict: APPROVED**' },
            { submit: { verdict: 'APPROVED' } },
          ],
        },
      ],
    },
  })
  await bench.add('Watched')
  expect((await bench.umpire('work')).code).toBe(0)
  const ran = bench.played().filter(({ role, argv }) => role === 'reviewer' && argv)
  const codes = ran.map(({ argv = [], code }) => `${argv[1]} ${code}`)
  expect(codes).toEqual([
    ...asked.map(([name]) => `${name} 2`),
    'add 2',
    ...reads.map(([name]) => `${name} 0`),
    'verdict 0',
    'submit 0',
  ])
  expect(ran[0]?.stderr).toMatch(
    /^umpire: Only a person may run "umpire \w+"\. It is refused inside an agent session/,
  )
  expect((await bench.show(1)).sessions[1]?.refused).toHaveLength(asked.length + 1)
  expect((await bench.umpire('show', '1')).stdout).toContain(
    'Commands refused to agents\n  1-2: umpire add\n',
  )
})
