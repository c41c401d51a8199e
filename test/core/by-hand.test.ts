/** Reviews that a person asks for by hand, and retries after a step by hand. Improvements have a file of their own. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { decideMove } from '../../src/core/person/move.ts'
import { baseTree } from './played-tree.ts'
import { awaiting, capped, cost, gates, improve, unreviewed } from './steps-by-hand.ts'
import {
  approves,
  changesNothing,
  fails,
  judges,
  requests,
  tampers,
  times,
  unreadable,
  worksOn,
  worksTo,
} from './turns.ts'
import { World } from './world.ts'

describe('review.trigger: explicit', () => {
  test('makes the work wait for its review once the gates pass, and shows the command', () => {
    const world = new World({ trigger: 'explicit', gates }).play({ gates: ['fail', 'pass'] })
    expect(world.loop).toMatchObject({
      standing: {
        status: 'awaiting_review',
        verdict: null,
        reason: null,
        recovery: ['umpire review 7', 'umpire diff 7', 'umpire edit 7 --verdict APPROVED'],
      },
      claim: null,
      turn: { iteration: 2 },
    })
    expect(world.sessions('reviewer')).toEqual([])
    expect(decide(world.loop)).toEqual({ do: 'rest' })
  })

  test('waits again after each revision that a retry asks for', () => {
    const world = awaiting().goOn('review', { reviewer: [requests()] })
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { status: 'awaiting_review', verdict: 'CHANGES_REQUESTED' },
      review: { cycle: 1 },
      turn: { revisions: 1 },
    })
  })

  test('completes a task that wants no review', () => {
    expect(new World({ trigger: 'explicit', reviewed: false }).play().loop.standing.status).toBe('completed')
  })
})

describe('a review by hand', () => {
  test.each([
    ['that was ended without a review', unreviewed],
    ['that waits for its review', awaiting],
    ['that was approved before', () => new World().play()],
    ['that is out of cycles', capped],
    [
      'whose developer made no headway',
      () => new World().play({ developer: [worksTo('one'), worksTo('one')], reviewer: [requests()] }),
    ],
    [
      'that a person must discuss',
      () => new World().play({ reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] }),
    ],
    [
      'whose developer never said that it is done',
      () => new World({ until: 'claim', maxIterations: 1 }).play({ developer: [worksOn] }),
    ],
  ])('judges work once and approves it: work %s', (_, stopped) => {
    const world = stopped()
    const {
      review: { cycle },
      work: { head },
    } = world.loop
    expect(cost(world, (it) => it.goOn('review'))).toEqual({ developer: 0, reviewer: 1 })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: cycle + 1 },
      asked: null,
    })
    expect(world.all('loop.approved').at(-1)).toMatchObject({ by: 'review', tree: head?.tree, lands: false })
    expect(world.all('person.decided').at(-1)).toEqual({
      move: 'review',
      by: 'ada',
      why: null,
      verdict: null,
    })
  })

  test('stops if changes are requested, keeps the feedback and shows the next commands', () => {
    const world = unreviewed()
    const reviewer = [requests({ description: 'It leaks.' })]
    expect(cost(world, (it) => it.goOn('review', { reviewer }))).toEqual({ developer: 0, reviewer: 1 })
    expect(world.loop).toMatchObject({
      standing: {
        status: 'blocked',
        reason: 'changes_requested',
        verdict: 'CHANGES_REQUESTED',
        detail: 'The reviewer requests changes: Not yet.',
        recovery: [
          'umpire reviews 7',
          'umpire improve 7',
          'umpire retry 7',
          'umpire edit 7 --verdict APPROVED',
        ],
      },
      turn: {
        feedback: {
          said: { from: 'review', cycle: 1, issues: [{ description: 'It leaks.' }] },
          begun: false,
        },
      },
    })
  })

  test.each([
    ['NEEDS_DISCUSSION', 'needs_discussion'],
    ['REJECTED', 'rejected'],
  ] as const)('stops with %s as any review does', (verdict, reason) => {
    const { loop } = awaiting().goOn('review', { reviewer: [judges({ verdict })] })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason, verdict }, asked: null })
  })

  test('is repeated if it is unreadable or unusable, and still counts as one', () => {
    const reviewer = [unreadable, requests({ severity: 'advisory' }), approves]
    const world = awaiting().goOn('review', { reviewer })
    expect(world.loop).toMatchObject({ standing: { verdict: 'APPROVED' }, review: { cycle: 1 } })
    expect(world.sessions('reviewer').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  test('runs the gates first, and blocks for the person if one fails, without a developer', () => {
    const world = unreviewed().person('review').claim({ gates })
    expect(cost(world, (it) => it.play({ gates: ['fail'] }))).toEqual({ developer: 0, reviewer: 0 })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate', detail: 'Gate test failed.' },
    })
    world.goOn('review')
    expect(world.all('gate.completed').map(({ passed }) => passed)).toEqual([false, true])
    expect(world.loop).toMatchObject({ standing: { verdict: 'APPROVED' }, review: { cycle: 1 } })
  })

  test('commits the person’s changes in the worktree, and stops if a hook refuses them', () => {
    const world = awaiting()
      .editByHand()
      .goOn('review', { commits: ['refused'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate' },
      asked: 'review',
      review: { cycle: 0 },
    })
    expect(world.loop.standing.recovery).not.toContain('umpire edit 7 --verdict APPROVED')
    world.goOn('retry')
    expect(world.loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      work: { head: { tree: expect.stringMatching(/-by-hand$/) } },
    })
    expect(world.sessions('developer')).toHaveLength(1)
  })

  test('stops if the person reverted all the work, and a retry continues with the developer', () => {
    const world = awaiting()
    world.append({
      type: 'loop.committed',
      data: { sha: 'c9', tree: baseTree, from: 'c2', session: '7-1', iteration: 1, empty: true, message: '' },
    })
    expect(decideMove(world.loop, { kind: 'review', why: null }, 'ada')).toMatchObject({ kind: 'refused' })
    const emptied = awaiting().person('review').claim()
    emptied.append({
      type: 'loop.committed',
      data: { sha: 'c9', tree: baseTree, from: 'c2', session: '7-1', iteration: 1, empty: true, message: '' },
    })
    expect(emptied.play().loop).toMatchObject({ standing: { status: 'blocked', reason: 'stalled' } })
    expect(cost(emptied, (it) => it.goOn('retry'))).toMatchObject({ developer: 1 })
  })

  test('is granted beyond the limit, even if the next claim has a lower limit', () => {
    const world = capped().goOn('review', { reviewer: [requests()] })
    expect(world.all('loop.reviewing').at(-1)).toMatchObject({ cycle: 2, maxCycles: 2 })
    expect(world.loop).toMatchObject({ standing: { reason: 'changes_requested' }, policy: { maxCycles: 2 } })
    const lowered = new World({ maxCycles: 2 }).play({ reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] })
    lowered.person('review').claim({ maxCycles: 1 }).play()
    expect(lowered.all('loop.reviewing').at(-1)).toMatchObject({ cycle: 2, maxCycles: 2 })
  })

  test('replaces the old review of a tree that was sent back: a retry after it reviews again', () => {
    const world = new World().play({ developer: [worksTo('one'), worksTo('one')], reviewer: [requests()] })
    expect(world.loop.standing.reason).toBe('stalled')
    world.goOn('review', { reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] })
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 3 },
    })
  })

  test('revokes an earlier approval if it does not approve', () => {
    const world = new World({ land: 'branch' }).play()
    world.goOn('review', { reviewer: [judges({ verdict: 'REJECTED' })] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', verdict: 'REJECTED' },
      landing: { approval: null },
    })
    world.person('retry').claim({ reviewed: false }).play()
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: null } })
    expect(world.goOn('merge').loop).toMatchObject({
      landing: { landed: { base: 'main' } },
      standing: { verdict: null },
    })
  })
})

describe('retry after a step by hand', () => {
  test.each([
    ['crashed', { reviewer: times(3, fails()) }],
    ['could not be read', { reviewer: times(2, unreadable) }],
    ['was void', { reviewer: [tampers] }],
  ])('repeats a review that %s, and nothing else', (_, script) => {
    const world = awaiting().goOn('review', script)
    expect(world.loop.asked).toBe('review')
    world.goOn('retry', { reviewer: [requests()] })
    expect(world.loop).toMatchObject({ standing: { reason: 'changes_requested' }, review: { cycle: 1 } })
    expect(world.sessions('developer')).toHaveLength(1)
  })

  test('continues with the normal loop once a review has requested changes', () => {
    const world = unreviewed().goOn('review', { reviewer: [requests()] })
    world.person('retry').claim({ reviewed: true }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 2 },
      turn: { revisions: 1 },
    })
  })

  test('stops at once if max_cycles is reached, without a developer', () => {
    const world = capped().goOn('review', { reviewer: [requests()] })
    expect(cost(world, (it) => it.goOn('retry'))).toEqual({ developer: 0, reviewer: 0 })
    expect(world.loop).toMatchObject({ standing: { reason: 'max_cycles', verdict: 'MAX_CYCLES_REACHED' } })
  })

  test('follows review.trigger for work that waits for its review', () => {
    expect(capped().goOn('improve').goOn('retry').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 2 },
    })
    expect(awaiting().goOn('retry').loop.standing.status).toBe('awaiting_review')
  })

  test('continues with the normal loop after the step was cancelled', () => {
    const world = awaiting()
      .goOn('review', { reviewer: times(3, fails()) })
      .person('cancel')
    expect(world.goOn('retry').loop.standing.status).toBe('awaiting_review')
  })
})

describe('a step by hand is refused', () => {
  test.each<[string, () => World, string, string]>([
    [
      'while the task is worked on',
      () => new World(),
      'is being worked on',
      'umpire cancel 7 stops it. If no worker runs, umpire work 7 continues it.',
    ],
    ['after it was cancelled', () => capped().person('cancel'), 'is cancelled', 'umpire retry 7 reopens it.'],
    [
      'before there is any work',
      () => new World().play({ developer: times(3, fails()) }),
      'has no work yet',
      'umpire retry 7 lets it start.',
    ],
    [
      'while nothing is changed',
      () => new World().play({ developer: times(2, changesNothing) }),
      'has changed nothing yet',
      'umpire retry 7 lets it continue.',
    ],
  ])('%s', (_, stopped, why, fix) => {
    for (const kind of ['review', 'merge'] as const) {
      const refused = { kind: 'refused', why: `Task 7 ${why}.`, fix }
      expect(decideMove(stopped().loop, { kind, why: null }, 'ada')).toEqual(refused)
      expect(decideMove(stopped().loop, improve({ note: 'Go.' }), 'ada')).toEqual(refused)
    }
  })
})
