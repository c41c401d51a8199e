/** How a person ends a wait for an agent's rate limit: with a retry, or by giving the task to another agent. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { summarise } from '../../src/core/summary.ts'
import { fails, isLimited } from './turns.ts'
import { type Script, World } from './world.ts'

const retryAt = '2026-01-01T05:00:00.000Z'

/** A loop that waits for the rate limit of its developer, or of its reviewer. */
function waiting(script: Script = { developer: [isLimited(retryAt)] }): World {
  const played = new World().play(script)
  const end = played.events.findIndex(
    ({ type, data }) => type === 'session.ended' && 'outcome' in data && data.outcome.kind === 'failed',
  )
  // A new world already contains the first two events.
  const world = new World().append(...played.events.slice(2, end + 1))
  return world
}

const byReviewer: Script = { reviewer: [isLimited(retryAt)] }
const putBack = { type: 'loop.released', data: { why: 'interrupted' } } as const
const change = (changes: (Move & { kind: 'change' })['changes']): Move => ({ kind: 'change', changes })

describe('a retry ends the wait for a rate limit', () => {
  test('of a task that its worker released', () => {
    const world = waiting().append(putBack)
    expect(summarise(world.loop).waitsFor).toEqual({ agent: 'scripted', until: retryAt })
    world.person('retry')
    expect(summarise(world.loop)).toMatchObject({ status: 'pending', waitsFor: null })
    // The worktree still contains the work of the earlier session.
    expect(decide(world.claim().loop)).toMatchObject({ do: 'develop', notBefore: null, unfinished: true })
  })

  test('of a task that a worker holds, and the worker keeps it', () => {
    const world = waiting()
    const { claim } = world.loop
    world.person('retry')
    expect(world.loop).toMatchObject({ standing: { status: 'in_progress' }, claim })
    expect(decide(world.loop)).toMatchObject({ do: 'develop', notBefore: null })
  })

  test('but is refused if the task does not wait', () => {
    const world = new World()
    expect(decideMove(world.loop, { kind: 'retry', why: null }, 'ada')).toMatchObject({ kind: 'refused' })
    world.append(putBack)
    expect(decideMove(world.loop, { kind: 'retry', why: null }, 'ada')).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('is already pending'),
    })
  })

  test('and the pause after any other failure of a released task', () => {
    const world = waiting({ developer: [fails()] }).append(putBack)
    world.person('retry').claim()
    expect(decide(world.loop)).toMatchObject({ do: 'develop', notBefore: null })
  })
})

describe('an edit ends the wait', () => {
  test.each([{ agent: 'other' }, { model: 'other' }])('for the developer’s limit: %o', (changes) => {
    const world = waiting().person(change(changes))
    expect(summarise(world.loop).waitsFor).toBeNull()
    expect(decide(world.loop)).toMatchObject({ do: 'develop', notBefore: null, unfinished: true })
  })

  test.each([{ reviewer: 'other' }, { reviewModel: 'other' }])('for the reviewer’s limit: %o', (changes) => {
    const world = waiting(byReviewer).person(change(changes))
    expect(summarise(world.loop).waitsFor).toBeNull()
    expect(decide(world.loop)).toMatchObject({ do: 'review', notBefore: null })
  })

  test.each([{ title: 'Another' }, { reviewer: 'other' }, { agent: null }])(
    'only if it changes the agent that is waited for: %o',
    (changes) => {
      const world = waiting().person(change(changes))
      expect(summarise(world.loop).waitsFor).toEqual({ agent: 'scripted', until: retryAt })
    },
  )
})

test('the loop waits for a reviewer’s limit even after a release and another commit', () => {
  const world = waiting(byReviewer).append(putBack).claim()
  expect(decide(world.loop)).toMatchObject({ do: 'commit' })
  const { sha, tree } = world.loop.work.head ?? { sha: '', tree: '' }
  const commit = { sha, tree, from: sha, session: '7-1', iteration: 1, empty: false, message: 'Once more' }
  world.append({ type: 'loop.committed', data: commit })
  expect(decide(world.loop)).toMatchObject({ do: 'review', notBefore: retryAt })
})
