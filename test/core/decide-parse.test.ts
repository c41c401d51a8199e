/** What follows from a review in free text, which a parser has to read. */
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

describe('a review in free text', () => {
  test('is parsed, and the result counts as the review of the reviewer’s session', () => {
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

  test('that the parser can’t read counts as unreadable: Umpire asks the reviewer again, then a person', () => {
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

  test('is void if the parser tampered', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [tampers] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'reviewer_tampered' },
      review: { unparsed: null },
    })
  })
})

describe('a parser that fails', () => {
  test('is started again, but not the reviewer', () => {
    const world = new World({ agentRetries: 2 }).play({
      reviewer: [speaksFreely],
      parser: [fails(), vanishes, isInterrupted, fails(), approves],
    })
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(1)
    expect(world.sessions('parser').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
    // It backs off like any agent. An interruption resets the pause.
    const waits = world.steps('parse').map(({ notBefore }) => notBefore !== null)
    expect(waits).toEqual([false, true, true, false, true])
  })

  test('too often makes the review unreadable', () => {
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

  test('does not use up the retries of the reviewer', () => {
    const world = new World({ agentRetries: 1 }).play({
      reviewer: [fails(), speaksFreely],
      parser: [fails(), approves],
    })
    expect(world.loop.standing.verdict).toBe('APPROVED')
  })

  test('because it is not logged in stops the loop, and a retry repeats only the parsing', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [fails('auth')] })
    expect(world.loop).toMatchObject({ standing: { status: 'failed', reason: 'auth' } })
    expect(world.loop.standing.detail).toBe('The parser failed: it broke down')
    world.goOn('retry')
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('has nothing left to parse once a person has changed the work', () => {
    const world = new World().play({ reviewer: [speaksFreely], parser: [fails('auth')] })
    world.editByHand().goOn('retry')
    expect(world.loop.standing.verdict).toBe('APPROVED')
    expect(world.sessions('reviewer')).toHaveLength(2)
    expect(world.all('review.completed').at(-1)?.parsedBy).toBeUndefined()
  })
})

test('asks the reviewer again when a person retries after an unreadable review', () => {
  const world = new World({ reviewRetries: 0 }).play({ reviewer: [speaksFreely], parser: [unreadable] })
  world.goOn('retry', { reviewer: [speaksFreely], parser: [approves] })
  expect(world.loop.standing.verdict).toBe('APPROVED')
  expect(roles(world)).toEqual(['developer 1', 'reviewer 1', 'parser 1', 'reviewer 2', 'parser 2'])
})

test('runs a newly added gate first, and does not parse the outdated review if it fails', () => {
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
