/** What is true for every loop, whatever its agents do. The other files here show each rule with examples. */

import { describe, expect, test } from 'vitest'
import { decide } from '../../src/core/decide.ts'
import type { StoredEvent } from '../../src/core/event.ts'
import { evolve, foldLoop } from '../../src/core/evolve.ts'
import type { Loop } from '../../src/core/loop.ts'
import { isHopeless } from '../../src/core/policy/failure.ts'
import { mostConflicts, mostReturns } from '../../src/core/policy/fixed-limits.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { openBlocking } from '../../src/core/review/ledger.ts'
import { noTries, type SessionStart } from '../../src/core/session/session.ts'
import { summarise } from '../../src/core/summary.ts'
import { fc, samples } from '../support/random.ts'
import { anyBehaviour, anyPolicy, type Behaviour, endlessly } from './arbitrary.ts'
import { World } from './world.ts'

const runs = samples(300)

/** Plays a loop to its end and then checks the property. */
function ofEveryLoop(holds: (world: World, policy: Policy, behaviour: Behaviour) => void) {
  fc.assert(
    fc.property(anyPolicy, anyBehaviour, (policy, behaviour) => {
      holds(new World(policy).play(endlessly(behaviour)), policy, behaviour)
    }),
    { numRuns: runs },
  )
}

/** The same, after up to three retries by a person. */
function ofEveryRetriedLoop(holds: (world: World, policy: Policy) => void) {
  fc.assert(
    fc.property(anyPolicy, fc.array(anyBehaviour, { minLength: 2, maxLength: 4 }), (policy, behaviours) => {
      const world = new World(policy)
      for (const [round, behaviour] of behaviours.entries()) {
        if (world.loop.standing.status === 'completed') break
        if (round > 0) world.person('retry').claim()
        world.play(endlessly(behaviour))
      }
      holds(world, policy)
    }),
    { numRuns: runs },
  )
}

/**
 * How many sessions one turn can take. At most nine losses in a row come before something else happens. Umpire waits
 * fifty times for rate limits with a known end, and shortens a prompt that is too long once.
 */
function sessionsPerTurn({ agentRetries }: Policy, interruptions: number): number {
  return (agentRetries + 2 + 50 + 1) * 10 + interruptions
}

/** A loop waits for a person to ask for its review only under `review.trigger: explicit`. */
function isOver({ standing: { status }, policy }: Loop): boolean {
  if (status === 'awaiting_review') return policy?.trigger === 'explicit'
  return ['completed', 'blocked', 'failed'].includes(status)
}

describe('a loop ends', () => {
  test('within its limits, whatever the agents do', () => {
    ofEveryLoop((world, policy, { interruptions }) => {
      expect(isOver(world.loop)).toBe(true)
      const { maxIterations, maxGateFailures, reviewRetries, gates } = policy
      // Each time approved work does not land, it gets one more review. The number of times is limited.
      const setbacks = world.all('loop.resolving').length
      expect(setbacks).toBeLessThanOrEqual((mostReturns + 1) * (mostConflicts - 1) + mostReturns)
      const maxCycles = policy.maxCycles + setbacks
      const perTurn = sessionsPerTurn(policy, interruptions.length)
      const turns = world.all('session.ended').filter(({ outcome }) => outcome.kind === 'done').length
      const backpressure = gates.filter((gate) => gate.kind === 'backpressure').length

      // Between two reviews gates may fail `maxGateFailures` times, and each time the work may have been empty once. A
      // review that a person interrupts counts as begun. A hook may refuse the commit before that review begins again.
      const begun = maxCycles + interruptions.length
      const mostTurns = policy.until === 'claim' ? maxIterations : begun * 2 * maxGateFailures
      expect(world.loop.turn.iteration).toBeLessThanOrEqual(mostTurns)
      expect(world.sessions('developer').length).toBeLessThanOrEqual(mostTurns * perTurn)
      // Two readable verdicts per cycle, because Umpire asks once more after an unusable one.
      expect(world.sessions('reviewer').length).toBeLessThanOrEqual(
        maxCycles * 2 * (reviewRetries + 1) * perTurn,
      )
      // A failed parser is started again, but no answer is parsed again after the parser has judged it readable or not.
      expect(world.sessions('parser').length).toBeLessThanOrEqual(
        world.all('review.answered').length * perTurn,
      )
      expect(world.all('gate.completed').filter(({ kind }) => kind !== 'hook').length).toBeLessThanOrEqual(
        turns * gates.length + backpressure,
      )
    })
  })

  test('again after a retry, whatever it had stopped for', () => {
    ofEveryRetriedLoop((world) => expect(isOver(world.loop)).toBe(true))
  })

  test('again if a person cancels it at any event and then retries it', () => {
    fc.assert(
      fc.property(anyPolicy, anyBehaviour, fc.nat(), (policy, behaviour, cut) => {
        const played = new World(policy).play(endlessly(behaviour))
        const world = new World(policy)
        world.append(...played.events.slice(2, 2 + (cut % (played.events.length - 1))))
        if (world.loop.standing.status === 'completed') return
        world.person('cancel')
        expect(decide(world.loop)).toEqual({ do: 'rest' })
        world.person('retry').claim().play(endlessly(behaviour))
        expect(isOver(world.loop)).toBe(true)
      }),
      { numRuns: runs },
    )
  })
})

describe('a loop that is released', () => {
  test('after a hopeless failure, before the task fails, runs again when it is claimed again', () => {
    let mended = 0
    fc.assert(
      fc.property(anyPolicy, anyBehaviour, (policy, behaviour) => {
        const played = new World(policy).play(endlessly(behaviour))
        for (const { loop } of played.trace) {
          const { last } = loop.turn.tries
          if (loop.standing.status !== 'in_progress' || loop.turn.session || !last || !isHopeless(last))
            continue
          mended += 1
          const world = new World(policy)
          world.append(...played.events.slice(2, loop.version))
          world.append({ type: 'loop.released', data: { why: 'interrupted' } }).claim()
          expect(world.loop.turn.tries).toEqual(noTries)
          expect(decide(world.loop)).not.toMatchObject({ events: [{ type: 'loop.failed' }] })
          expect(isOver(world.play(endlessly(behaviour)).loop)).toBe(true)
        }
      }),
      { numRuns: runs },
    )
    expect(mended).toBeGreaterThan(0)
  })
})

describe('an approval', () => {
  test('needs a readable APPROVED of exactly the current tree, without anything blocking', () => {
    let approvals = 0
    ofEveryRetriedLoop((world, policy) => {
      for (const [index, event] of world.events.entries()) {
        if (event.type !== 'loop.approved') continue
        approvals += 1
        const approved = event.data
        const then = foldLoop(world.events.slice(0, index + 1))
        const reviews = world.events.slice(0, index).flatMap((each) => (isReview(each) ? [each.data] : []))
        const review = reviews.find((completed) => completed.review === approved.review)
        expect(policy.reviewed).toBe(true)
        expect(review?.body.verdict).toBe('APPROVED')
        expect(review?.body.blocking).toBe(false)
        expect(review?.tree).toBe(then?.work.head?.tree)
        expect(approved.tree).toBe(then?.work.head?.tree)
        expect(review).toBe(reviews.at(-1))
        expect(openBlocking(then?.review.ledger ?? [])).toEqual([])
        expect(then?.work.head?.empty).toBe(false)
      }
      const approved = world.all('loop.approved').at(-1)
      if (world.loop.standing.verdict === 'APPROVED') expect(approved?.tree).toBe(world.loop.work.head?.tree)
      // Approved work stays approved unless a merge with another branch was needed.
      if (approved && world.loop.standing.verdict !== 'APPROVED')
        expect(world.all('loop.resolving').length).toBeGreaterThan(0)
    })
    expect(approvals).toBeGreaterThan(0)
  })

  test('is asked for only if every gate passed on that tree', () => {
    ofEveryLoop((world, policy) => {
      for (const { step, loop } of world.trace) {
        if (step.do !== 'review') continue
        const passed =
          loop.check.gates?.results.filter((result) => result.passed).map((result) => result.name) ?? []
        expect(passed.toSorted()).toEqual(policy.gates.map((gate) => gate.name).toSorted())
        if (policy.gates.length > 0) expect(loop.check.gates?.tree).toBe(loop.work.head?.tree)
      }
    })
  })
})

describe('a review in free text', () => {
  test('is parsed and ends once, as the review of its reviewer and of the tree that the reviewer saw', () => {
    let parsed = 0
    ofEveryRetriedLoop((world) => {
      const sessions = new Map(world.all('session.started').map((session) => [session.session, session]))
      for (const { session, tree, cycle, parsedBy } of world.all('review.completed')) {
        if (parsedBy === undefined) {
          expect(sessions.get(session)?.role).toBe('reviewer')
          continue
        }
        parsed += 1
        const answer = world.all('review.answered').find((each) => each.session === session)
        expect(answer).toMatchObject({ cycle })
        if (tree !== 'stale') expect(answer?.tree).toBe(tree)
        expect(sessions.get(session)).toMatchObject({ role: 'reviewer', cycle })
        expect(sessions.get(parsedBy)).toMatchObject({ role: 'parser', cycle })
      }
      const ends = [...world.all('review.completed'), ...world.all('review.failed')].map(
        ({ review }) => review,
      )
      expect(new Set(ends).size).toBe(ends.length)
    })
    expect(parsed).toBeGreaterThan(0)
  })

  test('is never repeated while a parser still has to read it', () => {
    ofEveryLoop((world) => {
      for (const { step, loop } of world.trace) {
        if (loop.review.unparsed) expect(step.do).not.toBe('review')
        if (step.do === 'parse') expect(step.answer.tree).toBe(loop.work.head?.tree)
      }
    })
  })
})

describe('feedback', () => {
  test('is in every developer session until newer feedback replaces it, even after a retry', () => {
    ofEveryRetriedLoop((world) => {
      for (const { step, loop } of world.trace) {
        if (step.do !== 'develop') continue
        const said = world.events
          .slice(0, loop.version)
          .flatMap((event) => (event.type === 'loop.feedback' ? [event.data.feedback] : []))
        expect(loop.turn.feedback?.said ?? null).toEqual(said.at(-1) ?? null)
      }
    })
  })

  test('of a review names every open issue', () => {
    ofEveryLoop((world) => {
      world.events.forEach((event, index) => {
        if (event.type !== 'loop.feedback' || event.data.feedback.from !== 'review') return
        const ledger = foldLoop(world.events.slice(0, index))?.review.ledger ?? []
        const open = ledger.filter((issue) => issue.status === 'open').map((issue) => issue.number)
        expect(event.data.feedback.issues.map((issue) => issue.issue)).toEqual(open)
        expect(openBlocking(ledger).length).toBeGreaterThan(0)
      })
    })
  })
})

describe('counting', () => {
  test('there are at most max_cycles reviews, and fewer revisions, plus one for each merge that did not work', () => {
    ofEveryLoop((world, policy) => {
      const { loop } = world
      const maxCycles = policy.maxCycles + world.all('loop.resolving').length
      expect(loop.review.cycle).toBeLessThanOrEqual(maxCycles)
      expect(loop.turn.revisions).toBeLessThanOrEqual(maxCycles - 1)
      expect(loop.turn.revisions).toBeLessThanOrEqual(loop.review.cycle)
    })
  })

  test('only a readable verdict costs a cycle, even across retries', () => {
    ofEveryRetriedLoop((world) => {
      const judged = new Set(world.all('review.completed').map((review) => review.cycle))
      expect([...judged]).toEqual(Array.from({ length: world.loop.review.cycle }, (_, index) => index + 1))
    })
  })

  test('only a finished or timed-out session costs an iteration, even across retries', () => {
    ofEveryRetriedLoop((world) => {
      const {
        turn: { iteration, done: turns },
      } = world.loop
      const developers = new Set(world.sessions('developer').map((session) => session.session))
      const ended = world
        .all('session.ended')
        .filter(({ session, outcome }) => developers.has(session) && endsTurn(outcome)).length
      expect(turns).toBe(ended)
      expect(iteration - turns === 0 || iteration - turns === 1).toBe(true)
    })
  })

  test('every session of a turn has its own number, without gaps', () => {
    ofEveryRetriedLoop((world) => {
      const seen = new Map<string, number>()
      for (const session of world.all('session.started')) {
        const turn = turnOf(session)
        expect(session.attempt).toBe((seen.get(turn) ?? 0) + 1)
        seen.set(turn, session.attempt)
      }
    })
  })
})

describe('waiting for a rate limit', () => {
  test('costs no retry, no iteration and no cycle, and ends', () => {
    let waited = 0
    ofEveryLoop((world, { agentRetries }) => {
      for (const { step, loop } of world.trace) {
        const { waits, failures, last } = loop.turn.tries
        if (!('notBefore' in step) || waits === 0) continue
        waited += 1
        expect(waits).toBeLessThanOrEqual(50)
        expect(failures).toBeLessThanOrEqual(agentRetries)
        if (last?.retryAt && step.notBefore) expect(step.notBefore >= last.retryAt).toBe(true)
      }
    })
    expect(waited).toBeGreaterThan(0)
  })

  test('a prompt is short only after the whole one was too long, and only once', () => {
    ofEveryLoop((world) => {
      for (const { step, loop } of world.trace) {
        if (!('prompt' in step)) continue
        expect(loop.turn.tries.tooLong).toBe(step.prompt === 'short' ? 1 : 0)
      }
    })
  })
})

describe('the state', () => {
  test('is the same when the events are folded again, even after a round trip through JSON', () => {
    ofEveryRetriedLoop((world) => {
      expect(world.refolded()).toEqual(world.loop)
      const events: StoredEvent[] = JSON.parse(JSON.stringify(world.events))
      expect(foldLoop(events)).toEqual(world.loop)
      expect(JSON.parse(JSON.stringify(world.loop))).toEqual(world.loop)
    })
  })

  test('leads to the same step, whichever worker decides and whichever claims the loop next', () => {
    ofEveryLoop((world, policy) => {
      for (const { step, loop } of world.trace) {
        expect(decide(JSON.parse(JSON.stringify(loop)))).toEqual(step)
        if (step.do === 'rest') continue
        const data = { run: 2, worker: 'another', policy }
        const place = {
          seq: 0,
          stream: 'task/7',
          version: loop.version,
          at: '2026-01-02T00:00:00.000Z',
        } as const
        expect(decide(evolve(loop, { type: 'loop.claimed', data, ...place }))).toEqual(step)
      }
    })
  })

  test('rests only if no worker works on it, and says why it stopped and which commands come next', () => {
    ofEveryLoop((world) => {
      for (const { step, loop } of world.trace) {
        expect(step.do === 'rest').toBe(loop.standing.status !== 'in_progress')
      }
      const { status, reason, detail, recovery, verdict } = summarise(world.loop)
      if (status === 'completed') return expect(reason).toBeNull()
      expect(recovery.length).toBeGreaterThan(0)
      // Approved work that could not land is still approved.
      expect(verdict === 'APPROVED').toBe(world.loop.turn.phase === 'land')
      if (status === 'awaiting_review')
        return expect({ reason, detail }).toEqual({ reason: null, detail: null })
      expect(reason).not.toBeNull()
      expect(detail).toMatch(/\S/)
    })
  })
})

function isReview(event: StoredEvent): event is StoredEvent & { type: 'review.completed' } {
  return event.type === 'review.completed'
}

function endsTurn(outcome: { kind: string; class?: string }): boolean {
  return outcome.kind === 'done' || outcome.class === 'timeout'
}

function turnOf({ role, iteration, cycle }: SessionStart): string {
  return role === 'developer' ? `iteration ${iteration}` : `${role} ${cycle} of iteration ${iteration}`
}
