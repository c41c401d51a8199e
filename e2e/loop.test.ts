/** The whole path of a task with the real programs: developed, sent back, revised, approved. */
import { describe, expect, test } from 'vitest'
import { approval, openAgentBench, rejection, story, verdict } from './agent-bench.ts'
import { installed } from './clis.ts'
import { ofSession } from './model/serve.ts'

describe.each(installed)('%s', (_, cli) => {
  test('develops, is sent back, revises and is approved through the session’s tool', async () => {
    const bench = await openAgentBench(cli, {
      developer: [
        [{ write: 'work.txt', content: 'one\n' }, { text: 'I wrote it.' }],
        [{ shell: 'echo two > work.txt' }, { text: 'I mended it.' }],
      ],
      reviewer: [[verdict(rejection('work.txt'))], [verdict(approval)]],
    })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    const shown = await bench.show(id)
    expect(shown, story(bench, ran)).toMatchObject({
      status: 'completed',
      verdict: 'APPROVED',
      cycle: 2,
    })
    expect(ran.code).toBe(0)

    const branch = String(shown.branch)
    expect(bench.git('show', `${branch}:work.txt`)).toBe('two')
    expect(bench.git('log', '--format=%s', `main..${branch}`).split('\n')).toEqual([
      'Address review feedback (cycle 1)',
      'Write work.txt',
    ])
    expect(shown.reviews.map(({ verdict, channel }) => [verdict, channel])).toEqual([
      ['CHANGES_REQUESTED', 'tool'],
      ['APPROVED', 'tool'],
    ])

    expect(shown.sessions.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'developer done',
      'reviewer done',
      'developer done',
      'reviewer done',
    ])
    const ids = shown.sessions.map(({ agentSession }) => agentSession)
    expect(new Set(ids).size).toBe(4)
    expect(ids).not.toContain(null)
    for (const session of shown.sessions) {
      expect(session.tokens).toBeGreaterThan(0)
      if (cli.abilities.costs !== 'unknown') expect(session.costUsd).toBeGreaterThan(0)
    }

    const log = await bench.umpire('log', String(id))
    expect(log.stdout).toContain('I wrote it.')
    expect(log.stdout).toContain('I mended it.')
    // The second reviewer saw the earlier request.
    expect(ofSession(bench.model, 'reviewer', 1)[0]?.prompt).toContain('It must say two.')
  })

  test('gives its verdict in the required schema, or as JSON if it supports no schema', async () => {
    const bench = await openAgentBench(cli, {
      developer: [[{ write: 'work.txt', content: 'one\n' }]],
      reviewer: [[{ json: approval }]],
    })
    const id = await bench.add('Write work.txt')
    const ran = await bench.umpire('work')
    const { reviews } = await bench.show(id)
    expect(
      reviews.map(({ verdict, channel }) => [verdict, channel]),
      story(bench, ran),
    ).toEqual([['APPROVED', cli.abilities.structured ? 'structured' : 'json']])
    expect(ran.code).toBe(0)
  })
})
