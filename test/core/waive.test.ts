/** A waived issue never blocks again, and a waiver approves nothing. */

import { describe, expect, test } from 'vitest'
import { decideMove, type Move } from '../../src/core/person/move.ts'
import { knownIn, openBlocking } from '../../src/core/review/ledger.ts'
import { contradiction } from '../../src/core/review/verdict.ts'
import { withoutWaived } from '../../src/core/review/waive.ts'
import { fc, samples } from '../support/random.ts'
import { anyBehaviour, anyPersonTurns, anyPolicy, endlessly } from './arbitrary.ts'
import { lead } from './lead.ts'
import { approves, fails, finding, judges, requests, times, works } from './turns.ts'
import { World } from './world.ts'

const leak = { file: 'src/a.ts', line: 3, type: 'bug', description: 'It leaks.' } as const
const slow = { file: 'src/b.ts', line: 9, type: 'bug', description: 'It is slow.' } as const

const waive = (...issues: number[]): Move => ({ kind: 'waive', issues, why: 'Gone next week.' })

const capped = (...issues: Parameters<typeof requests>) =>
  new World({ maxCycles: 1 }).play({ reviewer: [requests(...issues)] })

describe('waiving', () => {
  test('records the person and the reason, and does not change the task’s status', () => {
    const world = capped(leak, slow).person(waive(1))
    expect(world.events.slice(-2)).toMatchObject([
      { type: 'person.decided', data: { move: 'waive', by: 'ada', why: 'Gone next week.' } },
      { type: 'issue.waived', data: { issue: 1, by: 'ada', why: 'Gone next week.' } },
    ])
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'max_cycles', verdict: 'MAX_CYCLES_REACHED' },
    })
    expect(world.loop.review.ledger).toMatchObject([
      { status: 'waived', waived: { by: 'ada', why: 'Gone next week.' } },
      { status: 'open' },
    ])
    expect(world.loop.standing.recovery).toContain('umpire waive 7 --issue 2 --why "…"')
    expect(world.loop.standing.recovery).not.toContain('umpire review 7')
  })

  test('all blocking issues never approves the work: Umpire suggests a review first', () => {
    const { loop } = capped(leak, slow).person(waive(1, 2))
    expect(loop).toMatchObject({
      standing: { status: 'blocked', reason: 'max_cycles' },
      landing: { approval: null },
    })
    expect(loop.standing.recovery[0]).toBe('umpire review 7')
    expect(loop.standing.recovery.join()).not.toContain('waive')
  })

  test('is refused as a whole if one issue is missing, resolved or already waived', () => {
    const world = new World({ maxCycles: 2 }).play({
      developer: times(2, works({ 'src/b.ts': [[1, 99]] })),
      reviewer: [requests(leak), requests(slow)],
    })
    const refusal = (move: Move) => {
      const outcome = decideMove(world.loop, move, 'ada')
      return outcome.kind === 'refused' ? outcome.why : null
    }
    expect(refusal(waive(3))).toBe('Task 7 has no issue 3.')
    expect(refusal(waive(2, 1))).toBe('Issue 1 of task 7 is already resolved, since review 2.')
    expect(refusal({ kind: 'waive', issues: [2], why: ' ' })).toBe('The reason is missing.')
    expect(refusal({ kind: 'waive', issues: [], why: 'So.' })).toBe('No issue is named.')
    world.person(waive(2, 2))
    expect(refusal(waive(2))).toBe('Issue 2 of task 7 is already waived, by ada.')
    const done = new World().play().loop
    expect(decideMove(done, waive(1), 'ada')).toMatchObject({ kind: 'refused', why: 'Task 7 is completed.' })
  })
})

describe('a waived issue', () => {
  test('that a later review repeats, by description or number, is not opened and blocks nothing', () => {
    const bare = { id: '1', description: '', status: 'open' as const }
    for (const again of [leak, { ...leak, line: 50, suggestion: 'Free it.' }, bare]) {
      const world = capped(leak).person(waive(1))
      world.goOn('review', { reviewer: times(2, requests(again)) })
      expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'needs_discussion' } })
      expect(world.loop.review.ledger).toMatchObject([{ number: 1, status: 'waived' }])
      expect(world.all('issue.opened')).toHaveLength(1)
      expect(world.steps('review').at(-1)?.ask).toContain('issue 1 was waived by a person')
    }
  })

  test('stays waived even if it is reported or resolved at the moment of the waiver', () => {
    const world = capped(leak).person(waive(1))
    const [opened] = world.all('issue.opened')
    if (!opened) throw new Error('nothing was found')
    world.append({ type: 'issue.opened', data: { ...opened, cycle: 2 } })
    world.append({ type: 'issue.resolved', data: { issue: 1, cycle: 2, review: 'r' } })
    expect(world.loop.review.ledger).toMatchObject([{ status: 'waived', waived: { by: 'ada' } }])
    expect(world.loop.review.tally).toMatchObject([{ cycle: 1, opened: 1, resolved: 0 }])
  })

  test('does not contradict an approval that mentions it', () => {
    const {
      review: { ledger },
    } = capped(leak).person(waive(1)).loop
    const review = {
      verdict: 'APPROVED' as const,
      summary: '',
      interpretedIntent: null,
      intentSatisfied: null,
    }
    const body = { ...review, scores: {}, blocking: false, issues: [finding({ ...leak, status: 'open' })] }
    expect(contradiction(body, { minScore: 0, ...knownIn(ledger) })).toBeNull()
    expect(contradiction(body, { minScore: 0, ...knownIn([]) })).toContain('blocking')
  })

  test('does not go to the developer, but the other issues do', () => {
    const world = new World({ maxCycles: 1 }).play({ reviewer: [requests(leak, slow)] }).person(waive(1))
    world
      .person('retry')
      .claim({ maxCycles: 3 })
      .play({ reviewer: [approves] })
    expect(world.loop.standing.status).toBe('completed')
    const [told] = world.all('loop.feedback')
    if (!told) throw new Error('nothing was sent back')
    expect(told.feedback).toMatchObject({ issues: [{ issue: 2 }] })
    const {
      review: { ledger },
    } = world.loop
    const earlier = {
      ...told.feedback,
      issues: [{ ...slow, issue: 1, severity: 'blocking', suggestion: null }],
    }
    expect(withoutWaived(earlier as typeof told.feedback, ledger)).toMatchObject({ issues: [] })
  })
})

describe('a task that was stopped only by waived issues', () => {
  const stalled = () =>
    new World({ maxCycles: 5 }).play({
      developer: [works(), works({ 'src/b.ts': [[1, 2]] })],
      reviewer: times(5, requests(leak)),
    })

  test('asks its reviewer once more when it continues, with the waivers, and starts no developer', () => {
    const world = stalled().person(waive(1))
    const developers = world.sessions('developer').length
    world.goOn('retry', { reviewer: [approves] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 2 },
    })
    expect(world.sessions('developer')).toHaveLength(developers)
    expect(world.steps('review').at(-1)).toMatchObject({ cycle: 2, attempt: 2 })
    expect(world.steps('review').at(-1)?.ask).toContain('issue 1 was waived by a person')
  })

  test('asks its reviewer even with develop.until: claim', () => {
    const world = new World({ maxCycles: 5, until: 'claim' }).play({
      developer: [works(), works({ 'src/b.ts': [[1, 2]] })],
      reviewer: times(2, requests(leak)),
    })
    world.person(waive(1)).goOn('retry')
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 2 },
    })
    expect(world.sessions('developer')).toHaveLength(2)
  })

  test('needs a person if the reviewer still wants changes and lists nothing new', () => {
    const world = stalled()
      .person(waive(1))
      .goOn('retry', { reviewer: times(3, requests(leak)) })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      review: { cycle: 2 },
    })
  })

  test('asks its reviewer within the same cycle even after max_cycles, with every gate run again', () => {
    const gates = [{ name: 'test', command: 'npm test', kind: 'gate' as const }]
    const world = new World({ maxCycles: 1, gates }).play({ reviewer: [requests(leak)] }).person(waive(1))
    world.goOn('retry', { reviewer: [judges({ verdict: 'CHANGES_REQUESTED', issues: [finding(slow)] })] })
    expect(world.loop).toMatchObject({ standing: { reason: 'max_cycles' }, review: { cycle: 1 } })
    expect(openBlocking(world.loop.review.ledger)).toMatchObject([{ number: 2 }])
  })

  test('goes to the developer if one issue still blocks, or if the developer had already started on it', () => {
    const two = new World({ maxCycles: 5 }).play({
      developer: [works(), works({ 'src/c.ts': [[1, 2]] })],
      reviewer: times(2, requests(leak, slow)),
    })
    two.person(waive(1)).goOn('retry')
    expect(two.sessions('developer')).toHaveLength(3)
    const begun = new World({ agentRetries: 0 }).play({
      developer: [works(), fails()],
      reviewer: [requests(leak)],
    })
    begun.person(waive(1)).goOn('retry')
    expect(begun.sessions('developer')).toHaveLength(3)
    expect(begun.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 2 } })
  })

  test('goes to the developer if the person had asked for that before', () => {
    const world = stalled()
      .person({ kind: 'improve', note: null, text: null })
      .person(waive(1))
      .claim()
      .play()
    expect(world.loop.standing.status).toBe('awaiting_review')
    expect(world.sessions('developer')).toHaveLength(3)
  })

  test('still goes to the developer if the person asks for that', () => {
    const world = stalled().person(waive(1))
    world.goOn({ kind: 'improve', note: 'Shorter.', text: null })
    expect(world.loop.standing.status).toBe('awaiting_review')
    expect(world.sessions('developer')).toHaveLength(3)
  })

  test('does not send a waived issue to the developer, even if it came from the person’s own verdict', () => {
    const world = new World({ reviewed: false }).play({})
    world.person({ kind: 'verdict', verdict: 'CHANGES_REQUESTED', why: 'It leaks.' })
    world.person(waive(1)).person({ kind: 'improve', note: null, text: null })
    expect(world.all('loop.feedback').at(-1)?.feedback).toMatchObject({ from: 'review', issues: [] })
  })
})

test('whatever people and agents do, a waived issue stays waived, never blocks, and never goes to the developer', () => {
  let waivers = 0
  let reported = 0
  fc.assert(
    fc.property(anyPolicy, anyBehaviour, anyPersonTurns, (policy, behaviour, turns) => {
      const world = new World(policy).play(endlessly(behaviour))
      for (const turn of turns) lead(world, turn)
      const waived = new Set<number>()
      for (const event of world.events) {
        if (event.type === 'issue.waived') waived.add(event.data.issue)
        if (event.type === 'issue.opened') expect(waived.has(event.data.issue)).toBe(false)
        if (event.type === 'loop.feedback' && event.data.feedback.from === 'review') {
          for (const { issue } of event.data.feedback.issues) expect(waived.has(issue)).toBe(false)
        }
        if (event.type === 'review.completed' && waived.size > 0) reported += 1
      }
      waivers += waived.size
      for (const { number, status } of world.loop.review.ledger)
        expect(status === 'waived').toBe(waived.has(number))
      for (const { number } of openBlocking(world.loop.review.ledger)) expect(waived.has(number)).toBe(false)
    }),
    { numRuns: samples(300) },
  )
  expect(waivers).toBeGreaterThan(0)
  expect(reported).toBeGreaterThan(0)
})
