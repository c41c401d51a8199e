/** A developer that says it can't do the task: its turn ends, Umpire keeps its work, and a person decides. */
import { describe, expect, test } from 'vitest'
import { evolve } from '../../src/core/evolve.ts'
import type { Loop } from '../../src/core/loop.ts'
import { parseDeveloperWord } from '../../src/core/session/developer-word.ts'
import { parseToolRequest } from '../../src/core/session/tool-request.ts'
import { summarise } from '../../src/core/summary.ts'
import { baseTree } from './played-tree.ts'
import { givesUp, requests, works } from './turns.ts'
import { World } from './world.ts'

describe('a developer that gives up', () => {
  test('is not run again or reviewed: Umpire commits its work and shows its reason to a person', () => {
    const world = new World().play({ developer: [givesUp] })
    expect(world.loop).toMatchObject({
      standing: {
        status: 'blocked',
        reason: 'needs_discussion',
        verdict: null,
        detail: "The developer says that it can't do this: There is no key.",
      },
      turn: { done: 1 },
    })
    expect(world.loop.standing.recovery).toContain('umpire improve 7 --note "…"')
    expect(world.all('loop.committed')).toHaveLength(1)
    expect(world.all('session.started')).toHaveLength(1)
  })

  test('stops the task whatever would have come next: gates, further iterations, no review at all', () => {
    const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
    for (const policy of [{ gates }, { until: 'claim' as const }, { reviewed: false }]) {
      const world = new World(policy).play({ developer: [givesUp] })
      expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'needs_discussion' } })
      expect([world.all('gate.completed').length, world.sessions('developer').length]).toEqual([0, 1])
    }
  })

  test('gets commands of its own even if it changed nothing', () => {
    const world = new World().play({ developer: [{ does: 'gives-up', tree: baseTree }] })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'needs_discussion' } })
    expect(world.loop.standing.recovery).toEqual([
      'umpire log 7 --role developer',
      'umpire edit 7 -d "…"',
      'umpire retry 7',
    ])
  })

  test('is not run again either when a hook refuses the commit', () => {
    const world = new World().play({ developer: [givesUp], commits: ['refused'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      work: { head: null },
    })
    expect(world.loop.standing.detail).toContain('still in the worktree')
    expect(world.sessions('developer')).toHaveLength(1)
    world.person('retry').claim().play()
    expect(world.loop.standing.status).toBe('completed')
  })

  test('continues from there after a retry, and no longer counts as giving up', () => {
    const world = new World().play({ developer: [works(), givesUp], reviewer: [requests()] })
    expect(world.loop).toMatchObject({
      standing: { reason: 'needs_discussion', verdict: 'CHANGES_REQUESTED' },
      turn: { iteration: 2 },
    })
    world.person('retry').claim().play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 3, revisions: 1, gaveUp: null },
    })
  })

  test('ends the improvement that a person asked for, and Umpire asks that person again', () => {
    const world = new World({ maxCycles: 1 }).play({ reviewer: [requests()] })
    expect(world.loop.standing.reason).toBe('max_cycles')
    world.goOn('improve', { developer: [givesUp] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      asked: null,
      review: { cycle: 1 },
    })
  })
})

describe('what a developer reports', () => {
  test.each([
    ['{"complete":true}', 'done'],
    ['{"complete":true,"note":"x"}', 'done'],
    ['{"fail":"There is no key."}', 'gave up'],
    ['{"complete":true,"fail":"no"}', 'malformed'],
    ['{"complete":false}', 'malformed'],
    ['{"fail":" "}', 'malformed'],
    ['{"fail":true}', 'malformed'],
    ['{"fail":"no","verdict":"APPROVED"}', 'malformed'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
    ['done', 'malformed'],
  ])('%s: %s', (body, kind) => {
    expect(parseDeveloperWord(body).kind).toBe(kind)
  })

  test('is truncated to a length that a person would still read', () => {
    const word = parseDeveloperWord(JSON.stringify({ fail: 'x'.repeat(5000) }))
    expect(word.kind === 'gave up' && word.why.length).toBe(2000)
  })
})

test('parses tool requests as untrusted text', () => {
  expect(parseToolRequest('{"ask":"gate"}')).toEqual({ ask: 'gate', name: null })
  expect(parseToolRequest('{"ask":"gate","name":"test"}')).toEqual({ ask: 'gate', name: 'test' })
  expect(parseToolRequest('{"ask":"progress","message":" a\\n b "}')).toEqual({
    ask: 'progress',
    message: 'a b',
  })
  const long = parseToolRequest(JSON.stringify({ ask: 'progress', message: 'x'.repeat(900) }))
  expect(long?.ask === 'progress' && long.message.length).toBe(500)
  const others = ['', 'null', '[]', '{}', '{"ask":"shell","name":"rm"}', '{"ask":"gate","name":["a"]}']
  for (const text of [...others, '{"ask":"progress"}', '{"ask":"progress","message":" "}']) {
    expect(parseToolRequest(text)).toBeNull()
  }
})

test('the progress that an agent reports belongs to its session, and ends with it', () => {
  const world = new World().play({ developer: [works()] })
  const running = world.trace.find(({ step }) => step.do === 'attend')?.loop
  if (!running?.turn.session) throw new Error('nobody was at work')
  const { session } = running.turn.session
  const noted = (loop: Loop, request: number, text: string, about: 'progress' | 'gate' = 'progress') =>
    evolve(loop, {
      type: 'session.noted',
      data: { session, about, text, request },
      ...{ seq: 1, stream: 'task/7', version: loop.version + 1, at: '2026-01-01T00:00:00.000Z' },
    })
  const told = noted(noted(running, 1, 'Begun.'), 2, 'Half way.')
  expect(summarise(told).progress).toBe('Half way.')
  expect(noted(told, 3, 'Ran a gate.', 'gate').turn.session?.progress).toEqual({
    text: 'Half way.',
    request: 2,
  })
  expect(summarise(noted(world.loop, 3, 'Too late.')).progress).toBeNull()
})
