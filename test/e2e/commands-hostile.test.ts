/** What others wrote reaches a terminal as plain text only, and secrets reach no file. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBench } from '../support/umpire.ts'

const escapes = '\u001b[31mred\u001b[0m \u001b]52;c;ZXZpbA==\u0007 \u001b]0;title\u001b\\ \u009b1A\u0085'
const marks = '\u202etxt.exe\u202c \u2066a\u2069 \u200f \u2028 \u0000'.replace('\u0000', '\u0008')
const hostile = `H ${escapes} ${marks} end`

/** Anything a terminal might obey: controls other than newline and tab, and marks that turn writing around. */
const obeyed = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

test('no escape, control or direction mark of a task, an agent or a file reaches the terminal', async () => {
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
    await bench.call(['verdict'], {
      stdin: `{"verdict":"REJECTED","issues":["${hostile.replace(/\p{Cc}/gu, '')}"]}`,
    }),
  ]
  const looks = ['status', 'list', 'list --all', 'show 1', 'show 1 --prompts', 'log 1', 'reviews 1', 'events']
  for (const look of [...looks, 'work --dry-run', 'retry 1', 'cancel 1']) {
    shown.push(await bench.umpire(...look.split(' ')))
  }
  for (const { stdout, stderr } of shown) {
    expect(obeyed.exec(stdout)).toBe(null)
    expect(obeyed.exec(stderr)).toBe(null)
  }
  // The words themselves are still there, and a task stays on its one line.
  const all = shown.map(({ stdout }) => stdout).join('')
  expect(all).toContain('H red')
  expect(
    (await bench.umpire('status')).stdout.split('\n').filter((line) => /^\S \d\. /.test(line)),
  ).toHaveLength(1)
  for (const name of readdirSync(join(bench.home, 'reviews'))) {
    expect(obeyed.exec(readFileSync(join(bench.home, 'reviews', name), 'utf8'))).toBe(null)
  }
  // What a program reads or applies is as it was.
  const json = (await bench.umpire('show', '1', '--json')).json<{ title: string; description: string }>()
  expect(json).toMatchObject({ title: `${hostile} 2`, description: hostile })
  expect((await bench.umpire('diff', '1')).stdout).toContain(`+${hostile}`)
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

test('secrets that an agent, a gate or a review prints are in no file of Umpire’s', async () => {
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
  // Transcripts are removed once they are stored.
  expect(readdirSync(join(bench.home, 'attempts'))).toEqual([])
  expect(statSync(join(bench.home, 'umpire.db')).mode & 0o077).toBe(0)
})
