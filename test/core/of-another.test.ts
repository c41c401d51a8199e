/** Tasks for another task: a review judges its work, an improvement continues from it. */
import { describe, expect, test } from 'vitest'
import { decideMove } from '../../src/core/person/move.ts'
import type { Inherited } from '../../src/core/place.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import type { Feedback } from '../../src/core/session/feedback.ts'
import { blockedEvent } from '../../src/core/step.ts'
import { changesNothing, fails, judges, requests, times, unreadable } from './turns.ts'
import { World } from './world.ts'

const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
const said: Feedback = { from: 'review', cycle: 2, summary: 'Not yet.', issues: [] }

function inherited(feedback: Feedback | null = said): Inherited {
  return { task: 3, sha: 'c-of-3', tree: 'tree-of-3', feedback }
}

const reviewTask = (policy: Partial<Policy> = {}) => new World(policy, { type: 'review', of: 3 }, inherited())
const improveTask = (policy: Partial<Policy> = {}, feedback: Feedback | null = said) =>
  new World(policy, { type: 'improve', of: 3 }, inherited(feedback))

describe('a review task', () => {
  test.each<[string, Partial<Policy>]>([
    ['as tasks are', {}],
    ['although tasks are not reviewed', { reviewed: false }],
    ['although reviews begin only when a person asks', { trigger: 'explicit' }],
    ['although developers must say that they are done', { until: 'claim' }],
  ])('reviews the other task’s tree once, %s', (_, policy) => {
    const world = reviewTask(policy).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 1 },
      turn: { iteration: 0 },
    })
    expect(world.all('review.completed')).toMatchObject([{ tree: 'tree-of-3' }])
    expect(world.all('loop.committed')).toEqual([])
    expect(world.sessions('developer')).toEqual([])
  })

  test('runs the gates first, and a failing gate needs a person', () => {
    const world = reviewTask({ gates }).play({ gates: ['fail'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate' },
      review: { cycle: 0 },
    })
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 1 },
    })
  })

  test('that requests changes shows how to add the improvement, and a retry reviews again', () => {
    const world = reviewTask().play({ reviewer: [requests()] })
    expect(world.loop).toMatchObject({
      standing: {
        status: 'blocked',
        reason: 'changes_requested',
        verdict: 'CHANGES_REQUESTED',
        recovery: [
          'umpire reviews 7',
          'umpire add "Address the review" -t improve --of 7',
          'umpire edit 7 --verdict APPROVED',
        ],
      },
    })
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 2 },
    })
    expect(world.sessions('developer')).toEqual([])
  })

  test.each([
    ['it failed', times(3, fails())],
    ['it could not be read', times(2, unreadable)],
    ['it was a rejection', [judges({ verdict: 'REJECTED' })]],
  ])('is repeated by a retry when %s', (_, reviewer) => {
    const world = reviewTask().play({ reviewer }).goOn('retry')
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    expect(world.sessions('developer')).toEqual([])
  })

  test('can’t be improved: the improvement is a task of its own', () => {
    const world = reviewTask().play({ reviewer: [requests()] })
    expect(decideMove(world.loop, { kind: 'improve', note: 'Mend it.', text: null }, 'ada')).toEqual({
      kind: 'refused',
      why: 'Task 7 is a review.',
      fix: 'To act on it: umpire add "Address the review" -t improve --of 7.',
    })
  })

  test('reviews again on a retry after it was cancelled or a person gave a verdict', () => {
    const cancelled = reviewTask()
      .play({ reviewer: times(3, fails()) })
      .person('cancel')
    expect(cancelled.goOn('retry').loop.standing.verdict).toBe('APPROVED')
    const judged = reviewTask().play()
    judged.person({ kind: 'verdict', verdict: 'CHANGES_REQUESTED', why: 'Look closer.' })
    expect(judged.goOn('retry').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 2 },
    })
    expect([...cancelled.sessions('developer'), ...judged.sessions('developer')]).toEqual([])
  })

  test('never lands the work that it reviews, neither automatically nor by hand', () => {
    const world = reviewTask({ land: 'base' }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      landing: { landed: null },
    })
    expect(world.steps('land')).toEqual([])
    expect(decideMove(world.loop, { kind: 'merge', why: null }, 'ada')).toMatchObject({
      kind: 'refused',
      why: 'Task 7 is a review of task 3.',
    })
  })

  test('commits a person’s changes in its own worktree, though no developer ever worked there', () => {
    const world = reviewTask()
      .play({ reviewer: [requests()] })
      .editByHand()
      .goOn('review')
    expect(world.all('loop.committed')).toMatchObject([
      { session: '7-0', from: 'c-of-3', tree: 'tree-of-3-by-hand' },
    ])
    expect(world.all('loop.approved')).toMatchObject([{ tree: 'tree-of-3-by-hand' }])
    expect(world.sessions('developer')).toEqual([])
  })

  test('starts on a retry after it was blocked because the other task had no work', () => {
    const world = reviewTask()
    world.append(blockedEvent(world.loop, 'dependency', 'Task 3, which this task is for, has no work.'))
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'dependency', recovery: ['umpire show 3', 'umpire retry 7'] },
      work: { place: null },
    })
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 1 },
    })
  })
})

describe('an improve task', () => {
  test('begins with the feedback on the other task’s work, and names it in its commit', () => {
    const world = improveTask().play()
    expect(world.trace.find(({ step }) => step.do === 'develop')?.loop).toMatchObject({
      work: { head: { sha: 'c-of-3', tree: 'tree-of-3', empty: false } },
      turn: { feedback: { said, tree: 'tree-of-3', begun: false } },
    })
    expect(world.all('loop.committed')).toMatchObject([
      { from: 'c-of-3', message: 'Address review feedback (cycle 2)' },
    ])
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 1 },
      turn: { iteration: 1 },
    })
  })

  test('has its own reviews after that, under its own limits', () => {
    const world = improveTask({ maxCycles: 2 }).play({ reviewer: times(2, requests()) })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'max_cycles' },
      review: { cycle: 2 },
    })
    expect(world.all('loop.committed').map(({ message }) => message)).toEqual([
      'Address review feedback (cycle 2)',
      'Address review feedback (cycle 1)',
    ])
  })

  test('that changes nothing is stalled, and never reviewed', () => {
    const world = improveTask().play({ developer: [changesNothing] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'stalled', detail: 'The revision changed nothing.' },
      review: { cycle: 0 },
    })
    expect(world.sessions('reviewer')).toEqual([])
  })

  test('without an inherited review continues the work under its own title', () => {
    const world = improveTask({}, null).play()
    const [first] = world.steps('develop')
    expect(first?.unfinished).toBe(true)
    expect(world.all('loop.committed')).toMatchObject([{ from: 'c-of-3', message: 'Add a feature' }])
  })

  test('that failed is improved by hand with its inherited review and the note', () => {
    const world = improveTask().play({ developer: times(3, fails()) })
    world.goOn({ kind: 'improve', note: 'The second one only.', text: null })
    const told = world.trace.filter(({ step }) => step.do === 'develop').at(-1)
    expect(told?.loop.turn.feedback?.said).toEqual({ ...said, note: 'The second one only.' })
    expect(world.loop.standing.status).toBe('awaiting_review')
  })
})
