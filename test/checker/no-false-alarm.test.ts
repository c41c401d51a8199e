/**
 * Whatever agents and people do, the history that the loop makes of it passes the independent checker. Two programs
 * that share no code agree on thousands of random histories.
 */

import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { StoredEvent } from '../../src/core/event.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import type { TaskSummary } from '../../src/core/summary.ts'
import {
  anyBeginning,
  anyOrKindBehaviour,
  anyPersonTurns,
  anyPolicy,
  type Behaviour,
  endlessly,
} from '../core/arbitrary.ts'
import { lead } from '../core/lead.ts'
import { fails, type ReviewerTurn } from '../core/turns.ts'
import { World } from '../core/world.ts'
import { fc, samples } from '../support/random.ts'

type Rule = (events: StoredEvent[]) => Iterable<{ version: number; text: string }>

async function rule(file: string, name: string): Promise<Rule> {
  const module: Record<string, Rule> = await import(resolve(import.meta.dirname, '../../checker', file))
  const found = module[name]
  if (!found) throw new Error(`${file} has no ${name}`)
  return found
}

const rules = await Promise.all([
  rule('approvals.mjs', 'checkApprovals'),
  rule('limits.mjs', 'checkLimits'),
  rule('by-hand.mjs', 'checkByHand'),
  rule('landings.mjs', 'checkLandings'),
  rule('resolving.mjs', 'checkResolving'),
  rule('stops.mjs', 'checkStops'),
])
/** These rules compare each review with the tree that its session saw. A real review never has another tree. */
const rulesOfTrees = await Promise.all([
  rule('reviews.mjs', 'checkReviews'),
  rule('issues.mjs', 'checkIssues'),
  rule('beside.mjs', 'checkBeside'),
])
const { foldTask }: { foldTask: (events: StoredEvent[]) => Partial<TaskSummary> } = await import(
  resolve(import.meta.dirname, '../../checker/fold.mjs')
)

test('finds no violation in random loops, led by random people', () => {
  fc.assert(
    fc.property(
      anyPolicy,
      anyBeginning,
      anyOrKindBehaviour,
      anyPersonTurns,
      (policy, { type, inherited }, behaviour, turns) => {
        const world = new World(policy, { type, of: inherited && 3 }, inherited).play(
          endlessly(sincere(behaviour)),
        )
        for (const turn of turns) lead(world, { ...turn, behaviour: sincere(turn.behaviour) })
        expectToHold(world)
      },
    ),
    { numRuns: samples(150) },
  )
})

const anySeats = fc.constantFrom<Pick<Policy, 'seats' | 'approveBy'>>(
  { seats: 2, approveBy: 'all' },
  { seats: 2, approveBy: 'any' },
  { seats: 3, approveBy: { quorum: 2 } },
)

test('finds no violation in loops with a panel and with checkpoints', () => {
  fc.assert(
    fc.property(
      anyPolicy,
      anySeats,
      fc.constantFrom(null, 1, 2),
      anyOrKindBehaviour,
      anyPersonTurns,
      (usual, seats, checkpointEvery, behaviour, turns) => {
        const checkpoints = endlessly(behaviour).reviewer ?? []
        const script = { ...endlessly(sincere(behaviour)), checkpoints }
        const world = new World({ ...usual, ...seats, checkpointEvery }).play(script)
        for (const turn of turns) lead(world, { ...turn, behaviour: sincere(turn.behaviour) })
        expectToHold(world)
      },
    ),
    { numRuns: samples(100) },
  )
})

test('finds no violation in a loop that was released before its task failed', () => {
  const played = new World({ agentRetries: 0 }).play({ developer: [fails('auth')] })
  const failed = played.events.findIndex(({ type }) => type === 'loop.failed')
  const world = new World({ agentRetries: 0 })
  world.append(...played.events.slice(2, failed))
  world
    .append({ type: 'loop.released', data: { why: 'interrupted' } })
    .claim()
    .play()
  expect(world.sessions('developer')).toHaveLength(2)
  expect(rules.flatMap((check) => [...check(world.events)])).toEqual([])
})

function expectToHold(world: World): void {
  const said = [
    ...world.all('review.completed'),
    ...world.all('review.given'),
    ...world.all('loop.checkpoint'),
  ]
  const isStale = said.some(({ tree }) => tree === 'stale')
  for (const check of [...rules, ...(isStale ? [] : rulesOfTrees)])
    expect([...check(world.events)]).toEqual([])
  world.events.forEach((_, index) => {
    const { status, verdict, reason, cycle, iteration } = foldTask(world.events.slice(0, index + 1))
    expect({ status, verdict, reason, cycle, iteration }).toEqual(stateAt(world, index))
  })
}

/** An approval that lists issues contradicts itself. It counts as unreadable, long before a loop sees it. */
function sincere({ reviewer, parser, ...behaviour }: Behaviour): Behaviour {
  const meant = <T extends ReviewerTurn>(turn: T): T =>
    turn.does === 'judges' && turn.review.verdict === 'APPROVED'
      ? { ...turn, review: { ...turn.review, issues: [] } }
      : turn
  return { ...behaviour, reviewer: reviewer.map(meant), parser: parser.map(meant) }
}

function stateAt(world: World, index: number) {
  const {
    standing: { status, verdict, reason },
    review: { cycle },
    turn: { iteration },
  } = world.refolded(index + 1) ?? world.loop
  return { status, verdict, reason, cycle, iteration }
}
