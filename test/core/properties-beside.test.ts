/** What is true for every loop with a panel and checkpoints, whatever its agents do. */

import { expect, test } from 'vitest'
import type { Policy } from '../../src/core/policy/policy.ts'
import { approvalsNeeded } from '../../src/core/review/panel-verdict.ts'
import { fc, samples } from '../support/random.ts'
import { anyBehaviour, anyPolicy, endlessly } from './arbitrary.ts'
import { World } from './world.ts'

const anySeats = fc.constantFrom<Pick<Policy, 'seats' | 'approveBy'>>(
  { seats: 1, approveBy: 'all' },
  { seats: 2, approveBy: 'all' },
  { seats: 2, approveBy: 'any' },
  { seats: 3, approveBy: { quorum: 2 } },
)

/** Checkpoints do anything that reviewers do. */
function ofEveryLoop(holds: (world: World, policy: Policy) => void) {
  const every = fc.constantFrom(null, 1, 2)
  fc.assert(
    fc.property(anyPolicy, anySeats, every, anyBehaviour, (usual, seats, checkpointEvery, behaviour) => {
      const policy = { ...usual, ...seats, checkpointEvery }
      const script = endlessly(behaviour)
      const checkpoints = endlessly(behaviour).reviewer ?? []
      holds(new World(policy).play({ ...script, checkpoints }), policy)
    }),
    { numRuns: samples(150) },
  )
}

test('it ends, and no parallel session is left running', () => {
  ofEveryLoop(({ loop }) => {
    expect(['completed', 'blocked', 'failed', 'awaiting_review']).toContain(loop.standing.status)
    expect(loop.turn.beside).toEqual([])
  })
})

test('a panel never approves with fewer approvals of the tree than it needs', () => {
  ofEveryLoop((world, { seats, approveBy }) => {
    if (seats === 1) return
    for (const approval of world.all('loop.approved')) {
      const completed = world.all('review.completed').find(({ review }) => review === approval.review)
      const sessions = completed?.seats?.map(({ session }) => session) ?? []
      const approving = world
        .all('review.given')
        .filter(
          ({ session, body, tree }) =>
            sessions.includes(session) && body.verdict === 'APPROVED' && tree === approval.tree,
        )
      expect(approving.length).toBeGreaterThanOrEqual(approvalsNeeded(seats, approveBy))
    }
  })
})

test('a checkpoint approves nothing, costs no cycle and does not change the ledger', () => {
  ofEveryLoop((world) => {
    const reviews = new Set(world.all('loop.checkpoint').map(({ review }) => review))
    expect(world.all('loop.approved').filter(({ review }) => reviews.has(review ?? ''))).toEqual([])
    expect(world.all('issue.opened').filter(({ review }) => reviews.has(review))).toEqual([])
    expect(world.loop.review.cycle).toBe(
      Math.max(0, ...world.all('review.completed').map(({ cycle }) => cycle)),
    )
  })
})

test('each turn has at most one checkpoint, and only at the interval', () => {
  ofEveryLoop((world, { checkpointEvery }) => {
    const at = world.all('loop.interval').map(({ iteration }) => iteration)
    expect(new Set(at).size).toBe(at.length)
    expect(at.filter((iteration) => iteration % (checkpointEvery ?? 1) !== 0)).toEqual([])
    if (checkpointEvery === null) expect(at).toEqual([])
  })
})

test('folding its events again gives the same loop', () => {
  ofEveryLoop((world) => {
    expect(world.refolded()).toEqual(world.loop)
  })
})
