/** Notifications of real runs: a command, a webhook on this machine, a desktop program, the bell, and quiet hours. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Answer, openReceiver, type Receiver } from '../support/receiver.ts'
import { writeScript } from '../support/repository.ts'
import { type Bench, builtCommand, fileAppears, openBench, type Scenario, until } from '../support/umpire.ts'

const receivers: Receiver[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close()
})

async function receive(...answers: Answer[]): Promise<Receiver> {
  const receiver = await openReceiver(...answers)
  receivers.push(receiver)
  return receiver
}

const rejects: Scenario = { reviewer: [{ task: 1, do: [{ say: '**Verdict: REJECTED**' }] }] }

/** Appends one line of JSON each time it runs. */
const noteInput = 'cat >> "$BENCH/told.jsonl"'

function told({ folder }: Bench): Record<string, unknown>[] {
  const path = join(folder, 'told.jsonl')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const configure = (bench: Bench, notify: object[]) => {
  const settings = JSON.parse(readFileSync(join(bench.root, 'umpire.yaml'), 'utf8'))
  writeFileSync(join(bench.root, 'umpire.yaml'), JSON.stringify({ ...settings, notify }))
}

test('notify: runs a command for each task that needs a person, and at the end of the run', async () => {
  const variables = 'printf "%s|%s|%s\\n" "$UMPIRE_EVENT" "$UMPIRE_TASK" "$UMPIRE_NEXT" >> "$BENCH/variables"'
  const bench = openBench({
    scenario: rejects,
    config: { notify: [{ command: `${noteInput}; ${variables}` }], parallel: 1 },
  })
  await bench.add('Not $(touch "$BENCH/pwned") wanted')
  await bench.add('Fine')
  expect((await bench.umpire('work')).code).toBe(3)
  const { recovery } = await bench.show(1)
  expect(told(bench)).toMatchObject([
    {
      event: 'loop.blocked',
      repository: 'checkout',
      task: 1,
      reason: 'rejected',
      title: 'checkout: task 1 needs you: Not $(touch "$BENCH/pwned") wanted',
      message: expect.stringContaining('Kept: branch umpire/1-'),
      next: recovery,
    },
    { event: 'run.ended', title: 'checkout: run 1 ended: 1 approved, 1 needs you', next: ['umpire status'] },
  ])
  const lines = readFileSync(join(bench.folder, 'variables'), 'utf8')
  expect(lines).toBe(`loop.blocked|1|${recovery.join('\n')}\nrun.ended||umpire status\n`)
  expect(existsSync(join(bench.folder, 'pwned'))).toBe(false)

  // Umpire sends nothing for a person's own verdict, or for a run that does nothing.
  await bench.umpire('edit', '1', '--verdict', 'NEEDS_DISCUSSION')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(told(bench)).toHaveLength(2)
})

test('notify: retries a webhook that fails twice until it succeeds, and delivers each event once', async () => {
  const receiver = await receive(503, 500, 200)
  const url = `${receiver.url}/hooks/s3cret-token-of-the-hook`
  const bench = openBench({
    config: { notify: [{ webhook: url }] },
    scenario: {
      developer: [{ do: [{ say: `the configuration names ${url}` }, { write: { 'a.txt': '' } }] }],
    },
  })
  await bench.add('Fine')
  expect((await bench.umpire('work')).code).toBe(0)
  // On a slow machine the run may be over before the third attempt; the next run then makes it.
  const workAgain = async () => (await bench.umpire('work')).code === 0
  await until(async () => receiver.received.length >= 3 || !(await workAgain()), 'the third attempt')
  await workAgain()
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies.map(({ event }) => event)).toEqual(['run.ended', 'run.ended', 'run.ended'])
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1)
  expect(bodies[0].text).toContain('run 1 ended: 1 approved')
  // The address is a secret: no transcript contains it, and no command prints it.
  const shown = await Promise.all([bench.umpire('log', '1'), bench.umpire('doctor'), bench.umpire('config')])
  expect(shown.map(({ stdout }) => stdout).join('\n')).not.toContain('s3cret-token')
  expect(shown[0]?.stdout).toContain('[redacted]')
})

test('notify: a hanging webhook does not delay the work, and the next run tries again', async () => {
  const receiver = await receive('hang')
  const bench = openBench({
    config: { notify: [{ webhook: `${receiver.url}/s3cret` }, { command: noteInput }], parallel: 1 },
    scenario: {
      ...rejects,
      // Continues only when the other channel has reported the first task.
      developer: [{ task: 2, do: [{ await: '$BENCH/told.jsonl' }, { write: { 'a.txt': '' } }] }],
    },
  })
  await bench.add('Not wanted')
  await bench.add('Fine')
  const { code, stderr } = await bench.umpire('work')
  expect(code).toBe(3)
  expect(stderr).toMatch(
    /^umpire: A notification could not be delivered \(webhook 127\.0\.0\.1:\d+\): no answer .* tries again\.\n$/,
  )
  expect(await bench.show(2)).toMatchObject({ status: 'completed' })
  expect(told(bench).map(({ event }) => event)).toEqual(['loop.blocked', 'run.ended'])
  expect(receiver.received.map(({ body }) => JSON.parse(body).event)).toContain('loop.blocked')

  receiver.restart(200)
  await until(async () => {
    expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
    return receiver.received.length >= 2
  }, 'what was left')
  expect((await bench.umpire('work')).code).toBe(0)
  const events = receiver.received.map(({ body }) => JSON.parse(body).event)
  expect(events.sort()).toEqual(['loop.blocked', 'run.ended'])
  expect(told(bench)).toHaveLength(2)
})

test('notify: shows a desktop notification with the system’s own program, with sound if configured', async () => {
  const bench = openBench({ scenario: rejects, config: { notify: [{ desktop: true, sound: true }] } })
  const bin = join(bench.folder, 'bin')
  writeScript(join(bin, 'notify-send'), 'printf "%s\\n" "$@" >> "$BENCH/shown"')
  const env = { PATH: `${bin}:${process.env.PATH}` }
  await bench.add('Not <b>wanted</b>')
  expect((await bench.call(['work'], { env })).code).toBe(3)
  const lines = readFileSync(join(bench.folder, 'shown'), 'utf8').split('\n')
  expect(lines).toContain('--hint=string:sound-name:message-new-instant')
  expect(lines).toContain('checkout: task 1 needs you: Not <b>wanted</b>')
  expect(lines).toContain('1. Not &lt;b&gt;wanted&lt;/b&gt;: blocked (REJECTED)')

  configure(bench, [{ desktop: true }])
  await bench.umpire('retry', '1')
  expect((await bench.call(['work'], { env })).code).toBe(3)
  const silent = readFileSync(join(bench.folder, 'shown'), 'utf8')
    .split('\n')
    .slice(lines.length - 1)
  expect(silent).toContain('--app-name=Umpire')
  expect(silent.join('\n')).not.toContain('sound')
})

test('notify: quiet hours hold everything back, and the first run afterwards delivers it', async () => {
  const quiet = '00:00-24:00'
  const bench = openBench({ scenario: rejects, config: { notify: [{ command: noteInput, quiet }] } })
  await bench.add('Not wanted')
  expect(await bench.umpire('work')).toMatchObject({ code: 3, stderr: '' })
  expect(told(bench)).toEqual([])
  expect(await bench.umpire('work', '--dry-run')).toMatchObject({ code: 0 })
  configure(bench, [{ command: noteInput, quiet: notNow() }])
  // The earlier events happened in hours that are no longer quiet, so each is delivered separately.
  expect(await bench.umpire('work')).toMatchObject({ code: 0, stderr: '' })
  expect(told(bench).map(({ event }) => event)).toEqual(['loop.blocked', 'run.ended'])
  expect(await bench.umpire('work')).toMatchObject({ code: 0 })
  expect(told(bench)).toHaveLength(2)
})

/** Hours that are neither now nor in the next minutes. */
function notNow(): string {
  const hour = (hours: number) => `${String((new Date().getHours() + hours) % 24).padStart(2, '0')}:00`
  return `${hour(10)}-${hour(12)}`
}

test('notify: the bell rings on a terminal, and writes nothing to a file', async ({ skip }) => {
  const bench = openBench({ config: { notify: [{ bell: true }] } })
  await bench.add('Fine')
  const { code, stdout, stderr } = await bench.umpire('work')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).not.toContain('\u0007')

  // Only the `script` of util-linux understands these options.
  if (!existsSync('/usr/bin/script') || process.platform !== 'linux') skip()
  await bench.add('Fine, too')
  const command = `${process.execPath} ${builtCommand} work --plain`
  const typescript = join(bench.folder, 'typescript')
  const env = { ...process.env, BENCH: bench.folder, XDG_CONFIG_HOME: join(bench.folder, 'none') }
  execFileSync('/usr/bin/script', ['-qefc', command, typescript], { cwd: bench.root, env, stdio: 'ignore' })
  expect(readFileSync(typescript, 'utf8').split('\u0007')).toHaveLength(2)
})

test('notify: the next run delivers what a killed run did not, and nothing twice', async () => {
  const waitForRelease =
    'if [ "$UMPIRE_TASK" = 1 ]; then until [ -e "$BENCH/release" ]; do sleep 0.05; done; fi'
  const bench = openBench({
    scenario: {
      reviewer: [1, 2].map((task) => ({ task, do: [{ say: '**Verdict: REJECTED**' }] })),
      developer: [{ task: 3, do: [{ touch: '$BENCH/third' }, { await: '$BENCH/go' }, { write: { a: '' } }] }],
    },
    config: { notify: [{ command: `${noteInput}; ${waitForRelease}` }], parallel: 1 },
  })
  for (const title of ['Not wanted', 'Not wanted either', 'Fine']) await bench.add(title)
  const work = bench.start('work')
  // By now the first two tasks have stopped. The first notification is being sent, and the second waits for it.
  await fileAppears(join(bench.folder, 'third'))
  await until(() => told(bench).length === 1, 'the first notification')
  work.kill('SIGKILL')
  await work.ended
  for (const name of ['release', 'go']) writeFileSync(join(bench.folder, name), '')
  expect((await bench.umpire('work')).code).toBe(0)
  expect(told(bench).map(({ event, task }) => [event, task])).toEqual([
    ['loop.blocked', 1],
    ['loop.blocked', 2],
    ['run.ended', null],
  ])
})

test('notify: doctor names notifications that can’t work here, and recent ones that were not delivered', async () => {
  const notify = [
    { bell: true },
    { command: 'no-such-program --now' },
    { command: 'exit 3' },
    { command: '"$HOME/x y" z' },
    { webhook: 'https://hooks.example.com/s3cret' },
    { webhook: 'http://hooks.example.com/s3cret' },
    { desktop: true },
  ]
  const bench = openBench({ config: { notify } })
  const examine = async (env = {}) => {
    const { json } = await bench.call(['doctor', '--json'], { env })
    const { checks } = json<{ checks: { name: string; state: string; text: string; fix: string | null }[] }>()
    return checks.filter(({ name }) => name.startsWith('notify'))
  }
  const path = `${join(bench.folder, 'bin')}:/usr/bin:/bin`
  writeScript(join(bench.folder, 'bin', 'node'), `exec ${process.execPath} "$@"`)
  const found = await examine({ PATH: path })
  expect(found.map(({ name, state, text }) => `${name} ${state}: ${text}`)).toEqual([
    'notify bell fine: rings in the terminal that umpire work runs in',
    'notify command wrong: it runs no-such-program, which does not exist',
    'notify command fine: runs exit',
    'notify command fine: a shell runs it',
    'notify webhook fine: posts to hooks.example.com',
    'notify webhook doubtful: posts to hooks.example.com unencrypted',
    existsSync('/usr/bin/notify-send')
      ? 'notify desktop fine: shown by /usr/bin/notify-send'
      : 'notify desktop wrong: there is no notify-send or powershell.exe on the PATH',
  ])
  expect(found.every(({ state, fix }) => (state === 'fine') === (fix === null))).toBe(true)
  expect(readdirSync(bench.root)).not.toContain('.umpire')

  configure(bench, [{ command: 'no-such-program --now' }])
  await bench.add('Fine')
  const { code, stderr } = await bench.umpire('work')
  expect(code).toBe(0)
  expect(stderr).toMatch(
    /^umpire: A notification could not be delivered \(command\): exit code 127: .*does not try again\.\n$/,
  )
  writeScript(join(bench.folder, 'bin', 'no-such-program'), 'true')
  expect(await examine({ PATH: path })).toMatchObject([
    {
      state: 'doubtful',
      text: expect.stringContaining('1 not delivered in the last week, most recently: '),
    },
  ])
})
