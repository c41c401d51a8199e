/** Sessions of the real programs that are cut short or gone on with. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { until } from '../test/support/umpire.ts'
import { approval, openAgentBench, rejection, soonFor, story, verdict } from './agent-bench.ts'
import { installed } from './clis.ts'
import { ofSession } from './model/serve.ts'

/** Lives on in a process group and session of its own, like a server that a developer started and forgot. */
const spinner = `import { spawn } from 'node:child_process'
const [token, isChild] = process.argv.slice(2)
if (!isChild) spawn(process.execPath, ['spin.mjs', token, 'child'], { detached: true, stdio: 'ignore' }).unref()
setInterval(() => {}, 1000)
`

describe.each(installed)('%s', (_, cli) => {
  test('is ended at its time limit with everything it started', async () => {
    const token = `spin-${cli.name}-${process.pid}`
    const bench = await openAgentBench(cli, {
      // Some are told after a while that a command still runs; then the model takes its time.
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
    // What was there is kept.
    expect(bench.git('show', `${shown.branch}:work.txt`)).toBe('one')
  })

  test('goes on with its own session when it is told to', async () => {
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
    // What the first session used is not counted again.
    expect(second?.tokens).toBe(first?.tokens)
  })

  test('works on while Umpire is killed, and is adopted by the next', async () => {
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

/** Also those in a namespace of their own, as sandboxes make them. */
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
