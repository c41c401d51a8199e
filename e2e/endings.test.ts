/** Sessions of the real programs that are cut short or continued. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { until } from '../test/support/umpire.ts'
import { approval, openAgentBench, rejection, soonFor, story, verdict } from './agent-bench.ts'
import { installed } from './clis.ts'
import { ofSession } from './model/serve.ts'

/** Keeps running in its own process group and session, like a server that a developer started and forgot. */
const spinner = `import { spawn } from 'node:child_process'
const [token, isChild] = process.argv.slice(2)
if (!isChild) spawn(process.execPath, ['spin.mjs', token, 'child'], { detached: true, stdio: 'ignore' }).unref()
setInterval(() => {}, 1000)
`

describe.each(installed)('%s', (_, cli) => {
  test('ends at its time limit together with everything it started', async () => {
    const token = `spin-${cli.name}-${process.pid}`
    const bench = await openAgentBench(cli, {
      // Some programs tell the model after a while that a command still runs; then the model holds its answer.
      developer: [
        [{ write: 'work.txt', content: 'one\n' }, { shell: `node spin.mjs ${token}` }, { hold: 'for ever' }],
      ],
      files: { 'spin.mjs': spinner },
      config: { limits: { develop: `${soonFor(cli)}s`, agent_retries: 0 } },
    })
    const id = await bench.add('Write work.txt')
    const working = bench.start('work')
    let most = 0
    const watched = until(() => {
      most = Math.max(most, processesWith(token).length)
      return most >= 2
    }, 'the spinner and its child')
    const ran = await working.ended
    await watched
    const shown = await bench.show(id)
    expect(shown, story(bench, ran)).toMatchObject({ status: 'blocked', reason: 'timeout' })
    expect(ran.code).toBe(3)
    expect(processesWith(token)).toEqual([])
    // The work done so far is kept.
    expect(bench.git('show', `${shown.branch}:work.txt`)).toBe('one')
  })

  test('continues its own session when continue_session is set', async () => {
    const bench = await openAgentBench(cli, {
      developer: [
        [{ write: 'work.txt', content: 'one\n' }, { text: 'I wrote it.' }],
        [{ shell: 'echo two > work.txt' }],
      ],
      reviewer: [[verdict(rejection('work.txt'))], [verdict(approval)]],
      roles: { developer: { continue_session: true } },
    })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    const shown = await bench.show(id)
    expect(shown, story(bench, ran)).toMatchObject({ status: 'completed', cycle: 2 })
    const [first, , second] = shown.sessions
    expect(first?.agentSession).toBeTruthy()
    expect(second?.agentSession).toBe(first?.agentSession)
    // The model was sent the first conversation along with the second prompt.
    expect(ofSession(bench.model, 'developer', 1)[0]?.prompts).toBe(2)
    // The tokens of the first session are not counted again.
    expect(second?.tokens).toBe(first?.tokens)
  })

  test('keeps working when Umpire is killed, and is adopted by the next run', async () => {
    const bench = await openAgentBench(cli, {
      developer: [[{ write: 'work.txt', content: 'one\n' }, { hold: 'killing' }, { text: 'I wrote it.' }]],
      reviewer: [[verdict(approval)]],
    })
    const id = await bench.add('Write work.txt')
    const working = bench.start('work')
    await Promise.race([bench.model.reached('killing'), working.ended])
    working.kill('SIGKILL')
    await working.ended
    bench.model.release('killing')
    const ran = await bench.umpire('work')
    const shown = await bench.show(id)
    expect(shown, story(bench, ran)).toMatchObject({ status: 'completed', verdict: 'APPROVED' })
    expect(shown.sessions.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'developer done',
      'reviewer done',
    ])
  })
})

/** Also finds processes in their own namespace, which sandboxes create. */
function processesWith(token: string): string[] {
  return readdirSync('/proc').flatMap((name) => {
    const file = `/proc/${name}/cmdline`
    if (!/^\d+$/.test(name) || !existsSync(file)) return []
    try {
      const command = readFileSync(file, 'utf8').split('\0')
      return command[0]?.endsWith('node') && command.includes(token) ? [command.join(' ')] : []
    } catch {
      return []
    }
  })
}
