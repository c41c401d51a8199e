/** An improvement that a person asks for by hand: one developer's turn, and the feedback that the developer gets. */
import { describe, expect, test } from 'vitest'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { awaiting, capped, cost, gates, improve, unreviewed } from './steps-by-hand.ts'
import { changesNothing, fails, judges, requests, times, timesOut, worksOn } from './turns.ts'
import { World } from './world.ts'

describe('an improvement by hand', () => {
  test('is one developer’s turn without gates, and then waits for a review', () => {
    const world = capped()
    world.person('improve').claim({ gates })
    expect(cost(world, (it) => it.play())).toEqual({ developer: 1, reviewer: 0 })
    expect(world.loop).toMatchObject({
      standing: { status: 'awaiting_review', verdict: 'CHANGES_REQUESTED' },
      asked: null,
    })
    expect(world.all('gate.completed')).toEqual([])
    expect(world.all('loop.committed').at(-1)?.message).toBe('Address review feedback (cycle 1)')
    expect(world.goOn('review').loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 2 },
      policy: { maxCycles: 2 },
    })
  })

  test('is one turn even with develop.until: claim', () => {
    const world = new World({ until: 'claim', maxIterations: 1 }).play({
      reviewer: [judges({ verdict: 'REJECTED' })],
    })
    expect(cost(world, (it) => it.goOn('improve', { developer: [worksOn] }))).toEqual({
      developer: 1,
      reviewer: 0,
    })
    expect(world.loop.standing.status).toBe('awaiting_review')
  })

  test('retries a failed session, and after the task failed a person’s retry repeats the same turn', () => {
    const world = capped().goOn('improve', { developer: times(3, fails()) })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash', verdict: 'CHANGES_REQUESTED' },
    })
    world.goOn('retry')
    expect(world.loop).toMatchObject({
      standing: { status: 'awaiting_review' },
      turn: { iteration: 2, revisions: 1 },
    })
    expect(world.sessions('developer').map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3, 4])
  })

  test('continues the numbers of its sessions after a review in between', () => {
    const world = capped().goOn('improve', { developer: times(3, fails()) })
    world.goOn('review', { reviewer: [requests()] }).goOn('improve')
    expect(world.sessions('developer').map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3, 4])
  })

  test.each([
    [
      'a review',
      capped,
      improve(),
      'The revision after review 1 changed nothing. Issues by review: 1: 1 opened.',
    ],
    ['a note', unreviewed, improve({ note: 'Be brief.' }), 'The developer changed nothing after the note.'],
    ['a file', unreviewed, improve({ text: 'Use a map.' }), 'The revision changed nothing.'],
    [
      'a failed gate',
      () => new World({ gates, maxGateFailures: 1 }).play({ gates: ['fail'] }),
      improve(),
      'The revision after the failed gate test changed nothing.',
    ],
  ])(
    'that changed nothing after %s is stalled, and a retry asks the developer once more',
    (_, stopped, move, detail) => {
      const world = stopped().goOn(move, { developer: [changesNothing] })
      expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'stalled', detail } })
      expect(cost(world, (it) => it.goOn('retry'))).toEqual({ developer: 1, reviewer: 0 })
      expect(world.loop.standing.status).toBe('awaiting_review')
    },
  )

  test('that a hook refuses needs the person, and the next one gets the output of the hook', () => {
    const world = capped().goOn('improve', { commits: ['refused'] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'gate', detail: 'Gate commit hook failed.' },
    })
    world.person(improve({ note: 'Sign it off.' }))
    expect(world.loop.turn.feedback?.said).toMatchObject({
      from: 'gate',
      gates: [{ name: 'commit hook', output: 'commit hook is not happy' }],
      note: 'Sign it off.',
    })
  })

  test('that times out is committed and needs the person', () => {
    const world = capped().goOn('improve', { developer: [timesOut] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'timeout' },
      work: { head: { tree: 'tree-7-3' } },
    })
    expect(world.goOn('retry').loop.standing.status).toBe('awaiting_review')
  })

  test('of approved work revokes the approval', () => {
    const world = new World().play().goOn(improve({ note: 'In French, too.' }))
    expect(world.loop).toMatchObject({
      standing: { status: 'awaiting_review', verdict: null },
      landing: { approval: null },
    })
    expect(world.all('loop.committed').at(-1)?.message).toBe('Address a note')
  })
})

describe('the feedback of an improvement by hand', () => {
  const gateFailed = () => new World({ gates, maxGateFailures: 1, maxCycles: 1 }).play({ gates: ['fail'] })
  const said = (world: World, move: Move) => world.person(move).loop.turn.feedback?.said

  test('is the person’s file before anything else', () => {
    expect(said(gateFailed(), improve({ text: 'Use a map.', note: 'Be brief.' }))).toEqual({
      from: 'review',
      cycle: 0,
      summary: 'Use a map.',
      issues: [],
      note: 'Be brief.',
    })
  })

  test('is a failed gate rather than the last review', () => {
    const world = new World({ gates, maxGateFailures: 1 }).play({
      gates: ['pass', 'fail'],
      reviewer: [requests()],
    })
    expect(world.loop).toMatchObject({ standing: { reason: 'gate' }, review: { cycle: 1 } })
    expect(said(world, improve({ note: 'Be brief.' }))).toMatchObject({
      from: 'gate',
      gates: [{ name: 'test', output: 'test is not happy' }],
      note: 'Be brief.',
    })
  })

  test('is the last review with every open issue, together with the note', () => {
    expect(said(capped(), improve({ note: 'The first one only.' }))).toMatchObject({
      from: 'review',
      cycle: 1,
      summary: 'Not yet.',
      issues: [{ issue: 1, description: 'It leaks.' }],
      note: 'The first one only.',
    })
  })

  test('is the reason of a person’s own verdict, even for work without a review', () => {
    const verdict = { kind: 'verdict', verdict: 'CHANGES_REQUESTED', why: 'In French, too.' } as const
    for (const world of [unreviewed(), new World().play()]) {
      expect(said(world.person(verdict), improve())).toMatchObject({
        from: 'review',
        summary: 'In French, too.',
        issues: [{ description: 'In French, too.' }],
      })
    }
  })

  test('is the note alone if there is nothing else', () => {
    expect(said(unreviewed(), improve({ note: 'Be brief.' }))).toEqual({ from: 'person', note: 'Be brief.' })
  })

  test('is never empty: without any feedback Umpire refuses the move', () => {
    for (const world of [unreviewed(), awaiting(), new World().play()]) {
      expect(decideMove(world.loop, improve(), 'ada')).toEqual({
        kind: 'refused',
        why: 'Task 7 has no review to improve from.',
        fix: 'umpire review 7 asks for one. Or say what to do: umpire improve 7 --note "…".',
      })
    }
  })
})
