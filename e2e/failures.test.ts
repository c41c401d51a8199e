/** What the real programs do when the model refuses, is overloaded or unreachable, and how Umpire reacts. */
import { describe, expect, test } from 'vitest'
import { approval, openAgentBench, story, verdict } from './agent-bench.ts'
import { installed } from './clis.ts'

describe.each(installed)('%s', (_, cli) => {
  test('stops the run when the login is refused, and says how to log in', async () => {
    const bench = await openAgentBench(cli, { developer: [[{ refuse: 401 }]], config: oneAtATime })
    const id = await bench.add('Write work.txt')
    const other = await bench.add('Write more')
    const ran = await bench.umpire('work')
    expect(await bench.show(id), story(bench, ran)).toMatchObject({ status: 'failed', reason: 'auth' })
    expect(ran.code).toBe(1)
    expect(ran.stdout + ran.stderr).toContain(cli.login)
    expect((await bench.show(other)).sessions).toEqual([])
  })

  test('continues after a rate limit without spending a cycle', async () => {
    const bench = await openAgentBench(cli, {
      developer: [
        [
          { refuse: 429, times: 1 },
          { write: 'work.txt', content: 'one\n' },
        ],
      ],
      reviewer: [[verdict(approval)]],
      config: { limits: { agent_retries: 1 } },
    })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    const shown = await bench.show(id)
    expect(shown, story(bench, ran)).toMatchObject({ status: 'completed', cycle: 1, iteration: 1 })
    expect(ran.code).toBe(0)
    expect(bench.model.heard[0]?.answered).toBe('refused with 429')
  })

  test('fails when the model only answers 500, or is ended for retrying in silence', async () => {
    const bench = await openAgentBench(cli, {
      developer: [[{ refuse: 500 }]],
      config: { limits: { idle: cli.overloaded === 'idle' ? '12s' : '60s', agent_retries: 0 } },
    })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    expect(await bench.show(id), story(bench, ran)).toMatchObject({
      status: 'failed',
      reason: cli.overloaded,
    })
    expect(ran.code).toBe(1)
  })

  test('ends when no model can be reached', async () => {
    const bench = await openAgentBench(cli, { port: 1, config: { limits: { idle: '5s', agent_retries: 0 } } })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    expect(await bench.show(id), story(bench, ran)).toMatchObject({
      status: 'failed',
      reason: cli.unreachable,
    })
    expect(ran.code).toBe(1)
  })
})

const oneAtATime = { parallel: 1, limits: { agent_retries: 0 } }
