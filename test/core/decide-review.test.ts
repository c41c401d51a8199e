/** What follows from a review: approval, another round, or a person. */
import { describe, expect, test } from 'vitest'
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
import { World } from './world.ts'

describe('the way to an approval', () => {
  test('a task whose first review approves is completed after one session of each agent', () => {
    const { loop, events } = new World().play()
    expect(loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 1 },
      turn: { iteration: 1, revisions: 0 },
    })
    expect(events.map((event) => event.type)).toEqual([
      'task.added',
      'loop.claimed',
      'loop.started',
      'loop.developing',
      'session.started',
      'session.ended',
      'loop.committed',
      'loop.reviewing',
      'review.started',
      'session.started',
      'session.ended',
      'review.completed',
      'loop.approved',
    ])
  })

  test('work that a review sends back is revised, reviewed again and then approved', () => {
    const world = new World().play({ reviewer: [requests({ description: 'It leaks.' })] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
      turn: { iteration: 2, revisions: 1 },
    })
    expect(world.all('loop.feedback').map(({ feedback }) => feedback)).toMatchObject([
      { from: 'review', cycle: 1, summary: 'Not yet.', issues: [{ issue: 1, description: 'It leaks.' }] },
    ])
  })

  test('the approval names its review and the approved tree', () => {
    const world = new World().play()
    const [review] = world.all('review.completed')
    expect(world.all('loop.approved')).toEqual([
      { by: 'review', review: review?.review, tree: world.loop.work.head?.tree, cycle: 1, lands: false },
    ])
  })

  test('asks once more after an approval of another tree, and then stops the loop', () => {
    const stale = { does: 'judges', review: { verdict: 'APPROVED' }, tree: 'another' } as const
    expect(new World().play({ reviewer: [stale] }).loop).toMatchObject({
      standing: { verdict: 'APPROVED' },
      review: { cycle: 1 },
    })
    const { loop } = new World().play({ reviewer: [stale, stale] })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason: 'malformed_review', verdict: null } })
  })

  test('an approval that lists a blocking issue does not pass, should it ever get this far', () => {
    const contradictory = judges({ verdict: 'APPROVED', issues: [finding()] })
    const { loop } = new World().play({ reviewer: [contradictory, contradictory] })
    expect(loop).toMatchObject({ standing: { status: 'blocked', reason: 'malformed_review', verdict: null } })
  })

  test('a task that wants no review is completed without a verdict', () => {
    const world = new World({ reviewed: false }).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: null },
      review: { cycle: 0 },
    })
    expect(world.sessions('reviewer')).toEqual([])
  })
})

describe('out of cycles', () => {
  test('max_cycles: 3 allows at most three reviews and two revisions', () => {
    const world = new World({ maxCycles: 3 }).play({ reviewer: times(9, requests()) })
    expect(world.loop).toMatchObject({ review: { cycle: 3 }, turn: { revisions: 2, iteration: 3 } })
    expect(world.sessions('reviewer')).toHaveLength(3)
    expect(world.sessions('developer')).toHaveLength(3)
  })

  test('the task is blocked with a verdict of its own, and shows the next commands', () => {
    const { loop } = new World({ maxCycles: 1 }).play({ reviewer: [requests()] })
    expect(loop).toMatchObject({
      standing: {
        status: 'blocked',
        reason: 'max_cycles',
        verdict: 'MAX_CYCLES_REACHED',
        detail: '1 of 1 reviews are done, and the reviewer still requests changes.',
        recovery: [
          'umpire reviews 7',
          'umpire improve 7',
          'umpire edit 7 --max-cycles 2',
          'umpire retry 7',
          'umpire waive 7 --issue 1 --why "…"',
          'umpire edit 7 --verdict APPROVED',
        ],
      },
    })
  })

  test('an approval in the last cycle counts', () => {
    const { loop } = new World({ maxCycles: 2 }).play({ reviewer: [requests(), approves] })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
  })
})

test('an unusable verdict costs its cycle: there is no other review after a failed gate', () => {
  const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
  const world = new World({ maxCycles: 1, agentRetries: 0 }).play({
    reviewer: [requests({ severity: 'advisory' }), fails()],
  })
  expect(world.loop).toMatchObject({ standing: { status: 'failed' }, review: { cycle: 1 } })
  world
    .person('retry')
    .claim({ gates })
    .play({ gates: ['fail'] })
  expect(world.loop).toMatchObject({
    standing: { status: 'blocked', reason: 'max_cycles' },
    review: { cycle: 1 },
    turn: { iteration: 2 },
  })
  expect(world.sessions('reviewer')).toHaveLength(2)
})

describe('verdicts that need a person stop the loop at once', () => {
  test.each([
    ['NEEDS_DISCUSSION', { verdict: 'NEEDS_DISCUSSION' }, 'needs_discussion', 'NEEDS_DISCUSSION'],
    ['REJECTED', { verdict: 'REJECTED' }, 'rejected', 'REJECTED'],
    [
      'blocking, whatever the verdict',
      { verdict: 'APPROVED', blocking: true },
      'needs_discussion',
      'NEEDS_DISCUSSION',
    ],
    [
      'blocking with changes',
      { verdict: 'CHANGES_REQUESTED', blocking: true },
      'needs_discussion',
      'NEEDS_DISCUSSION',
    ],
  ] as const)('%s', (_, review, reason, verdict) => {
    const world = new World().play({
      reviewer: [judges({ ...review, summary: 'Which one?\nMore.', issues: [finding()] })],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason, verdict },
      review: { cycle: 1 },
      turn: { iteration: 1 },
    })
    expect(world.loop.standing.detail).toMatch(/: Which one\?$/)
    expect(world.all('loop.feedback')).toEqual([])
  })

  test('a review is void if the reviewer tampered', () => {
    const { loop } = new World().play({ reviewer: [tampers] })
    expect(loop).toMatchObject({
      standing: { status: 'blocked', reason: 'reviewer_tampered', verdict: null },
      review: { cycle: 0 },
    })
  })
})

describe('an unreadable review', () => {
  test('is repeated a second later with the reason, and costs no cycle', () => {
    const world = new World().play({ reviewer: [{ does: 'is-unreadable', why: 'two verdicts' }, approves] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 1 },
      turn: { revisions: 0 },
    })
    const [failed] = world.events.filter((event) => event.type === 'review.failed')
    expect(world.steps('review')).toEqual([
      { do: 'review', cycle: 1, attempt: 1, notBefore: null, ask: null, prompt: 'whole' },
      {
        do: 'review',
        cycle: 1,
        attempt: 2,
        notBefore: secondsAfter(failed?.at, 1),
        ask: 'two verdicts',
        prompt: 'whole',
      },
    ])
  })

  test('blocks the task after review.retries more attempts, without a verdict', () => {
    const world = new World({ reviewRetries: 1 }).play({ reviewer: times(9, unreadable) })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'malformed_review', verdict: null },
      review: { cycle: 0 },
    })
    expect(world.loop.standing.detail).toBe('No readable verdict after 2 tries: no verdict found.')
    expect(world.sessions('reviewer')).toHaveLength(2)
  })

  test('has all its retries again in the next cycle', () => {
    const reviewer = [unreadable, requests(), unreadable, approves]
    expect(new World({ reviewRetries: 1 }).play({ reviewer }).loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
    })
  })

  test('does not count the failures of the agent', () => {
    const world = new World({ reviewRetries: 1, agentRetries: 2 }).play({
      reviewer: [fails(), unreadable, fails(), fails(), approves],
    })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 1 } })
    expect(world.sessions('reviewer').map((session) => session.attempt)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('changes requested without a blocking issue', () => {
  const baseless = requests({ severity: 'advisory' })

  test('never become an approval: Umpire asks the reviewer once more, within the cycle', () => {
    const world = new World().play({ reviewer: [baseless, approves] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 1 },
      turn: { revisions: 0 },
    })
    const [, again] = world.steps('review')
    expect(again).toMatchObject({ cycle: 1, attempt: 2 })
    expect(again?.ask).toMatch(/none of its issues is blocking/)
  })

  test('need a person if the reviewer still lists no blocking issue', () => {
    const world = new World().play({ reviewer: [baseless, baseless] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      review: { cycle: 1 },
    })
    expect(world.sessions('developer')).toHaveLength(1)
  })

  test('go to the developer once the reviewer lists a blocking issue, even in the last cycle but one', () => {
    const world = new World({ maxCycles: 2 }).play({ reviewer: [baseless, requests(), approves] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
      turn: { revisions: 1 },
    })
  })

  test('also happen if all findings of a later review are late', () => {
    const late = { file: 'src/old.ts', line: 3, type: 'pattern-violation', description: 'Odd name.' } as const
    const world = new World().play({
      developer: [works(), works({ 'src/new.ts': [[1, 9]] })],
      reviewer: [requests(), requests(late), requests(late)],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      review: { cycle: 2 },
    })
    expect(world.loop.review.ledger).toMatchObject([
      { number: 1, status: 'resolved' },
      { number: 2, status: 'open', severity: 'advisory', late: true },
    ])
  })
})

describe('stalled', () => {
  const leak = { file: 'src/a.ts', line: 3, type: 'bug', description: 'It leaks.' } as const

  test('a revision that changed nothing is not reviewed again', () => {
    const world = new World().play({ developer: [works(), changesNothing], reviewer: [requests()] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'stalled', verdict: 'CHANGES_REQUESTED' },
      review: { cycle: 1 },
    })
    expect(world.loop.standing.detail).toBe(
      'The revision after review 1 changed nothing. Issues by review: 1: 1 opened.',
    )
    expect(world.sessions('reviewer')).toHaveLength(1)
  })

  test('if the same blocking issues are open again and the files they name are unchanged', () => {
    const world = new World({ maxCycles: 5 }).play({
      developer: [works(), works({ 'src/b.ts': [[1, 2]] })],
      reviewer: times(5, requests(leak)),
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'stalled', verdict: 'CHANGES_REQUESTED' },
      review: { cycle: 2 },
    })
  })

  test('not if one of the files was changed, though in vain', () => {
    const world = new World({ maxCycles: 3 }).play({
      developer: times(3, works({ 'src/a.ts': [[8, 9]] })),
      reviewer: times(3, requests(leak)),
    })
    expect(world.loop).toMatchObject({ standing: { reason: 'max_cycles' }, review: { cycle: 3 } })
  })

  test('not if another issue is open now', () => {
    const { loop } = new World({ maxCycles: 2 }).play({
      developer: times(2, works({ 'src/b.ts': [[1, 2]] })),
      reviewer: [
        requests(leak),
        requests(leak, { file: 'src/b.ts', line: 1, type: 'bug', description: 'New.' }),
      ],
    })
    expect(loop.standing.reason).toBe('max_cycles')
  })

  test('not by an issue without a file, because it proves nothing', () => {
    const { loop } = new World({ maxCycles: 2 }).play({
      developer: times(2, works({ 'src/b.ts': [[1, 2]] })),
      reviewer: times(2, requests({ description: 'It is slow.' })),
    })
    expect(loop.standing.reason).toBe('max_cycles')
  })
})

function secondsAfter(at: string | undefined, seconds: number): string {
  return new Date(Date.parse(at ?? '') + seconds * 1_000).toISOString()
}
