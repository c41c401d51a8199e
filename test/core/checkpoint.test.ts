/** Checkpoints: when unfinished work is reviewed, and how little follows from it. */
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import { besideEnded, checkpointStarted } from './beside-play.ts'
import { approves, finding, judges, requests, tampers, times, unreadable, worksOn } from './turns.ts'
import { World } from './world.ts'

const untilClaimed = { until: 'claim', checkpointEvery: 2 } as const

/** The iterations after which the loop itself got a checkpoint. */
function lookedAtAfter(world: World): number[] {
  return world.steps('checkpoint').flatMap(({ iteration, own }) => (own ? [iteration] : []))
}

describe('a checkpoint runs', () => {
  test('after every interval of sessions, until the developer claims to be done', () => {
    const world = new World(untilClaimed).play({ developer: times(5, worksOn) })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, turn: { iteration: 6 } })
    expect(lookedAtAfter(world)).toEqual([2, 4])
    // After the sixth the work is done and goes to its review. Other loops still get their checkpoints.
    expect(world.steps('checkpoint').map(({ iteration }) => iteration)).toEqual([2, 4, 6])
  })

  test('not for the own loop if the end of a session already counts as done', () => {
    const world = new World({ checkpointEvery: 1 }).play()
    expect(world.steps('checkpoint')).toEqual([{ do: 'checkpoint', iteration: 1, own: false }])
    expect(world.all('loop.checkpoint')).toEqual([])
  })

  test('never if it is turned off, if reviews are disabled, or if a person triggers reviews', () => {
    for (const policy of [{ checkpointEvery: null }, { reviewed: false }, { trigger: 'explicit' } as const]) {
      const world = new World({ ...untilClaimed, checkpointEvery: 1, ...policy }).play({
        developer: [worksOn],
      })
      expect(world.steps('checkpoint')).toEqual([])
    }
  })

  test('before the next session, which gets the findings once', () => {
    const found = requests({ description: 'You are off the task.' })
    const world = new World(untilClaimed).play({ developer: times(3, worksOn), checkpoints: [found] })
    const told = world.trace
      .filter(({ step }) => step.do === 'develop')
      .map(({ loop }) => loop.review.checkpoint?.issues)
    expect(told.map((issues) => issues?.map(({ description }) => description))).toEqual([
      undefined,
      undefined,
      ['You are off the task.'],
      undefined,
    ])
    expect(world.loop.review.lastCheckpointAt).not.toBeNull()
  })

  test('during a session, and its findings go to the next one, whether it ends before or after that session', () => {
    for (const ends of ['during the session', 'after it']) {
      const found = requests({ description: 'Off.' })
      const world = new World({ until: 'claim', checkpointEvery: 5 })
      while (!world.loop.turn.session) world.append(...stepOnce(world))
      world.append(checkpointStarted(world.loop, 9, 5))
      expect(decide(world.loop)).toMatchObject({ do: 'attend', session: { session: '7-1' } })
      const [look] = world.loop.turn.beside
      if (look && ends === 'during the session') world.append(...besideEnded(look, found, world.loop))
      world.play({ developer: [worksOn], checkpoints: [found] })
      const told = world.trace
        .filter(({ step }) => step.do === 'develop')
        .map(({ loop }) => loop.review.checkpoint?.issues[0]?.description)
      expect(told, ends).toEqual(['Off.'])
    }
  })
})

describe('the effect of a checkpoint', () => {
  test('no verdict approves, stops, costs a cycle or changes the ledger', () => {
    for (const verdict of ['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION', 'REJECTED'] as const) {
      const says = judges({ verdict, blocking: verdict !== 'APPROVED', issues: [finding()] })
      const world = new World(untilClaimed).play({ developer: times(2, worksOn), checkpoints: [says] })
      expect(world.all('loop.checkpoint')).toHaveLength(1)
      expect(world.loop).toMatchObject({
        standing: { status: 'completed' },
        review: { cycle: 1, ledger: [] },
        turn: { revisions: 0 },
      })
      expect(world.all('review.completed')).toHaveLength(1)
    }
  })

  test('an unreadable checkpoint is dropped', () => {
    const world = new World(untilClaimed).play({ developer: times(3, worksOn), checkpoints: [unreadable] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { checkpoint: null } })
    expect(world.all('review.failed')).toEqual([])
  })

  test('a checkpoint that tampers stops the task, like any reviewer that tampers', () => {
    const world = new World(untilClaimed).play({ developer: times(3, worksOn), checkpoints: [tampers] })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'reviewer_tampered' } })
    expect(world.goOn('retry').loop.standing.status).toBe('completed')
  })

  test('a task review does not wait for a checkpoint, and the end of the loop drops it', () => {
    const world = new World({ checkpointEvery: 3 })
    while (!world.loop.turn.session) world.append(...stepOnce(world))
    world.append(checkpointStarted(world.loop, 9, 3)).play({ reviewer: [approves] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, turn: { beside: [] } })
    expect(world.steps('await')).toEqual([])
  })
})

/** Plays one of the first steps of a loop. A script can't stop between them. */
function stepOnce(world: World) {
  const step = decide(world.loop)
  if (step.do === 'open') {
    const place = { branch: 'umpire/7-add', base: 'main', baseCommit: 'c0', worktree: 'worktrees/7' }
    return [{ type: 'loop.started' as const, data: { place } }]
  }
  const start = {
    session: '7-1',
    role: 'developer' as const,
    iteration: 1,
    cycle: 1,
    attempt: 1,
    reviewed: null,
  }
  const given = { agent: 'scripted', model: null, prompt: 'Please.', tokenHash: 'h', limitMs: 60_000 }
  return [
    { type: 'loop.developing' as const, data: { iteration: 1, cycle: 1, attempt: 1, maxCycles: 3 } },
    { type: 'session.started' as const, data: { ...start, ...given } },
  ]
}
