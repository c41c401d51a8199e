/** Umpire stops a loop whose reviews open more issues than they resolve, and shows the person the numbers. */
import { describe, expect, test } from 'vitest'
import type { ReportedIssue } from '../../src/core/review/review.ts'
import { requests, times, works } from './turns.ts'
import { World } from './world.ts'

/** A distinct finding per number. It is on lines that every revision changes, so that none is late. */
const found = (...numbers: number[]): Partial<ReportedIssue>[] =>
  numbers.map((number) => ({ file: 'src/a.ts', line: 1, description: `Finding ${number}.` }))

const rewrites = () => times(9, works({ 'src/a.ts': [[1, 99]] }))

describe('churning', () => {
  test('is reported from the third cycle on, if two cycles in a row opened more blocking issues than they resolved', () => {
    const world = new World({ maxCycles: 9 }).play({
      developer: rewrites(),
      reviewer: [requests(...found(1)), requests(...found(2, 3)), requests(...found(4, 5, 6))],
    })
    expect(world.loop).toMatchObject({
      standing: {
        status: 'blocked',
        reason: 'churning',
        verdict: 'CHANGES_REQUESTED',
        detail:
          'Each of the last two reviews opened more blocking issues than it resolved. ' +
          'Issues by review: 1: 1 opened; 2: 2 opened, 1 resolved; 3: 3 opened, 2 resolved.',
        recovery: [
          'umpire show 7',
          'umpire improve 7 --note "…"',
          'umpire waive 7 --issue 4 --why "…"',
          'umpire retry 7',
          'umpire edit 7 --verdict APPROVED',
        ],
      },
      review: { cycle: 3 },
    })
    expect(world.loop.turn.feedback).toMatchObject({ said: { from: 'review', cycle: 3 } })
  })

  test('is neither one such cycle, nor two with a better one between them', () => {
    const { loop } = new World({ maxCycles: 5 }).play({
      developer: rewrites(),
      reviewer: [
        requests(...found(1)),
        requests(...found(2, 3)),
        requests(...found(4, 5)),
        requests(...found(6, 7, 8)),
      ],
    })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 5 } })
  })

  test('counts reopened issues as opened, and ignores advisory ones', () => {
    const advisory = found(7, 8, 9).map((issue) => ({ ...issue, severity: 'advisory' as const }))
    const calm = new World({ maxCycles: 4 }).play({
      developer: rewrites(),
      reviewer: [
        requests(...found(1)),
        requests(...found(2), ...advisory),
        requests(...found(3), ...advisory),
      ],
    })
    expect(calm.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 4 } })
    const again = new World({ maxCycles: 9 }).play({
      developer: rewrites(),
      reviewer: [
        requests(...found(1, 2, 3)),
        requests(...found(4)),
        requests(...found(1, 2)),
        requests(...found(3, 4, 1, 2)),
      ],
    })
    expect(again.loop).toMatchObject({ standing: { reason: 'churning' }, review: { cycle: 4 } })
    expect(again.loop.standing.detail).toContain(
      '1: 3 opened; 2: 1 opened, 3 resolved; 3: 1 resolved, 2 reopened; 4: 2 reopened.',
    )
  })

  test('is hidden by max_cycles, and reported once a person raises max_cycles', () => {
    const world = new World({ maxCycles: 3 }).play({
      developer: rewrites(),
      reviewer: [requests(...found(1)), requests(...found(2, 3)), requests(...found(4, 5, 6))],
    })
    expect(world.loop).toMatchObject({
      standing: { reason: 'max_cycles', verdict: 'MAX_CYCLES_REACHED' },
      review: { cycle: 3 },
    })
    world.person('retry').claim({ maxCycles: 6 }).play()
    expect(world.loop).toMatchObject({ standing: { reason: 'churning' }, review: { cycle: 3 } })
    // The person has seen the report and continues the loop.
    expect(world.goOn('retry').loop).toMatchObject({
      standing: { status: 'completed' },
      review: { cycle: 4 },
    })
  })

  test('does not count issues that their witness disproves', () => {
    const disproven = (...numbers: number[]) =>
      found(...numbers).map((issue) => ({ ...issue, witness: ['true'] }))
    const { loop } = new World({ maxCycles: 4, proof: 'prefer' }).play({
      developer: rewrites(),
      reviewer: [
        requests(...found(1)),
        requests(...found(2), ...disproven(3)),
        requests(...found(4), ...disproven(5)),
      ],
      witnesses: times(9, 'unproven' as const),
    })
    expect(loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 4 } })
  })

  test('does not count issues that a person waived', () => {
    const world = new World({ maxCycles: 3 }).play({
      developer: rewrites(),
      reviewer: [requests(...found(1)), requests(...found(2, 3)), requests(...found(4, 5, 6))],
    })
    world
      .person({ kind: 'waive', issues: [4], why: 'No.' })
      .person('retry')
      .claim({ maxCycles: 6 })
      .play()
    expect(world.loop).toMatchObject({ standing: { status: 'completed' }, review: { cycle: 4 } })
  })
})

test('shows the ledger for a stalled loop, too', () => {
  const { loop } = new World({ maxCycles: 5 }).play({
    developer: [works(), works({ 'src/b.ts': [[1, 2]] })],
    reviewer: times(5, requests(...found(1))),
  })
  expect(loop).toMatchObject({ standing: { reason: 'stalled' } })
  expect(loop.standing.detail).toMatch(/ Issues by review: 1: 1 opened\.$/)
  expect(loop.standing.recovery).toContain('umpire waive 7 --issue 1 --why "…"')
})
