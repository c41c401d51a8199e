/** A person's retry: the loop continues at the phase that failed, and no feedback or work is lost. */

import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { decideMove } from '../../src/core/person/move.ts'
import type { Step } from '../../src/core/step.ts'
import {
  approves,
  changesNothing,
  fails,
  finding,
  judges,
  requests,
  tampers,
  times,
  unreadable,
  works,
} from './turns.ts'
import { type Script, World } from './world.ts'

const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]

describe('a retry continues', () => {
  // Before a review comes a commit, which includes what the person did in the worktree meanwhile.
  test.each<[string, Script, Step['do']]>([
    ['with the developer that crashed', { developer: times(3, fails()) }, 'develop'],
    ['with the reviewer that crashed', { reviewer: times(3, fails()) }, 'commit'],
    ['with the review that could not be read', { reviewer: times(2, unreadable) }, 'commit'],
    [
      'with a new review where a person was to discuss',
      { reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] },
      'commit',
    ],
    ['with a new review after a rejection', { reviewer: [judges({ verdict: 'REJECTED' })] }, 'commit'],
    ['with a new review after one that was void', { reviewer: [tampers] }, 'commit'],
    ['with the developer that made no headway', { developer: times(2, changesNothing) }, 'develop'],
    ['with the developer that ran out of time', { developer: [{ does: 'times-out' }] }, 'develop'],
    ['with the developer that gave up', { developer: [{ does: 'gives-up' }] }, 'develop'],
    ['with the commit that a hook refused', { commits: times(3, 'refused') }, 'commit'],
  ])('%s', (_, script, step) => {
    const world = new World().play(script)
    expect(['blocked', 'failed']).toContain(world.loop.standing.status)
    world.person('retry')
    expect(world.loop).toMatchObject({
      standing: { status: 'pending', reason: null, detail: null, recovery: [], endedAt: null },
    })
    expect(decide(world.loop)).toEqual({ do: 'rest' })
    expect(decide(world.claim().loop).do).toBe(step)
    expect(world.play().loop.standing.status).toBe('completed')
  })

  test('with the person’s changes in the worktree, and commits, checks and reviews them', () => {
    const world = new World({ gates }).play({ reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] })
    const sessions = world.sessions('developer').length
    world.editByHand().person('retry').claim().play()
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
    expect(world.sessions('developer')).toHaveLength(sessions)
    const [first, second] = world.all('review.completed')
    expect(second?.tree).not.toBe(first?.tree)
    expect(world.all('gate.completed').map(({ tree }) => tree)).toEqual([first?.tree, second?.tree])
  })

  test('with a gate that a person added meanwhile, before any approval', () => {
    const world = new World().play({ reviewer: [judges({ verdict: 'NEEDS_DISCUSSION' })] })
    world
      .person('retry')
      .claim({ gates })
      .play({ gates: times(3, 'fail') })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'gate' } })
  })

  test('with that gate, even before it asks the reviewer again for its reasons', () => {
    const baseless = requests({ severity: 'advisory' })
    const world = new World()
      .play({ reviewer: [baseless, baseless] })
      .person('cancel')
      .person('retry')
    world.claim({ gates }).play({ gates: times(3, 'fail') })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'gate' } })
    expect(world.sessions('reviewer')).toHaveLength(2)
  })

  test('with the gate itself, if it failed after the verdict and may pass now', () => {
    const approved = new World().play()
    const world = new World({ maxGateFailures: 1 })
    world.append(...approved.events.slice(2, -1))
    expect(world.loop.turn.phase).toBe('judge')
    world.claim({ gates }).play({ gates: ['fail'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate' },
      turn: { phase: 'judge' },
    })
    expect(world.goOn('retry').loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    expect(world.all('gate.completed').map(({ passed }) => passed)).toEqual([false, true])
  })

  test.each(['NEEDS_DISCUSSION', 'REJECTED'] as const)(
    'with another review after %s, even at max_cycles',
    (verdict) => {
      const world = new World({ maxCycles: 1 }).play({ reviewer: [judges({ verdict })] }).goOn('retry')
      expect(world.loop).toMatchObject({
        standing: { status: 'completed' },
        review: { cycle: 2 },
        policy: { maxCycles: 2 },
      })
    },
  )

  test('with the person’s changes during an interruption, and commits them before the review', () => {
    const { events } = new World().play()
    const world = new World()
    world.append(
      ...events.slice(
        2,
        events.findIndex(({ type }) => type === 'loop.reviewing'),
      ),
    )
    expect(world.loop.turn.phase).toBe('check')
    world.append({ type: 'loop.released', data: { why: 'interrupted' } })
    world.editByHand().claim().play()
    expect(world.all('loop.approved')).toMatchObject([{ tree: 'base-by-hand' }])
  })

  test('to the end without a review if a person has turned reviews off', () => {
    const world = new World().play({ reviewer: times(2, unreadable) })
    world.person('retry').claim({ reviewed: false }).play()
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: null } })
  })

  test('with the gates, which may pass now, before the developer', () => {
    const world = new World({ gates }).play({ gates: times(3, 'fail') })
    expect(world.loop.standing.reason).toBe('gate')
    const developers = world.sessions('developer').length
    world.person('retry').claim().play()
    expect(world.loop.standing.status).toBe('completed')
    expect(world.sessions('developer')).toHaveLength(developers)
  })

  test.each(['NEEDS_DISCUSSION', 'REJECTED'] as const)(
    'where the loop was when a person said %s, without a review before the gates pass',
    (verdict) => {
      const said = (world: World) => {
        const outcome = decideMove(world.loop, { kind: 'verdict', verdict, why: null }, 'ada')
        if (outcome.kind === 'refused') throw new Error(outcome.why)
        return world
          .append(...outcome.events)
          .person('retry')
          .claim()
      }
      const failing = said(new World({ gates }).play({ gates: times(3, 'fail') }))
      failing.play({ gates: times(3, 'fail') })
      expect(failing.loop).toMatchObject({ standing: { status: 'blocked', reason: 'gate' } })
      expect(failing.sessions('reviewer')).toEqual([])

      const unbegun = new World()
      unbegun.append({ type: 'loop.released', data: { why: 'interrupted' } })
      expect(said(unbegun).play().loop.standing.status).toBe('completed')
    },
  )

  test('where the loop was cancelled', () => {
    const world = new World({ gates })
    world.play({ gates: times(3, 'fail') }).person('cancel')
    expect(world.loop).toMatchObject({ standing: { status: 'cancelled', reason: null } })
    expect(world.person('retry').claim().play().loop.standing.status).toBe('completed')
  })

  test('with more reviews once a person raised max_cycles, and keeps the last review', () => {
    const world = new World({ maxCycles: 1 }).play({ reviewer: [requests({ description: 'It leaks.' })] })
    world.person('retry').claim()
    expect(world.play().loop).toMatchObject({ standing: { reason: 'max_cycles' }, review: { cycle: 1 } })
    world.person('retry').claim({ maxCycles: 3 }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
      turn: { revisions: 1 },
    })
    expect(world.loop.turn.feedback?.said).toMatchObject({
      from: 'review',
      issues: [{ description: 'It leaks.' }],
    })
  })
})

describe('a retry costs', () => {
  test('neither an iteration nor a revision if the developer had crashed', () => {
    const world = new World({ agentRetries: 0 }).play({
      developer: [works(), fails()],
      reviewer: [requests()],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', verdict: 'CHANGES_REQUESTED' },
      turn: { iteration: 2 },
    })
    const told = world.loop.turn.feedback?.said
    world.person('retry').claim().play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      turn: { iteration: 2, revisions: 1 },
      review: { cycle: 2 },
    })
    expect(world.loop.turn.feedback?.said).toEqual(told)
    expect(world.sessions('developer').at(-1)).toMatchObject({ iteration: 2, attempt: 2 })
  })

  test('no cycle if the reviewer crashed when it was asked for its reasons', () => {
    const world = new World({ agentRetries: 0, maxCycles: 1 }).play({
      reviewer: [requests({ severity: 'advisory' }), fails()],
    })
    expect(world.loop).toMatchObject({ standing: { status: 'failed' }, review: { cycle: 1 } })
    world
      .person('retry')
      .claim()
      .play({ reviewer: [approves] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 1 } })
    expect(world.steps('review').at(-1)?.ask).toMatch(/none of its issues is blocking/)
  })
})

describe('a tree that is reviewed again because a person asked for it', () => {
  const nit = { file: 'src/a.ts', line: 3, type: 'pattern-violation', description: 'Odd name.' } as const
  const undecided = judges({ verdict: 'NEEDS_DISCUSSION', issues: [finding(nit)] })

  test('is reviewed as if for the first time: no finding is late, and the loop is not stalled', () => {
    const world = new World().play({ reviewer: [undecided] })
    world.person('retry').claim()
    world.play({ reviewer: [requests(nit, { ...nit, description: 'Dead code.' })] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 3 },
      turn: { revisions: 1 },
    })
    expect(world.loop.review.ledger.map((issue) => issue.late)).toEqual([false, false])
  })
})
