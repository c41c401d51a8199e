/** What is true for every loop, whatever its agents and a person do with it. */

import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import type { StoredEvent } from '../../src/core/event.ts'
import { evolve, foldLoop } from '../../src/core/evolve.ts'
import { decideMove } from '../../src/core/person/move.ts'
import { summarise } from '../../src/core/summary.ts'
import { fc, samples } from '../support/random.ts'
import {
  anyBeginning,
  anyOrKindBehaviour,
  anyPersonTurns,
  anyPolicy,
  type Beginning,
  endlessly,
  type PersonTurn,
} from './arbitrary.ts'
import { lead } from './lead.ts'
import { headIn, standingIn } from './standing.ts'
import { World } from './world.ts'

const runs = samples(200)

/** Plays a loop, continues it after each of a person's moves, and then checks the property. */
function ofEveryLedLoop(holds: (world: World, beginning: Beginning, turns: PersonTurn[]) => void) {
  fc.assert(
    fc.property(
      anyPolicy,
      anyBeginning,
      anyOrKindBehaviour,
      anyPersonTurns,
      (policy, beginning, behaviour, turns) => {
        const { type, inherited } = beginning
        const world = new World(policy, { type, of: inherited && 3 }, inherited)
        world.play(endlessly(behaviour))
        for (const turn of turns) lead(world, turn)
        holds(world, beginning, turns)
      },
    ),
    { numRuns: runs },
  )
}

/** The events from each move of a person up to the next one. */
function afterMoves(events: StoredEvent[]): { move: string; before: StoredEvent[]; after: StoredEvent[] }[] {
  return events.flatMap((event, index) => {
    if (event.type !== 'person.decided') return []
    const next = events.findIndex((other, at) => at > index && other.type === 'person.decided')
    const after = events.slice(index + 1, next === -1 ? undefined : next)
    return [{ move: event.data.move, before: events.slice(0, index), after }]
  })
}

function rolesIn(events: StoredEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'session.started' ? [event.data.role] : []))
}

describe('a loop that a person leads', () => {
  test('always stops again, and says why and which commands come next', () => {
    ofEveryLedLoop((world) => {
      const { loop } = world
      const { status, verdict, reason, detail, recovery } = summarise(loop)
      expect(decide(loop)).toEqual({ do: 'rest' })
      expect({ claim: loop.claim, session: loop.turn.session }).toEqual({ claim: null, session: null })
      expect(['completed', 'blocked', 'failed', 'awaiting_review', 'cancelled']).toContain(status)
      const stopped = status === 'blocked' || status === 'failed'
      expect(reason !== null).toBe(stopped)
      if (stopped) expect(detail).toMatch(/\S/)
      expect(recovery.length > 0).toBe(stopped || status === 'awaiting_review')
      if (status === 'completed') expect(verdict === null || verdict === 'APPROVED').toBe(true)
    })
  })

  test('is the same when its events are folded again, even after a round trip through JSON', () => {
    ofEveryLedLoop((world) => {
      const events: StoredEvent[] = JSON.parse(JSON.stringify(world.events))
      expect(foldLoop(events)).toEqual(world.loop)
      expect(JSON.parse(JSON.stringify(world.loop))).toEqual(world.loop)
    })
  })

  test('continues with the same step, whichever worker claims it next', () => {
    ofEveryLedLoop((world) => {
      for (const { step, loop } of world.trace) {
        if (step.do === 'rest' || !loop.policy) continue
        const claimed = {
          type: 'loop.claimed',
          data: { run: 2, worker: 'another', policy: loop.policy },
          seq: 0,
          stream: 'task/7',
          version: loop.version,
          at: '2026-01-02T00:00:00.000Z',
        } as const
        expect(decide(evolve(loop, claimed))).toEqual(step)
      }
    })
  })

  test('never has more reviews than its limits and the person allow', () => {
    ofEveryLedLoop((world) => {
      const limits = world.all('loop.claimed').map(({ policy }) => policy.maxCycles)
      const moves = world.all('person.decided').filter(({ move }) => move !== 'cancel' && move !== 'merge')
      // Approved work that can't be merged with what landed meanwhile gets one more review each time.
      const granted = moves.length + world.all('loop.resolving').length
      expect(world.loop.review.cycle).toBeLessThanOrEqual(Math.max(...limits) + granted)
      const judged = new Set(world.all('review.completed').map((review) => review.cycle))
      expect([...judged]).toEqual(Array.from({ length: world.loop.review.cycle }, (_, index) => index + 1))
      for (const { cycle, maxCycles } of world.all('loop.reviewing')) {
        // A retry raises the limit only when it happens.
        if (!moves.some(({ move }) => move === 'retry')) expect(cycle).toBeLessThanOrEqual(maxCycles)
      }
    })
  })

  test('gives every session of a turn its own number, without a gap', () => {
    ofEveryLedLoop((world) => {
      const seen = new Map<string, number>()
      for (const { role, iteration, cycle, attempt } of world.all('session.started')) {
        const turn = role === 'developer' ? `iteration ${iteration}` : `${role} ${cycle} of ${iteration}`
        expect(attempt).toBe((seen.get(turn) ?? 0) + 1)
        seen.set(turn, attempt)
      }
    })
  })
})

describe('a step by hand', () => {
  test('that is a review starts no developer, and judges at most once', () => {
    let reviews = 0
    ofEveryLedLoop((world) => {
      for (const { step, loop } of world.trace)
        if (loop.asked === 'review') expect(step.do).not.toBe('develop')
      for (const { move, after } of afterMoves(world.events)) {
        if (move !== 'review') continue
        expect(rolesIn(after)).not.toContain('developer')
        const judged = after.flatMap((event) => (event.type === 'review.completed' ? [event.data.cycle] : []))
        expect(new Set(judged).size).toBeLessThanOrEqual(1)
        reviews += judged.length
      }
    })
    expect(reviews).toBeGreaterThan(0)
  })

  test('that is an improvement starts no reviewer and no gate, and takes one turn', () => {
    let turns = 0
    ofEveryLedLoop((world) => {
      for (const { step, loop } of world.trace) {
        if (loop.asked === 'improve') expect(['review', 'parse', 'gate', 'land']).not.toContain(step.do)
      }
      for (const { move, after } of afterMoves(world.events)) {
        if (move !== 'improve') continue
        expect(rolesIn(after)).not.toContain('reviewer')
        const iterations = after.flatMap((event) =>
          event.type === 'loop.developing' ? [event.data.iteration] : [],
        )
        expect(new Set(iterations).size).toBeLessThanOrEqual(1)
        turns += iterations.length
      }
    })
    expect(turns).toBeGreaterThan(0)
  })

  test('that is a merge starts no agent', () => {
    ofEveryLedLoop((world) => {
      for (const { move, after } of afterMoves(world.events)) {
        if (move === 'merge') expect(rolesIn(after)).toEqual([])
      }
    })
  })

  test('is over once it has a result, and otherwise a retry repeats it', () => {
    ofEveryLedLoop((world) => {
      const {
        standing: { status, reason },
        asked: hand,
      } = world.loop
      if (status === 'completed' || status === 'awaiting_review') expect(hand).toBeNull()
      if (hand !== null) expect(['blocked', 'failed', 'cancelled']).toContain(status)
      if (hand === 'review') expect(['changes_requested', 'rejected', 'stalled']).not.toContain(reason)
      if (hand === null || status === 'cancelled') return
      // After a retry, a conflict goes to a resolver, even if a person's own merge met it first.
      const isConflict = reason === 'conflict' && world.loop.turn.phase === 'land'
      expect(world.person('retry').loop.asked).toBe(isConflict ? null : hand)
    })
  })
})

test('a review task never starts a developer, whatever a person does with it', () => {
  ofEveryLedLoop((world, { type }) => {
    if (type === 'review') expect(world.sessions('developer')).toEqual([])
  })
})

describe('an approval', () => {
  test('comes from a review of exactly the current tree, or from a person', () => {
    let approvals = 0
    ofEveryLedLoop((world) => {
      world.events.forEach((event, index) => {
        if (event.type !== 'loop.approved') return
        approvals += 1
        const { by, review: id, tree } = event.data
        const before = world.events.slice(0, index)
        expect(tree).toBe(headIn(before))
        if (by === 'person') {
          expect(before.at(-1)).toMatchObject({ type: 'person.decided', data: { verdict: 'APPROVED' } })
          return
        }
        const review = before.flatMap((one) => (one.type === 'review.completed' ? [one.data] : [])).at(-1)
        expect(review).toMatchObject({ review: id, tree, body: { verdict: 'APPROVED', blocking: false } })
      })
    })
    expect(approvals).toBeGreaterThan(0)
  })

  test('stands exactly as long as the completed task has the verdict APPROVED', () => {
    ofEveryLedLoop(({ loop }) => {
      if (loop.standing.status !== 'completed') return
      const stands =
        loop.landing.approval !== null && loop.landing.approval.tree === (loop.work.head?.tree ?? null)
      expect(loop.standing.verdict).toBe(stands ? 'APPROVED' : null)
      expect(loop.landing.approval !== null).toBe(stands)
    })
  })
})

describe('landing', () => {
  test('merges only an approved tree, or a completed one that a person merges', () => {
    let landings = 0
    ofEveryLedLoop((world) => {
      world.events.forEach((event, index) => {
        if (!['loop.landing', 'loop.integrated', 'loop.landed'].includes(event.type)) return
        landings += 1
        const before = world.events.slice(0, index)
        const standing = standingIn(before)
        expect(standing).not.toBeNull()
        expect(standing?.tree).toBe(headIn(before))
        expect(standing?.by === 'approval' || standing?.merged).toBe(true)
      })
      for (const { step, loop } of world.trace) {
        if (step.do === 'land') expect(step.sha).toBe(loop.work.head?.sha)
      }
    })
    expect(landings).toBeGreaterThan(0)
  })

  test('happens once, keeps the verdict and ends the task', () => {
    ofEveryLedLoop((world, _, turns) => {
      const [landed, ...more] = world.all('loop.landed')
      expect(more).toEqual([])
      if (!landed) return expect(world.loop.landing.landed).toBeNull()
      const at = world.events.findIndex((event) => event.type === 'loop.landed')
      const standing = standingIn(world.events.slice(0, at))
      expect(world.loop).toMatchObject({
        standing: { status: 'completed', verdict: standing?.by === 'approval' ? 'APPROVED' : null },
        landing: { landed: { base: 'main', commit: landed.commit } },
      })
      expect(at).toBe(world.events.length - 1)
      for (const { move } of turns) expect(decideMove(world.loop, move, 'ada').kind).toBe('refused')
    })
  })

  test('happens only if the configuration or a person says so', () => {
    ofEveryLedLoop((world) => {
      world.events.forEach((event, index) => {
        if (event.type !== 'loop.landing') return
        const before = world.events.slice(0, index)
        const wanted = before.some(
          ({ type, data }) =>
            (type === 'loop.approved' && 'lands' in data && data.lands) ||
            (type === 'person.decided' && 'move' in data && data.move === 'merge'),
        )
        expect(wanted).toBe(true)
      })
    })
  })
})
