/** Umpire tells an agent's failures apart and reacts to each. A program on the PATH imitates Claude Code's output. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { limited, openTroubled, refused, retries } from '../support/troubled.ts'
import { fileAppears, until } from '../support/umpire.ts'

const retriesAllowed = { limits: { agent_retries: 2 } }

describe('a model that does not exist', () => {
  test('gets its own message, and the agent is not retried', async () => {
    const words =
      "There's an issue with the selected model (nope). It may not exist or you may not have access to it."
    const bench = openTroubled([{ lines: [refused(words, 404)], ends: 1 }], { config: retriesAllowed })
    await bench.add('Make a file')
    expect((await bench.umpire('work', '--plain')).code).toBe(1)
    const task = await bench.show(1)
    expect(task).toMatchObject({ status: 'failed', reason: 'crash' })
    expect(task.detail).toMatch(/The model is not available: set another model for the role\. .*\(nope\)/)
    expect(task.recovery[0]).toBe('umpire edit 1 --model NAME')
    expect(bench.runs()).toHaveLength(1)
  })
})

describe('an overloaded provider', () => {
  test('costs a retry', async () => {
    const bench = openTroubled([{ lines: [refused('Overloaded', 529)], ends: 1 }], {
      config: { limits: { agent_retries: 1 } },
    })
    await bench.add('Make a file')
    expect((await bench.umpire('work', '--plain')).code).toBe(0)
    const [first, second] = (await bench.show(1)).sessions
    expect(first?.outcome).toMatchObject({ kind: 'failed', class: 'overloaded' })
    expect([first?.iteration, second?.iteration]).toEqual([1, 1])
  })
})

describe('exit code 0', () => {
  test('without a result counts as a crash', async () => {
    const bench = openTroubled([{ write: { a: 'half\n' }, ends: 0 }])
    await bench.add('Make a file')
    expect((await bench.umpire('work', '--plain')).code).toBe(1)
    expect(await bench.show(1)).toMatchObject({
      reason: 'crash',
      detail: 'The developer failed: it exited without a result.',
    })
  })
})

describe('an agent that retries its provider by itself', () => {
  test('is shown as waiting once, not for each retry, and ends at the time limit of its session', async () => {
    const bench = openTroubled([{ again: retries(500, 3) }], {
      config: { limits: { develop: '4s', idle: '2s', agent_retries: 0 } },
    })
    await bench.add('Make a file')
    const { code, stdout } = await bench.umpire('work', '--plain')
    expect(code).toBe(3)
    const waits = 'claude is waiting: The model does not answer (500): attempt 3 of 10 in 12 s.'
    expect(stdout.split(waits)).toHaveLength(2)
    const task = await bench.show(1)
    // Its output is a sign of life, so the idle limit does not end it.
    expect(task).toMatchObject({ status: 'blocked', reason: 'timeout' })
    expect(task.detail).toContain(
      'reached its time limit of 4 seconds. In the end it was only waiting: The model does not',
    )
    const told = (await bench.events()).filter(({ type }) => type === 'session.waiting')
    expect(told).toMatchObject([{ message: waits, data: { agent: 'claude', session: '1-1' } }])
    const log = await bench.umpire('log', '1')
    expect(log.stdout).toContain(waits)
    expect(log.stdout).not.toContain('{')
    expect((await bench.umpire('log', '1', '--raw')).stdout).toContain('"subtype":"api_retry"')
  })

  test('ends at the idle limit when it prints nothing', async () => {
    const bench = openTroubled([{}], { config: { limits: { idle: '2s', agent_retries: 0 } } })
    await bench.add('Make a file')
    expect((await bench.umpire('work', '--plain')).code).toBe(1)
    expect(await bench.show(1)).toMatchObject({ status: 'failed', reason: 'idle' })
  })
})

describe('a prompt that is too long', () => {
  test('is shortened once, with the full prompt in a file', async () => {
    const tooLong = { lines: [refused('Prompt is too long', 400)], ends: 1 }
    const bench = openTroubled([null, tooLong])
    await bench.add('Make a file', '-d', `Begin. ${'Very long. '.repeat(2000)}End.`)
    expect((await bench.umpire('work', '--plain')).code).toBe(0)
    const [, whole, short] = bench.runs()
    expect(whole?.files).not.toHaveProperty('whole-prompt.md')
    expect(short?.prompt).toContain(
      `The whole prompt is in the file ${JSON.stringify(join(short?.folder ?? '', 'whole-prompt.md'))}`,
    )
    expect(short?.prompt.length).toBeLessThan((whole?.prompt.length ?? 0) / 2)
    expect(short?.files['whole-prompt.md']).toBe(whole?.prompt)
    expect(short?.files['change.diff']).toContain('+made')
    expect(await bench.show(1)).toMatchObject({ status: 'completed', cycle: 1 })
  })

  test('fails the task with a clear message when the short form is too long as well', async () => {
    const tooLong = { lines: [refused('Prompt is too long', 400)], ends: 1 }
    const bench = openTroubled([tooLong, tooLong], { config: retriesAllowed })
    await bench.add('Make a file')
    expect((await bench.umpire('work', '--plain')).code).toBe(1)
    const task = await bench.show(1)
    expect(task).toMatchObject({ status: 'failed', reason: 'crash' })
    expect(task.detail).toMatch(/too long for the model’s context: .* A shorter prompt failed too\.$/)
    expect(bench.runs()).toHaveLength(2)
  })

  test('is avoided when the diff is long: it has the largest hunks, the file list, and the path of the full diff', async () => {
    const line = (n: number) => `line ${n} ${'x'.repeat(40)}\n`
    const big = Array.from({ length: 14_000 }, (_, n) => line(n)).join('')
    const bench = openTroubled([{ write: { 'big.txt': big, 'small.txt': 'small\n' }, succeeds: true }])
    await bench.add('Make a big file')
    expect((await bench.umpire('work', '--plain')).code).toBe(0)
    const [, review] = bench.runs()
    const whole = review?.files['change.diff'] ?? ''
    expect(whole.length).toBeGreaterThan(big.length)
    expect(whole).toContain(line(7_000))
    expect(review?.prompt.length).toBeLessThan(450_000)
    expect(review?.prompt).toContain('+14000 -0 "big.txt"')
    expect(review?.prompt).toContain(JSON.stringify(join(review?.folder ?? '', 'change.diff')))
    expect(review?.prompt).toContain('+small')
  })
})

describe('an agent without a login', () => {
  const retried = { lines: [retries(401, 1), retries(401, 2)] }

  test('ends as soon as the failure is certain, and stops the run', async () => {
    const bench = openTroubled([retried], { config: { ...retriesAllowed, parallel: 1 } })
    for (const title of ['One', 'Two', 'Three']) await bench.add(title)
    const { code, stdout, stderr } = await bench.umpire('work', '--plain')
    expect(code).toBe(1)
    expect(stdout).toMatch(/Failed \(auth\): .*claude \/login/)
    expect(stderr).toContain(
      'Stopped at task 1: its agent is not logged in or has no credit. 2 tasks not started.',
    )
    expect(stderr).toContain('Log in or add credit, then run umpire retry 1 and umpire work.')
    expect((await bench.show(1)).sessions).toMatchObject([{ outcome: { class: 'auth' } }])
    const events = await bench.events()
    expect(events.filter(({ type }) => type === 'loop.claimed').map(({ task }) => task)).toEqual([1])
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', data: { outcome: 'stopped' } })
    await bench.umpire('retry', '1')
    expect((await bench.umpire('work', '--plain')).code).toBe(0)
  })

  test('lets the session of another task finish, and sets that task back to pending', async () => {
    const bench = openTroubled([retried], {
      config: { parallel: 2, agents: {} },
      scenario: {
        developer: [{ do: [{ write: { a: '' } }, { touch: '$BENCH/began' }, { await: '$BENCH/on' }] }],
      },
    })
    await bench.add('One', '--agent', 'actor')
    await bench.add('Two')
    const work = bench.start('work', '--plain')
    await fileAppears(join(bench.folder, 'began'))
    await until(() => work.stdout().includes('Failed (auth)'), 'the other one to fail')
    bench.write({ '../on': '' })
    const { code, stderr } = await work.ended
    expect(code).toBe(1)
    expect(stderr).toContain('0 tasks not started. 1 task put back into the queue.')
    expect(await bench.show(1)).toMatchObject({ status: 'pending', sessions: [{ status: 'done' }] })
    expect(bench.runs()).toHaveLength(1)
  })
})

describe('a limit with a reset time', () => {
  test('makes Umpire wait, is reported as a line and as an event, and costs nothing', async () => {
    const bench = openTroubled([limited(4)])
    await bench.add('Make a file')
    const { code, stdout } = await bench.umpire('work', '--plain')
    expect(code).toBe(0)
    expect(stdout).toMatch(/#1 \[1\/4\] Session failed \(rate_limited\): .*, waiting until \d\d:\d\d\n/)
    const { sessions, ...task } = await bench.show(1)
    expect(task).toMatchObject({ status: 'completed', iteration: 1, cycle: 1 })
    const [first, second] = sessions
    const retryAt = first?.outcome?.kind === 'failed' ? first.outcome.retryAt : null
    expect(retryAt).not.toBeNull()
    expect((second?.startedAt ?? '') >= (retryAt ?? '?')).toBe(true)
    const ended = (await bench.events()).find(({ type }) => type === 'session.ended')
    expect(ended?.data.outcome).toMatchObject({ class: 'rate_limited', retryAt })
    expect(bench.runs()[1]?.prompt).toContain('An earlier session worked on this')
  })
})
