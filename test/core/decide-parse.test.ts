/** What follows from a review in plain words, which a parser has to read. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import {
  approves,
  fails,
  isInterrupted,
  requests,
  speaksFreely,
  tampers,
  times,
  unreadable,
  vanishes,
  works,
} from './turns.ts'
import { World } from './world.ts'

const roles = (world: World) => world.all('session.started').map(({ role, attempt }) => `${role} ${attempt}`)

describe('a review in plain words', () => {
  test('is parsed, and what the parser makes of it is the review of the reviewer’s session', () => {
    const world = new World().play({
      developer: [works(), works()],
      reviewer: [speaksFreely, speaksFreely],
      parser: [requests(), approves],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 2, unparsed: null },
    })
    expect(world.all('review.completed')).toMatchObject([
      { review: '7-2-review', session: '7-2', parsedBy: '7-3', channel: 'parser', tree: 'tree-7-1' },
      { review: '7-5-review', session: '7-5', parsedBy: '7-6', channel: 'parser', tree: 'tree-7-4' },
    ])
    expect(roles(world)).toEqual([
      ...['developer 1', 'reviewer 1', 'parser 1'],
      ...['developer 1', 'reviewer 1', 'parser 1'],
    ])
  })

  test('that no parser makes anything of is an unreadable one: the reviewer is asked again, and then a person', () => {
    const world = new World({ reviewRetries: 1 }).play({
      reviewer: times(2, speaksFreely),
      parser: times(2, unreadable),
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'malformed_review' },
      review: { cycle: 0 },
    })
    expect(roles(world)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'reviewer 2', 'parser 2'])
    expect(world.steps('review')[1]?.ask).toBe('no verdict found')
  })

  test('is void when the parser touched what it must not', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [tampers] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'reviewer_tampered' },
      review: { unparsed: null },
    })
  })
})

describe('a parser that fails', () => {
  test('is started again, and the reviewer is not', () => {
    const world = new World({ agentRetries: 2 }).play({
      reviewer: [speaksFreely],
      parser: [fails(), vanishes, isInterrupted, fails(), approves],
    })
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(1)
    expect(world.sessions('parser').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
    // Backed off like any agent; what was interrupted begins anew.
    const waits = world.steps('parse').map(({ notBefore }) => notBefore !== null)
    expect(waits).toEqual([false, true, true, false, true])
  })

  test('as often as is allowed makes the review an unreadable one', () => {
    const world = new World({ agentRetries: 1, reviewRetries: 1 }).play({
      reviewer: [speaksFreely, approves],
      parser: times(2, fails()),
    })
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(roles(world)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'parser 2', 'reviewer 2'])
    expect(world.all('review.failed')).toMatchObject([
      { review: '7-2-review', session: '7-2', cause: 'malformed', rawOutput: 'Well.' },
    ])
    expect(world.steps('review')[1]?.ask).toBe('no verdict found, and the parser failed: it broke down')
  })

  test('does not use up the tries of the reviewer before it', () => {
    const world = new World({ agentRetries: 1 }).play({
      reviewer: [fails(), speaksFreely],
      parser: [fails(), approves],
    })
    expect(world.loop.standing.verdict).toBe('APPROVED')
  })

  test('because nobody is logged in stops the loop, and a retry goes on with the parsing alone', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [fails('auth')] })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'auth' } })
    expect(world.loop.standing.detail).toBe('The parser failed: it broke down')
    world.goOn('retry')
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('leaves nothing to go on with once a person has changed the work', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [fails('auth')] })
    world.editByHand().goOn('retry')
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(2)
    expect(world.all('review.completed').at(-1)?.parsedBy).toBeUndefined()
  })
})

test('a person who says retry after an unreadable review has the reviewer asked again', () => {
  const world = new World({ reviewRetries: 0 }).play({ reviewer: [speaksFreely], parser: [unreadable] })
  world.goOn('retry', { reviewer: [speaksFreely], parser: [approves] })
  expect(world.loop.standing.verdict).toBe('APPROVED')
  expect(roles(world)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'reviewer 2', 'parser 2'])
})

test('a gate that was added in the meantime comes first, and when it fails the outdated review is not parsed', () => {
  const world = new World()
  world.play({ reviewer: [speaksFreely], parser: [fails('auth')] })
  const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
  world
    .person('retry')
    .claim({ gates })
    .play({ gates: ['fail', 'pass'], developer: [works()] })
  expect(world.loop.standing.verdict).toBe('APPROVED')
  expect(world.all('review.completed').map(({ parsedBy }) => parsedBy)).toEqual([undefined])
  expect(decide(world.loop)).toEqual({ do: 'rest' })
})
