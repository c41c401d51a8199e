/** Panels: how many seats must approve, how their findings are combined, and what happens if a seat is absent. */
import { describe, expect, test } from 'vitest'
import type { ApproveBy } from '../../src/core/policy/policy.ts'
import { combinePanel, type SeatAnswer } from '../../src/core/review/panel-verdict.ts'
import type { ReportedIssue, Review } from '../../src/core/review/review.ts'
import { summarise } from '../../src/core/summary.ts'
import { approves, fails, finding, judges, requests, tampers, times, unreadable, vanishes } from './turns.ts'
import { World } from './world.ts'

function says(seat: number, verdict: Review['verdict'], ...issues: Partial<ReportedIssue>[]): SeatAnswer {
  const body: Review = {
    verdict,
    summary: `Words of ${seat}.`,
    interpretedIntent: null,
    intentSatisfied: null,
    scores: {},
    blocking: false,
    issues: issues.map(finding),
  }
  return { seat, agent: `agent${seat}`, body }
}

function verdictOf(approveBy: ApproveBy, ...verdicts: (Review['verdict'] | null)[]) {
  const answers = verdicts.flatMap((verdict, index) => (verdict === null ? [] : [says(index + 1, verdict)]))
  return combinePanel(answers, verdicts.length, approveBy)?.verdict ?? null
}

describe('how many must approve', () => {
  test('all: one seat that is absent or asks for changes prevents an approval', () => {
    expect(verdictOf('all', 'APPROVED', 'APPROVED')).toBe('APPROVED')
    expect(verdictOf('all', 'APPROVED', 'CHANGES_REQUESTED')).toBe('CHANGES_REQUESTED')
    expect(verdictOf('all', 'APPROVED', null)).toBeNull()
    expect(verdictOf('all', null, null)).toBeNull()
  })

  test('any: one approval is enough and necessary', () => {
    expect(verdictOf('any', 'CHANGES_REQUESTED', 'APPROVED', null)).toBe('APPROVED')
    expect(verdictOf('any', 'CHANGES_REQUESTED', null)).toBe('CHANGES_REQUESTED')
    expect(verdictOf('any', null, null)).toBeNull()
  })

  test('a quorum counts approvals, not answers', () => {
    expect(verdictOf({ quorum: 2 }, 'APPROVED', 'CHANGES_REQUESTED', 'APPROVED')).toBe('APPROVED')
    expect(verdictOf({ quorum: 2 }, 'APPROVED', 'CHANGES_REQUESTED', null)).toBe('CHANGES_REQUESTED')
    expect(verdictOf({ quorum: 2 }, 'APPROVED', null, null)).toBeNull()
  })

  test('a seat that rejects the work or asks for a person can’t be outvoted', () => {
    expect(verdictOf('any', 'APPROVED', 'REJECTED', 'NEEDS_DISCUSSION')).toBe('REJECTED')
    expect(verdictOf('any', 'APPROVED', 'NEEDS_DISCUSSION')).toBe('NEEDS_DISCUSSION')
    const wants = says(2, 'CHANGES_REQUESTED')
    wants.body.blocking = true
    expect(combinePanel([says(1, 'APPROVED'), wants], 2, 'any')).toMatchObject({
      verdict: 'CHANGES_REQUESTED',
      blocking: true,
    })
  })
})

describe('the findings of a panel', () => {
  const place = { file: 'src/a.ts', line: 10, type: 'bug' } as const

  test('become one issue if place and type agree, with all descriptions', () => {
    const review = combinePanel(
      [
        says(1, 'CHANGES_REQUESTED', { ...place, severity: 'advisory', description: 'It may crash.' }),
        says(2, 'CHANGES_REQUESTED', {
          ...place,
          file: './src/a.ts',
          type: 'missing-error-handling',
          description: 'An empty list is not handled.',
          witness: ['node', 'fails.js'],
        }),
      ],
      2,
      'all',
    )
    expect(review?.issues).toHaveLength(1)
    expect(review?.issues[0]).toMatchObject({
      ...place,
      severity: 'blocking',
      witness: ['node', 'fails.js'],
      description: 'It may crash. (seat 1, agent1)\n\nAn empty list is not handled. (seat 2, agent2)',
    })
  })

  test('stay separate if place, type or description differ', () => {
    const one = { ...place, description: 'It may crash on an empty list.' }
    for (const other of [
      { ...one, file: 'src/b.ts' },
      { ...one, line: 40 },
      { ...one, type: 'test-gap' as const },
      { ...one, line: 12, description: 'Nobody closes this handle.' },
      { ...one, line: null, description: 'Nobody closes this handle.' },
    ]) {
      const answers = [says(1, 'CHANGES_REQUESTED', one), says(2, 'CHANGES_REQUESTED', other)]
      expect(combinePanel(answers, 2, 'all')?.issues, JSON.stringify(other)).toHaveLength(2)
    }
    // Two findings of the same reviewer are never merged.
    expect(combinePanel([says(1, 'CHANGES_REQUESTED', one, one)], 1, 'all')?.issues).toHaveLength(2)
  })

  test('leave an issue open as long as one seat says so', () => {
    const known = { id: '3', description: '' }
    const review = combinePanel(
      [
        says(1, 'APPROVED', { ...known, status: 'resolved', severity: 'advisory' }),
        says(2, 'CHANGES_REQUESTED', { ...known, status: 'open' }),
      ],
      2,
      'all',
    )
    expect(review?.issues).toEqual([
      expect.objectContaining({ id: '3', status: 'open', severity: 'blocking' }),
    ])
  })
})

describe('a loop with a panel', () => {
  const panel = (approveBy: ApproveBy, seats = 2) => new World({ seats, approveBy, agentRetries: 1 })

  test('asks all seats at once and combines their answers into one review', () => {
    const world = panel('all', 3).play()
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 1 },
    })
    expect(world.steps('review')).toHaveLength(1)
    expect(world.all('review.given').map(({ seat }) => seat)).toEqual([1, 2, 3])
    const [review, ...more] = world.all('review.completed')
    expect(more).toEqual([])
    expect(review?.seats?.map(({ seat, verdict }) => [seat, verdict])).toEqual([
      [1, 'APPROVED'],
      [2, 'APPROVED'],
      [3, 'APPROVED'],
    ])
    expect(world.refolded()).toEqual(world.loop)
  })

  test('sends the work back with the findings of any seat, and asks all seats again', () => {
    const world = panel('all').play({ reviewer: [approves, requests({ description: 'No.' })] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 2 },
      turn: { revisions: 1 },
    })
    expect(world.all('review.given')).toHaveLength(4)
  })

  test('keeps the blocking issues of an outvoted seat as advisory issues', () => {
    const world = panel('any').play({ reviewer: [approves, requests({ description: 'No.', file: 'a' })] })
    expect(world.loop).toMatchObject({
      standing: { status: 'completed', verdict: 'APPROVED' },
      review: { cycle: 1 },
    })
    expect(world.loop.review.ledger).toEqual([
      expect.objectContaining({
        severity: 'advisory',
        status: 'open',
        description: 'Dissent of seat 2 (scripted): No.',
      }),
    ])
  })

  test('asks only a failed seat again, and keeps the answers of the others', () => {
    const world = panel('all').play({ reviewer: [fails(), approves, approves] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    expect(world.steps('review').map(({ seats }) => seats?.map(({ seat }) => seat))).toEqual([[1, 2], [1]])
  })

  test('does not count an absent seat as an approval: the task fails as with one reviewer', () => {
    const world = panel('all').play({ reviewer: [fails(), approves, fails()] })
    expect(world.loop).toMatchObject({
      standing: { status: 'failed', reason: 'crash' },
      review: { cycle: 0 },
    })
    expect(world.loop.standing.detail).toContain('seat 1: it broke down')
    world.goOn('retry')
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    // Seat 2 had answered and is not paid twice.
    expect(world.all('review.given').map(({ seat }) => seat)).toEqual([2, 1])
  })

  test('asks an unreadable seat again up to review.retries times, then counts it as absent', () => {
    const blocked = panel('all').play({ reviewer: [unreadable, approves, unreadable] })
    expect(blocked.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'malformed_review' },
      review: { cycle: 0 },
    })
    const passed = panel('any').play({ reviewer: [unreadable, approves, unreadable] })
    expect(passed.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    expect(passed.all('review.completed')[0]?.seats).toMatchObject([
      { verdict: null },
      { verdict: 'APPROVED' },
    ])
  })

  test('voids the review if a seat tampers, whatever the others say', () => {
    const world = panel('any').play({ reviewer: [approves, tampers] })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'reviewer_tampered' },
      review: { cycle: 0 },
    })
  })

  test('spends no retry on a seat whose keeper vanishes', () => {
    const world = panel('all').play({ reviewer: [vanishes, ...times(12, approves)] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
  })

  test('counts outvoted seats next to the approval, but not absent ones', () => {
    const against = panel('any', 3).play({ reviewer: [approves, requests(), fails(), fails()] })
    expect(summarise(against.loop)).toMatchObject({ verdict: 'APPROVED', dissent: 1 })
    expect(summarise(panel('all').play().loop)).toMatchObject({ verdict: 'APPROVED', dissent: 0 })
  })

  test('asks all seats again after a waiver', () => {
    const world = new World({ seats: 2, maxCycles: 1 }).play({ reviewer: [approves, requests()] })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'max_cycles' } })
    world.person({ kind: 'waive', issues: [1], why: 'It does not matter.' }).goOn('retry')
    expect(world.loop).toMatchObject({ standing: { status: 'completed', verdict: 'APPROVED' } })
    expect(world.all('review.given').map(({ seat }) => seat)).toEqual([1, 2, 1, 2])
  })

  test('asks all seats once more if they request changes without a blocking issue', () => {
    const vague = judges({ verdict: 'CHANGES_REQUESTED', issues: [finding({ severity: 'advisory' })] })
    const world = panel('all').play({ reviewer: [vague, vague, approves, approves] })
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 1 } })
    expect(world.steps('review')[1]?.seats?.map(({ ask }) => ask)).toEqual([
      expect.stringContaining('none of its issues is blocking'),
      expect.stringContaining('none of its issues is blocking'),
    ])
  })
})
