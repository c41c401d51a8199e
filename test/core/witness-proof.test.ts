/** What witnesses do to issues under each `review.proof`, and when Umpire runs them. */

import { describe, expect, test } from 'vitest'
import { openBlocking } from '../../src/core/review/ledger.ts'
import { outcomeOf } from '../../src/core/review/witness-proof.ts'
import { fc, samples } from '../support/random.ts'
import { anyBehaviour, anyPolicy, endlessly } from './arbitrary.ts'
import { approves, requests, times, works } from './turns.ts'
import { World } from './world.ts'

const shown = {
  file: 'src/a.ts',
  line: 3,
  type: 'bug',
  description: 'It leaks.',
  witness: ['./check'],
} as const
const claim = { file: 'src/a.ts', line: 9, type: 'bug', description: 'It is slow.' } as const

/** Issues as the reviewer reports them. The types require a mutable list. */
const issues = (...list: (Omit<typeof shown, 'witness'> & { witness?: readonly string[] })[] | object[]) =>
  list.map((issue) => JSON.parse(JSON.stringify(issue)))

const reviewedOnce = (proof: 'off' | 'prefer' | 'require', witnesses: Parameters<World['play']>[0] = {}) =>
  new World({ proof, maxCycles: 1 }).play({
    reviewer: times(2, requests(...issues(shown, claim))),
    ...witnesses,
  })

test('the exit code of a witness proves its issue, disproves it, or proves nothing', () => {
  expect([0, 1, 2, 125].map(outcomeOf)).toEqual(['unproven', 'proven', 'proven', 'proven'])
  expect([126, 127, 128, 137, 255, null].map(outcomeOf)).toEqual(times(6, 'unclear'))
})

describe('proof: prefer', () => {
  test('a witness that fails proves its issue, and an issue without a witness still blocks', () => {
    const world = reviewedOnce('prefer', { witnesses: ['proven'] })
    expect(world.steps('witness')).toEqual([
      { do: 'witness', issues: [1], tree: world.loop.work.head?.tree, review: world.loop.review.last?.id },
    ])
    expect(openBlocking(world.loop.review.ledger)).toMatchObject([
      { number: 1, proof: { outcome: 'proven', exitCode: 1 } },
      { number: 2, proof: null },
    ])
  })

  test('a witness that passes makes its issue advisory', () => {
    const world = reviewedOnce('prefer', { witnesses: ['unproven'] })
    expect(openBlocking(world.loop.review.ledger)).toMatchObject([{ number: 2 }])
    expect(world.loop.review.ledger[0]).toMatchObject({
      severity: 'advisory',
      claimed: 'blocking',
      status: 'open',
    })
  })

  test.each(['unclear', 'not run'] as const)('a witness that is %s changes nothing', (outcome) => {
    const world = reviewedOnce('prefer', { witnesses: [outcome] })
    expect(openBlocking(world.loop.review.ledger)).toHaveLength(2)
  })

  test('if only unproven issues remain, Umpire tells the reviewer once, and then asks a person', () => {
    const world = new World({ proof: 'prefer' }).play({
      reviewer: times(2, requests(...issues(shown))),
      witnesses: ['unproven', 'proven'],
    })
    expect(world.loop).toMatchObject({
      standing: { status: 'blocked', reason: 'needs_discussion' },
      review: { cycle: 1 },
    })
    expect(world.steps('review').at(-1)?.ask).toContain('issue 1 has a witness that passes on this tree')
    // The witness does not run again on the same tree. Repeating the issue does not help.
    expect(world.all('issue.proven').map(({ outcome }) => outcome)).toEqual(['unproven', 'unproven'])
  })

  test('another witness for the same issue runs, and goes to the developer if it fails', () => {
    const world = new World({ proof: 'prefer', maxCycles: 2 }).play({
      reviewer: [
        requests(...issues(shown)),
        requests(...issues({ ...shown, witness: ['./other'] })),
        approves,
      ],
      witnesses: ['unproven', 'proven'],
    })
    expect(world.loop.standing.status).toBe('completed')
    expect(world.all('loop.feedback')).toMatchObject([
      { feedback: { issues: [{ issue: 1, severity: 'blocking', witness: ['./other'] }] } },
    ])
  })
})

test('runs a new witness even if nothing else in the issue changed', () => {
  const world = new World({ proof: 'prefer', maxCycles: 2 }).play({
    developer: times(2, works({ 'src/a.ts': [[1, 99]] })),
    reviewer: [requests(...issues(shown)), requests(...issues({ ...shown, witness: ['./other'] }))],
    witnesses: ['unclear', 'unclear', 'proven'],
  })
  expect(world.loop.review.ledger).toMatchObject([{ witness: ['./other'], proof: { outcome: 'proven' } }])
})

describe('proof: require', () => {
  test('only a proven issue blocks, or one whose witness Umpire could not run', () => {
    const blocking = (outcome: 'proven' | 'unproven' | 'unclear' | 'not run') =>
      openBlocking(reviewedOnce('require', { witnesses: [outcome] }).loop.review.ledger).map(
        ({ number }) => number,
      )
    expect(blocking('proven')).toEqual([1])
    expect(blocking('not run')).toEqual([1])
    expect(blocking('unclear')).toEqual([])
    expect(blocking('unproven')).toEqual([])
  })

  test('tells the reviewer which of its issues lack a proof', () => {
    const world = reviewedOnce('require', { witnesses: ['unproven', 'unproven'] })
    expect(world.loop).toMatchObject({ standing: { status: 'blocked', reason: 'needs_discussion' } })
    expect(world.steps('review').at(-1)?.ask).toMatch(
      /issue 1 has a witness that passes.*; issue 2 has no witness that proves it/,
    )
  })
})

test('proof: off runs nothing', () => {
  const world = reviewedOnce('off')
  expect(world.steps('witness')).toEqual([])
  expect(openBlocking(world.loop.review.ledger)).toHaveLength(2)
})

describe('in a later cycle', () => {
  const late = { ...shown, file: 'src/old.ts', type: 'pattern-violation', description: 'Odd.' } as const

  test.each([
    ['proven', { severity: 'blocking', late: false }],
    ['unproven', { severity: 'advisory', late: true }],
    ['unclear', { severity: 'advisory', late: true }],
  ] as const)('a late finding whose witness is %s is %o', (outcome, weight) => {
    const world = new World({ proof: 'prefer', maxCycles: 2 }).play({
      developer: times(2, works({ 'src/a.ts': [[1, 99]] })),
      reviewer: [requests(...issues(claim)), requests(...issues(claim, late))],
      witnesses: [outcome],
    })
    expect(world.loop.review.ledger[1]).toMatchObject(weight)
  })

  test('the witness of a proven issue runs on the new tree before the review, and counts after it without running again', () => {
    const world = new World({ proof: 'prefer', maxCycles: 3 }).play({
      developer: times(3, works({ 'src/a.ts': [[1, 99]] })),
      reviewer: times(3, requests(...issues(shown))),
      witnesses: ['proven', 'unproven'],
    })
    const [first, before, after] = world.all('issue.proven')
    expect(first).toMatchObject({ outcome: 'proven', severity: 'blocking' })
    expect(before).toMatchObject({ outcome: 'unproven', review: null })
    expect(before).not.toHaveProperty('severity')
    expect(after).toMatchObject({ outcome: 'unproven', severity: 'advisory', tree: before?.tree })
    // The reviewer says that the issue is still open, but its own witness passes.
    expect(world.loop).toMatchObject({ standing: { reason: 'needs_discussion' }, review: { cycle: 2 } })
  })
})

test('whatever agents do, no witness runs twice on the same tree, and an unproven issue does not block', () => {
  let demoted = 0
  fc.assert(
    fc.property(anyPolicy, anyBehaviour, (policy, behaviour) => {
      const world = new World(policy).play(endlessly(behaviour))
      const asked = world.steps('witness')
      if (policy.proof === 'off') expect(asked).toEqual([])
      for (const { step, loop } of world.trace) {
        for (const { number, proof, since } of step.do === 'witness' ? loop.review.ledger : []) {
          if (step.do !== 'witness' || !step.issues.includes(number)) continue
          for (const run of [proof, since])
            expect(run?.tree === step.tree && run.review === step.review).toBe(false)
        }
        if (step.do !== 'record' || step.events[0].type !== 'loop.feedback') continue
        const { feedback } = step.events[0].data
        if (feedback.from !== 'review' || policy.proof === 'off') continue
        for (const { proof, witness } of openBlocking(loop.review.ledger)) {
          demoted += loop.review.ledger.filter((issue) => issue.proof?.outcome === 'unproven').length
          expect(proof?.outcome).not.toBe('unproven')
          if (policy.proof === 'require') expect(['proven', 'not run']).toContain(proof?.outcome)
          if (witness !== null) expect(proof?.review).toBe(loop.review.last?.id)
        }
      }
    }),
    { numRuns: samples(300) },
  )
  expect(demoted).toBeGreaterThan(0)
})
