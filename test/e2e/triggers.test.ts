/** When a developer's work goes to review, and what happens to developers that never exit by themselves. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Act, type Bench, fileAppears, isRunning, openBench, until } from '../support/umpire.ts'

const waitForEver: Act = { await: '$BENCH/never' }
const idleAfter = (time: string) => ({ review: { trigger: 'session_idle', idle_after: time } })

test('review.trigger: session_idle treats a developer as done when it is quiet and changes no file for idle_after', async () => {
  const bench = openBench({
    config: idleAfter('1s'),
    scenario: {
      developer: [
        { do: [{ write: { 'done.txt': 'done\n' } }, { say: 'Done.' }, { leave: 'setsid' }, waitForEver] },
      ],
      // Reviewers may be quiet for longer.
      reviewer: [{ do: [{ run: ['sleep', '2'] }, { say: 'APPROVED' }] }],
    },
  })
  await bench.add('Never exit')
  expect((await bench.umpire('work')).code).toBe(0)
  const { status, verdict, sessions } = await bench.show(1)
  expect({ status, verdict }).toEqual({ status: 'completed', verdict: 'APPROVED' })
  expect(sessions).toMatchObject([
    { role: 'developer', status: 'done', exitCode: null },
    { role: 'reviewer', status: 'done', exitCode: 0 },
  ])
  expect(bench.git('show', 'umpire/1-never-exit:done.txt')).toBe('done')
  expect(bench.played().map(({ pid }) => isRunning(pid))).not.toContain(true)
  expect(isRunning(readFileSync(join(bench.folder, 'left-behind'), 'utf8'))).toBe(false)
})

test('a developer that silently changes files counts as working, however long, and one that exits as done', async () => {
  const bench = openBench({
    config: { ...idleAfter('2s'), limits: { idle: '3s', agent_retries: 0 } },
    scenario: {
      developer: [
        {
          do: [
            { run: ['sh', '-c', 'for i in $(seq 50); do echo $i >progress.txt; sleep 0.1; done'] },
            { write: { 'end.txt': 'the end\n' } },
          ],
        },
      ],
    },
  })
  await bench.add('Work silently')
  expect((await bench.umpire('work')).code).toBe(0)
  expect((await bench.show(1)).sessions[0]).toMatchObject({ status: 'done', exitCode: 0 })
  expect(bench.git('show', 'umpire/1-work-silently:end.txt')).toBe('the end')
})

test('tells a developer once that it went quiet without doing anything, and then asks a person', async () => {
  const bench = openBench({ config: idleAfter('1s'), scenario: { developer: [{ do: [waitForEver] }] } })
  await bench.add('Do nothing')
  expect((await bench.umpire('work')).code).toBe(3)
  const { status, reason, sessions } = await bench.show(1)
  expect({ status, reason }).toEqual({ status: 'blocked', reason: 'stalled' })
  expect(sessions.map((session) => `${session.role} ${session.status}`)).toEqual([
    'developer done',
    'developer done',
  ])
})

/** Kills a worker while its developer, done and silent, waits forever. Then sets idle_after to one second. */
async function killedWhileQuiet(): Promise<{ bench: Bench; agent: number }> {
  const bench = openBench({
    config: idleAfter('5m'),
    scenario: {
      developer: [
        {
          do: [
            { write: { 'done.txt': 'done\n' } },
            { ignore: ['SIGTERM'] },
            { touch: '$BENCH/there' },
            waitForEver,
          ],
        },
      ],
    },
  })
  await bench.add('Outlive it')
  const work = bench.start('work')
  await fileAppears(join(bench.folder, 'there'))
  work.kill('SIGKILL')
  await work.ended
  const agent = bench.played()[0]?.pid ?? 0
  expect(isRunning(agent)).toBe(true)
  bench.write({ 'umpire.local.yaml': JSON.stringify(idleAfter('1s')) })
  return { bench, agent }
}

async function expectApproved(bench: Bench): Promise<void> {
  expect((await bench.umpire('work')).code).toBe(0)
  const { verdict, sessions } = await bench.show(1)
  expect(verdict).toBe('APPROVED')
  expect(sessions.map((session) => `${session.role} ${session.status}`)).toEqual([
    'developer done',
    'reviewer done',
  ])
}

test('after a kill, the next worker treats a quiet developer as done', async () => {
  const { bench, agent } = await killedWhileQuiet()
  await expectApproved(bench)
  expect(isRunning(agent)).toBe(false)
})

test('a quiet developer counts as done even when its worker died right after ending it', async () => {
  const { bench, agent } = await killedWhileQuiet()
  // The worker sets the mark, kills the agent, and dies before it records that.
  writeFileSync(join(bench.home, 'attempts/1-1/quiet'), '')
  process.kill(agent, 'SIGKILL')
  await until(() => !isRunning(agent), 'the end of the agent')
  await expectApproved(bench)
})
