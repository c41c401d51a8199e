import { describe, expect, test } from 'vitest'
import { foldLoop } from '../../src/core/evolve.ts'
import { summarise } from '../../src/core/summary.ts'
import { fails, finding, judges, requests, times, unreadable, works } from './turns.ts'
import { World } from './world.ts'

/** What `status` showed when the loop was about to take this step. */
function when(world: World, doing: string, nth = 0) {
  const at = world.trace.filter(({ step }) => step.do === doing)[nth]
  if (!at) throw new Error(`the loop never came to ${doing}`)
  return summarise(at.loop)
}

test('a completed task shows what it took', () => {
  const world = new World({ maxCycles: 3 }, { group: 2, dependsOn: [4] }).play({ reviewer: [requests()] })
  expect(summarise(world.loop)).toMatchObject({
    id: 7,
    title: 'Add a feature',
    type: 'implement',
    status: 'completed',
    verdict: 'APPROVED',
    reason: null,
    loop: 'loop-7',
    cycle: 2,
    maxCycles: 3,
    iteration: 2,
    reviewStatus: 'passed',
    revisionAttempts: 1,
    lastReviewId: '7-4-review',
    lateFindings: 0,
    branch: 'umpire/7-add',
    base: 'main',
    group: 2,
    dependsOn: [4],
    costUsd: 2,
    tokens: 400,
    startedAt: world.events[1]?.at,
    endedAt: world.events.at(-1)?.at,
  })
})

test('a task that has not started shows its own max_cycles and nothing else', () => {
  const [added] = new World({}, { maxCycles: 9 }).events
  const loop = foldLoop(added ? [added] : [])
  expect(loop && summarise(loop)).toMatchObject({
    status: 'pending',
    maxCycles: 9,
    cycle: 0,
    iteration: 0,
    reviewStatus: 'pending',
    branch: null,
    costUsd: null,
    tokens: null,
  })
})

describe('reviewStatus', () => {
  const world = new World().play({ reviewer: [requests()] })

  test('is pending until there is something to review, and again for a revision', () => {
    expect(when(world, 'develop', 0).reviewStatus).toBe('pending')
    expect(when(world, 'review', 0).reviewStatus).toBe('pending')
    expect(when(world, 'review', 1).reviewStatus).toBe('pending')
  })

  test('is in_progress while a reviewer works', () => {
    expect(when(world, 'attend', 1).reviewStatus).toBe('in_progress')
  })

  test('is failed while the current tree is the one that was sent back', () => {
    expect(when(world, 'develop', 1).reviewStatus).toBe('failed')
    expect(summarise(new World({ maxCycles: 1 }).play({ reviewer: [requests()] }).loop).reviewStatus).toBe(
      'failed',
    )
  })
})

describe('the verdict of a task that stopped', () => {
  test('in mid-loop is CHANGES_REQUESTED', () => {
    const crashed = new World({ agentRetries: 0 }).play({
      developer: [works(), fails()],
      reviewer: [requests()],
    })
    expect(summarise(crashed.loop)).toMatchObject({
      status: 'failed',
      reason: 'crash',
      verdict: 'CHANGES_REQUESTED',
    })

    const unread = new World().play({ reviewer: [requests(), unreadable, unreadable] })
    expect(summarise(unread.loop)).toMatchObject({ reason: 'malformed_review', verdict: 'CHANGES_REQUESTED' })

    const cancelled = new World({ maxCycles: 1 }).play({ reviewer: [requests()] }).person('cancel')
    expect(summarise(cancelled.loop)).toMatchObject({ status: 'cancelled', verdict: 'CHANGES_REQUESTED' })
  })

  test('before any review is null', () => {
    const { loop } = new World().play({ developer: times(3, fails()) })
    expect(summarise(loop)).toMatchObject({ status: 'failed', verdict: null, lastReviewId: null })
  })
})

test('late findings are counted next to the approval', () => {
  const leak = finding({ file: 'src/a.ts', line: 1, type: 'bug', description: 'It leaks.' })
  const nits = ['Odd name.', 'Dead code.'].map((description) =>
    finding({ file: 'src/b.ts', line: 1, description }),
  )
  const world = new World().play({
    developer: times(3, works({ 'src/a.ts': [[1, 1]] })),
    reviewer: [requests(leak), judges({ verdict: 'CHANGES_REQUESTED', issues: [leak, ...nits] })],
  })
  expect(summarise(world.loop)).toMatchObject({ verdict: 'APPROVED', cycle: 3, lateFindings: 2 })
})

describe('a task that a person leads', () => {
  test('shows that its work waits for a review, and the command', () => {
    const { loop } = new World({ trigger: 'explicit' }).play()
    expect(summarise(loop)).toMatchObject({
      status: 'awaiting_review',
      verdict: null,
      reason: null,
      reviewStatus: 'pending',
      recovery: ['umpire review 7', 'umpire diff 7', 'umpire edit 7 --verdict APPROVED'],
    })
  })

  test('shows the review that it was improved from until the next one', () => {
    const world = new World({ maxCycles: 1 }).play({ reviewer: [requests()] }).goOn('improve')
    expect(summarise(world.loop)).toMatchObject({
      status: 'awaiting_review',
      verdict: 'CHANGES_REQUESTED',
      reviewStatus: 'pending',
      maxCycles: 2,
      cycle: 1,
      revisionAttempts: 1,
    })
    expect(summarise(world.goOn('review').loop)).toMatchObject({
      verdict: 'APPROVED',
      reviewStatus: 'passed',
    })
  })

  test('shows a review by hand that requests changes as failed', () => {
    const world = new World({ reviewed: false }).play().goOn('review', { reviewer: [requests()] })
    expect(summarise(world.loop)).toMatchObject({
      status: 'blocked',
      reason: 'changes_requested',
      verdict: 'CHANGES_REQUESTED',
      reviewStatus: 'failed',
    })
  })
})

describe('a task that lands', () => {
  test('shows the commit on the base, and stays approved all the way', () => {
    const world = new World({ land: 'base' }).play()
    expect(when(world, 'land')).toMatchObject({
      status: 'in_progress',
      phase: 'land',
      verdict: 'APPROVED',
      reviewStatus: 'passed',
      landed: null,
    })
    expect(summarise(world.loop)).toMatchObject({
      status: 'completed',
      verdict: 'APPROVED',
      landed: `${world.loop.work.head?.sha}-on-main`,
    })
  })

  test('shows the obstacle next to the approval', () => {
    const { loop } = new World({ land: 'base' }).play({ landings: ['waits'] })
    expect(summarise(loop)).toMatchObject({
      status: 'blocked',
      reason: 'checkout_dirty',
      verdict: 'APPROVED',
      reviewStatus: 'passed',
      landed: null,
    })
  })
})

test('a task for another task names it', () => {
  const inherited = { task: 3, sha: 'c-of-3', tree: 'tree-of-3', feedback: null }
  const { loop } = new World({}, { type: 'review', of: 3 }, inherited).play()
  expect(summarise(loop)).toMatchObject({ type: 'review', of: 3, iteration: 0, verdict: 'APPROVED' })
})
