/** Untrusted text reaches a terminal only as plain text, and secrets reach no file. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { hasTerminal, startOnTerminal } from '../support/on-terminal.ts'
import { type Act, fileAppears, openBench, until } from '../support/umpire.ts'

const actor = resolve(import.meta.dirname, '../fixtures/agents/actor.mjs')

const escapes = '\u001b[31mred\u001b[0m \u001b]52;c;ZXZpbA==\u0007 \u001b]0;title\u001b\\ \u009b1A\u0085'
const marks = '\u202etxt.exe\u202c \u2066a\u2069 \u200f \u2028 \u0000'.replace('\u0000', '\u0008')
const unseen = 'a\u200bb\u200cc\u2060d\ufeffe\u00adf\u{e0041}g\u007f'
const hostile = `H ${escapes} ${marks} ${unseen} end`

/** Anything a terminal might obey or hide: control characters except newline and tab, and zero-width marks. */
const obeyed = /[^\P{Cc}\n\t]|\p{Cf}|\u2028|\u2029/u

test('no escape, control or direction mark from a task, an agent or a file reaches the terminal', async () => {
  const issue = { file: `f${hostile}`, line: 1, type: 'bug', description: hostile, suggestion: hostile }
  const bench = openBench({
    config: { gates: { test: `printf '%s' "$BENCH_HOSTILE"; test -f fixed` } },
    scenario: {
      developer: [
        {
          iteration: 1,
          do: [{ write: { [`f${hostile}`]: `${hostile}\n` } }, { say: hostile }, { complain: hostile }],
        },
        { iteration: 2, do: [{ write: { fixed: '' } }] },
      ],
      reviewer: [
        { cycle: 1, do: [{ submit: { verdict: 'CHANGES_REQUESTED', summary: hostile, issues: [issue] } }] },
        { do: [{ submit: { verdict: 'REJECTED', summary: hostile, interpretedIntent: hostile } }] },
      ],
    },
  })
  const env = { BENCH_HOSTILE: hostile, USER: hostile }
  const flags = ['-d', hostile, '--accept', hostile, '--scope', hostile, '--gate', `: '${hostile}'`]
  expect((await bench.call(['add', hostile, ...flags], { env })).code).toBe(0)
  const worked = await bench.call(['work'], { env })
  expect(worked.code).toBe(3)
  const shown = [
    worked,
    await bench.call(['edit', '1', '--verdict', 'REJECTED', '--why', hostile], { env }),
    await bench.call(['edit', '1', '--title', `${hostile} 2`], { env }),
    await bench.call(['add', hostile, '--agent', hostile], { env }),
    await bench.call(['add', hostile, '--file', hostile], { env }),
    await bench.call(['show', '1', hostile], { env }),
    await bench.call([hostile, '--help'], { env }),
    await bench.call(['help', hostile], { env }),
    await bench.call(['log', '1', `--${hostile}`, '--verbose'], { env }),
    await bench.call(['log', '1', '--role', hostile], { env }),
    await bench.call(['improve', '1', '--review', hostile], { env }),
    await bench.call(['complete', hostile], { env }),
    await bench.call(['complete', '--', 'show', ''], { env }),
    await bench.call(['verdict'], {
      stdin: `{"verdict":"REJECTED","issues":["${hostile.replace(/\p{Cc}/gu, '')}"]}`,
    }),
  ]
  const looks = ['status', 'list', 'list --all', 'show 1', 'show 1 --prompts', 'log 1', 'reviews 1', 'events']
  const programs = ['status --json', 'show 1 --json', 'log 1 --json', 'reviews 1 --json', 'events --json']
  const more = ['show 1 --all', 'config', 'doctor', 'work --dry-run', 'retry 1', 'cancel 1']
  for (const look of [...looks, ...programs, ...more]) shown.push(await bench.umpire(...look.split(' ')))
  for (const { stdout, stderr } of shown) {
    expect(obeyed.exec(stdout)).toBe(null)
    expect(obeyed.exec(stderr)).toBe(null)
  }
  // The words themselves are still there, and each task stays on one line.
  const all = shown.map(({ stdout }) => stdout).join('')
  expect(all).toContain('H red')
  expect(shown.filter(({ code }) => code === 0).length).toBeGreaterThan(15)
  const lines = (await bench.umpire('status')).stdout.split('\n')
  expect(lines.filter((line) => /^\S \d\. /.test(line))).toHaveLength(1)
  for (const name of readdirSync(join(bench.home, 'reviews'))) {
    expect(obeyed.exec(readFileSync(join(bench.home, 'reviews', name), 'utf8'))).toBe(null)
  }
  // JSON and diffs, which programs read or apply, keep the original text.
  const json = (await bench.umpire('show', '1', '--json')).json<{ title: string; description: string }>()
  expect(json).toMatchObject({ title: `${hostile} 2`, description: hostile })
  expect((await bench.umpire('diff', '1')).stdout).toContain(`+${hostile}`)
})

/** The configuration and git allow these in names; git also allows control characters beyond ASCII. */
const name = 'n\u202eam\u200be'

test('names of branches, gates and agents reach the terminal as plain text, too', async () => {
  const bench = openBench({
    config: {
      roles: { developer: name, reviewer: 'actor' },
      gates: { [name]: 'false' },
      agents: { [name]: { command: ['node', actor] } },
      max_gate_failures: 1,
    },
  })
  bench.git('checkout', '--quiet', '-b', `b${name}\u0085`)
  await bench.add('Some work', '--reviewer', name)
  const shown = [await bench.umpire('work'), await bench.umpire('add', 'x', '--agent', 'nobody')]
  expect(shown[0]?.code).toBe(3)
  const looks = ['status', 'show 1', 'log 1', 'events', 'config', 'doctor', 'retry 1', 'work --dry-run']
  const moves = ['edit 1 --verdict APPROVED', 'merge 1', 'clean', 'delete 1', 'complete -- add --agent']
  for (const words of [...looks, ...moves]) shown.push(await bench.umpire(...words.split(' ')))
  for (const { stdout, stderr } of shown) {
    expect(obeyed.exec(stdout)).toBe(null)
    expect(obeyed.exec(stderr)).toBe(null)
  }
  expect(shown.map(({ stdout }) => stdout).join('')).toContain('from bname')
})

test.skipIf(!hasTerminal)('no such character reaches a real terminal, live or afterwards', async () => {
  const bench = openBench({
    scenario: {
      developer: [
        {
          do: [
            { write: { [`f${hostile}`]: `${hostile}\r\n` } },
            { say: hostile },
            { complain: hostile },
            { touch: '$BENCH/said' },
            { await: '$BENCH/go-on' },
          ],
        },
      ],
      reviewer: [{ do: [{ submit: { verdict: 'REJECTED', summary: hostile } }] }],
    },
  })
  await bench.add(hostile)
  const work = startOnTerminal(bench, ['work'])
  await fileAppears(join(bench.folder, 'said'))
  await until(() => /Developing….*\n[^\n]*H red/s.test(work.stdout()), 'the agent’s words in the live view')
  bench.write({ '../go-on': '' })
  const shown = [await work.ended]
  for (const look of [
    'status',
    'show 1',
    'log 1',
    'log 1 --raw',
    'reviews 1',
    'events',
    'diff 1',
    'show 1 --json',
  ])
    shown.push(await startOnTerminal(bench, look.split(' ')).ended)
  for (const { stdout } of shown) {
    expect(stdout).toMatch(/H .*red/)
    // Umpire's own escapes: colours, cursor up, erasing, line wrapping. It also uses red, but not for this word.
    expect(stdout).not.toContain('\u001b[31mred')
    const others = stdout.replace(/\u001b\[(\d+m|\d+A|K|J|\?7[hl])/g, '').replaceAll('\r', '')
    expect(obeyed.exec(others)).toBe(null)
  }
  // A diff spells out hidden characters for its reader.
  expect(shown[7]?.stdout).toContain('\\u001b]52;c;ZXZpbA==\\u0007')
  expect(shown[7]?.stdout).toContain('\\u202etxt.exe\\u202c')
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

test('secrets that an agent, a gate or a review prints reach none of Umpire’s files', async () => {
  const secrets = {
    DEPLOY_TOKEN: 'deploy-4711-value',
    PRIVATE_KEY: 'private-0815-value',
    db_password: 'database-1234-value',
  }
  const shapes = [`ghp_${'a1B2'.repeat(9)}`, `sk-${'x9Y8'.repeat(8)}`]
  const says = (where: string) => `${where} ${[...Object.values(secrets), ...shapes].join(' ')} told`
  const review = { summary: says('summary'), issues: [{ file: 'a', description: says('issue') }] }
  const bench = openBench({
    scenario: {
      developer: [
        { do: [{ say: says('stdout') }, { complain: says('stderr') }, { write: { a: 'UMPIRE' } }] },
      ],
      reviewer: [{ do: [{ say: says('review') }, { submit: { verdict: 'REJECTED', ...review } }] }],
    },
    config: { gates: { test: 'echo gate $DEPLOY_TOKEN told' } },
  })
  await bench.add('Prints its environment')
  expect((await bench.call(['work'], { env: secrets })).code).toBe(3)
  const shown = JSON.stringify(await bench.show(1))
  for (const where of ['gate', 'summary', 'issue']) expect(shown).toContain(`${where} [redacted]`)
  const log = (await bench.umpire('log', '1', '--raw')).stdout
  for (const where of ['stdout', 'stderr', 'review']) expect(log).toContain(`${where} [redacted]`)

  const files = filesUnder(bench.home)
  expect(files).toContain(join(bench.home, 'umpire.db'))
  for (const path of files) {
    const bytes = readFileSync(path)
    for (const secret of [...Object.values(secrets), ...shapes]) {
      expect([path, bytes.includes(secret)]).toEqual([path, false])
    }
  }
  // Umpire removes transcripts once they are stored.
  expect(readdirSync(join(bench.home, 'attempts'))).toEqual([])
  expect(statSync(join(bench.home, 'umpire.db')).mode & 0o077).toBe(0)
})

test('secrets in the message of an agent that fails, is refused or gives up reach no file and no terminal', async () => {
  const secrets = { DEPLOY_TOKEN: 'deploy-4711-value', db_password: 'data"base-1234-value' }
  const fails = (code: number): Act[] => [
    { complain: `failed with ${Object.values(secrets).join(' ')}` },
    { run: ['sh', '-c', 'echo "tried $DEPLOY_TOKEN" >> "$UMPIRE_HOME/attempts/$UMPIRE_SESSION/refused"'] },
    { exit: code },
  ]
  const bench = openBench({
    scenario: {
      developer: [
        { task: 'Crash', do: fails(7) },
        { task: 'Give up', do: [{ submit: { fail: `no ${Object.values(secrets).join(' ')}` } }] },
      ],
    },
    config: { limits: { agent_retries: 0 } },
  })
  await bench.add('Crash')
  await bench.add('Give up')
  const worked = await bench.call(['work'], { env: secrets })
  const told = [worked.stdout, worked.stderr]
  for (const command of [['show', '1'], ['show', '2'], ['events'], ['log', '1']])
    told.push((await bench.umpire(...command)).stdout)
  expect(JSON.stringify(await bench.show(1))).toContain('tried [redacted]')
  const files = filesUnder(bench.home).map((path) => readFileSync(path, 'latin1'))
  for (const text of [...told, ...files])
    for (const secret of ['deploy-4711-value', 'base-1234-value']) expect(text.includes(secret)).toBe(false)
})
